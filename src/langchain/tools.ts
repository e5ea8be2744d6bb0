// Tools both ways. A toolwire tool in LangChain runs through an executor, with its checks, limits and deadlines; a LangChain
// tool in toolwire runs as LangChain would run it, with its own schema checked first.
import { ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool, type StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import type { ToolCall } from '../conversation/messages.js'
import { ToolExecutionError } from '../conversation/tool-error.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value } from '../json/types.js'
import type { ToolOptions } from '../tools/definition.js'
import { ToolExecutor } from '../tools/execute.js'
import { importTool } from '../tools/import-tool.js'
import { markContentPair } from '../tools/mcp-content.js'
import type { AnyTool } from '../tools/tool.js'
import { isRecord } from './blocks.js'
import { readResult, writeResult } from './results.js'

/** How the tool is run. */
export interface ToLangChainToolOptions {
  /** The executor that runs it, shared with others and so are its limits; one of its own when left out. */
  readonly executor?: ToolExecutor | undefined
}

/**
 * A LangChain tool. Called by an agent it gives a `ToolMessage`, a failure as `Error: <message>` with the status `error`;
 * called with plain arguments it gives the text, and throws for a failure.
 */
export function toLangChainTool(tool: AnyTool, options: ToLangChainToolOptions = {}): DynamicStructuredTool {
  const { name, description, spec } = tool
  const executor = options.executor ?? new ToolExecutor([tool])
  return new DynamicStructuredTool({
    name,
    description,
    schema: structuredClone(spec.inputSchema ?? { type: 'object', properties: {} }), // LangChain's validator marks it
    func: async (input: unknown, _manager, config) => {
      const id = callIdIn(config)
      const call: ToolCall = { type: 'tool_call', id: id ?? 'call', name, arguments: stringifyJson(input as Value) }
      const [result] = await executor.execute([call], { signal: config?.signal })
      if (result === undefined) throw new ToolExecutionError('unknown', `The executor gave no result for "${name}"`)
      const message = writeResult(result)
      if (id !== undefined) return message
      if (!result.isError) return message.content
      throw new ToolExecutionError(result.error?.category ?? 'unknown', result.error?.message ?? message.text)
    },
  })
}

/** A toolwire tool that calls a LangChain one. Throws `invalid_tool_spec` when its schema cannot be told to a model. */
export function fromLangChainTool(tool: StructuredToolInterface, options: ToolOptions = {}): AnyTool {
  const imported = importTool(convertToOpenAITool(tool), {
    source: 'langchain',
    ...options,
    async execute(args, { signal, call }) {
      const given: unknown = await tool.invoke({ type: 'tool_call', id: call.id, name: tool.name, args }, { signal })
      return ToolMessage.isInstance(given)
        ? readResult(given, new Map([[call.id, call]])).result
        : markContentPair(given)
    },
  })
  return imported.tool
}

/** The id of the call that an agent runs; none when a program calls the tool itself. */
function callIdIn(config: unknown): string | undefined {
  const call = isRecord(config) ? config.toolCall : undefined
  const id = isRecord(call) ? call.id : undefined
  return typeof id === 'string' ? id : undefined
}
