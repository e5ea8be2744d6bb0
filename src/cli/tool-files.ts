// Tools out of a program's own modules: whatever a module exports that is a tool, a list of tools or a registry.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ToolwireError } from '../errors/error.js'
import { tool } from '../tools/define.js'
import type { AnyTool } from '../tools/tool.js'

/** The tools of all files, in order, each once. What is wrong with a file is misuse that names it. */
export async function loadToolFiles(paths: readonly string[]): Promise<readonly AnyTool[]> {
  const tools = new Set<AnyTool>()
  for (const path of paths) for (const found of await loadToolFile(path)) tools.add(found)
  return [...tools]
}

async function loadToolFile(path: string): Promise<readonly AnyTool[]> {
  let exported: Record<string, unknown>
  try {
    exported = (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>
  } catch (error) {
    throw new ToolwireError('misuse', `cannot load the tools of "${path}": ${reason(error)}`, { cause: error })
  }
  try {
    const tools = Object.values(exported).flatMap(toolsIn)
    if (tools.length > 0) return tools
  } catch (error) {
    throw new ToolwireError('misuse', `"${path}" exports a tool that cannot be used: ${reason(error)}`, {
      cause: error,
    })
  }
  const message = `"${path}" exports no tool; export what tool({ … }) gives, a list of such, or a ToolRegistry`
  throw new ToolwireError('misuse', message)
}

/** The tools an export holds; other exports hold none. */
function toolsIn(value: unknown): readonly AnyTool[] {
  if (Array.isArray(value)) return value.flatMap(toolsIn)
  if (typeof value !== 'object' || value === null) return []
  const { execute, checkInput, list } = value as { readonly [key: string]: unknown }
  if (typeof execute === 'function') {
    // A module outside of any project cannot import this package; a plain definition will do.
    return [typeof checkInput === 'function' ? (value as AnyTool) : (tool(value as never) as AnyTool)]
  }
  return typeof list === 'function' ? toolsIn(list.call(value)) : []
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0] ?? ''
}
