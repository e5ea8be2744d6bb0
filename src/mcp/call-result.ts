// What a server answered to a call, as the executor takes it: the four members of an MCP result and blocks it knows. Anything
// else a server may add is shown to the model as the JSON it is, so that nothing vanishes and `isError` always counts.
import type { Result } from '@modelcontextprotocol/sdk/types.js'
import { displayJson } from '../json/display.js'
import { isJsonObject } from '../json/parse.js'
import { isMcpBlock } from '../tools/mcp-content.js'

export interface CallResult {
  readonly content: readonly object[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: unknown
}

export function callResultOf(result: Result): CallResult {
  const { content, structuredContent, isError, _meta, ...rest } = result
  const blocks = Array.isArray(content) ? content.map(blockOf) : []
  const hasNothing = !Array.isArray(content) && structuredContent === undefined
  return {
    content: hasNothing ? [text(displayJson(rest))] : blocks,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError } : {}),
    ...(isJsonObject(_meta) && Object.keys(_meta).length > 0 ? { _meta } : {}),
  }
}

/** A protocol error as the result of the call it answers. */
export function failedCall(message: string): CallResult {
  return { content: [text(message)], isError: true }
}

function blockOf(block: unknown): object {
  return isMcpBlock(block) ? block : text(displayJson(block))
}

function text(words: string): object {
  return { type: 'text', text: words }
}
