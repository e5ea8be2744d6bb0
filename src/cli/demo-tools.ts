// The demo tools of the command line: clock, calculator, files below one directory (read only), HTTP GET from named hosts.
// Trap: a path from a model may lead out through `..` or a symbolic link; only the resolved path is trusted.
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { ToolExecutionError } from '../conversation/tool-error.js'
import { calculatorTool, clockTool } from '../offline/index.js'
import { tool } from '../tools/define.js'
import { params } from '../tools/params.js'
import type { AnyTool, Tool } from '../tools/tool.js'
import { httpGetTool } from './http-get.js'

export interface DemoToolOptions {
  /** The directory the file tools see, nothing above it; the working directory unless given. */
  readonly root?: string
  /** Hosts that `http_get` may ask, such as `example.com` or `localhost:8080`. None unless given. */
  readonly allowedHosts?: readonly string[]
  /** Milliseconds since the epoch, for the clock. */
  readonly now?: () => number
  readonly fetch?: typeof globalThis.fetch
}

const maxFileBytes = 262_144
const maxEntries = 500

/** The five demo tools. `http_get` refuses every host that is not named. */
export function createDemoTools(options: DemoToolOptions = {}): readonly AnyTool[] {
  const { root = process.cwd(), allowedHosts = [], now = Date.now, fetch } = options
  return [
    clockTool(now),
    calculatorTool,
    readFileTool(root),
    listFilesTool(root),
    httpGetTool({ allowedHosts, ...(fetch === undefined ? {} : { fetch }) }),
  ]
}

/** The demo tools, but for those whose names a user's own have, and the one that could not reach anything. */
export function demoToolsBeside(own: readonly AnyTool[], allowedHosts: readonly string[] = []): readonly AnyTool[] {
  const left = new Set(own.map((tool) => tool.name))
  if (allowedHosts.length === 0) left.add('http_get')
  return createDemoTools({ allowedHosts }).filter((tool) => !left.has(tool.name))
}

/** `read_file`: the text of a file below the root. */
export function readFileTool(root: string): Tool<{ path: string }, string> {
  return tool({
    name: 'read_file',
    description: 'Reads a text file below the working directory.',
    input: params.object({
      path: params.string({ description: 'Path of the file, relative to the working directory' }),
    }),
    capabilities: ['filesystem'],
    repeatable: true,
    execute: async ({ path }) => {
      const file = await settled(path, belowRoot(root, path))
      // Without waiting: a named pipe would never open.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
      const handle = await settled(path, open(file, flags))
      try {
        return await readText(path, handle)
      } finally {
        await handle.close()
      }
    },
  })
}

/** `list_files`: the names in a directory below the root, folders with a closing slash. */
export function listFilesTool(root: string): Tool<{ path?: string }, readonly string[]> {
  return tool({
    name: 'list_files',
    description: 'Lists the files and folders of a directory below the working directory.',
    input: params.object({
      path: params.optional(
        params.string({ description: 'Directory, relative to the working directory; that one itself when left out' }),
      ),
    }),
    capabilities: ['filesystem'],
    repeatable: true,
    execute: async ({ path = '.' }) => {
      const directory = await settled(path, belowRoot(root, path))
      const entries = await settled(path, readdir(directory, { withFileTypes: true }))
      const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
      const more = names.length - maxEntries
      return more > 0 ? [...names.slice(0, maxEntries), `… and ${more} more`] : names
    },
  })
}

/** The real path of what `path` names, links followed; refused unless it lies below the real root. */
async function belowRoot(root: string, path: string): Promise<string> {
  const top = await realpath(root)
  const wanted = resolve(top, path)
  // Before the file system is asked, so that nothing is learnt about what lies elsewhere.
  if (!isBelow(top, wanted)) throw outside(path)
  const real = await realpath(wanted)
  if (!isBelow(top, real)) throw outside(path)
  return real
}

function isBelow(top: string, path: string): boolean {
  return path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)
}

async function readText(path: string, handle: FileHandle): Promise<string> {
  const facts = await handle.stat()
  if (facts.isDirectory()) {
    throw new ToolExecutionError('invalid_arguments', `"${path}" is a directory; use list_files for it`)
  }
  if (!facts.isFile()) throw new ToolExecutionError('invalid_arguments', `"${path}" is not an ordinary file`)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(facts.size, maxFileBytes)), 0, null, 0)
  const bytes = buffer.subarray(0, bytesRead)
  if (bytes.includes(0)) throw new ToolExecutionError('invalid_arguments', `"${path}" is not a text file`)
  const text = new TextDecoder().decode(bytes, { stream: facts.size > maxFileBytes })
  return facts.size > maxFileBytes ? `${text}\n[cut: the first ${maxFileBytes} of ${facts.size} bytes]` : text
}

function outside(path: string): ToolExecutionError {
  return new ToolExecutionError(
    'permission_denied',
    `"${path}" is not below the working directory; only files there may be read`,
  )
}

/** What the promise gives; a failure of the file system as words for the model, without paths of this machine. */
async function settled<T>(path: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    if (ToolExecutionError.is(error)) throw error
    throw failure(path, error)
  }
}

function failure(path: string, error: unknown): ToolExecutionError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolExecutionError('resource_not_found', `there is no "${path}" below the working directory`)
    case 'EACCES':
    case 'EPERM':
    case 'ELOOP':
      return new ToolExecutionError('permission_denied', `"${path}" may not be read`)
    default:
      return new ToolExecutionError('unknown', `"${path}" cannot be read${code === '' ? '' : ` (${code})`}`)
  }
}
