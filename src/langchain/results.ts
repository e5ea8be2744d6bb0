// Tool messages: LangChain has one for each result. A failed one reads `Error: <message>`, and its status says so too.
import { ToolMessage } from '@langchain/core/messages'
import type { AnyCall, ResultPart, ToolResult } from '../conversation/messages.js'
import { isJsonObject } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'
import { plainJson } from '../tools/mcp-content.js'
import { errorText } from '../tools/results.js'
import { readErrorPrefix } from '../wire/error-prefix.js'
import { type Block, readBlock, writeBlock } from './blocks.js'
import { type Carried, type Kwargs, kwargsOf, notesOf, restorerOf } from './notes.js'

/** `carried` is what the message of results needs besides, on its first one. */
export function writeResult(result: ToolResult, carried: Carried = {}): ToolMessage {
  const plain = plainResult(new ToolMessage(fieldsOf(result, {})), result.name).result
  return new ToolMessage(fieldsOf(result, kwargsOf({ ...carried, notes: notesOf([[plain, result]]) })))
}

function fieldsOf(result: ToolResult, kwargs: Kwargs): ConstructorParameters<typeof ToolMessage>[0] & object {
  const { callId, name, isError, artifacts } = result
  return {
    content: isError || isText(result.content) ? errorText(result) : (result.content.map(writeBlock) as Block[]),
    tool_call_id: callId,
    name,
    status: isError ? 'error' : 'success',
    additional_kwargs: kwargs,
    ...(artifacts === undefined ? {} : { artifact: artifacts }),
  }
}

function isText(content: readonly ResultPart[]): boolean {
  return content.length === 0 || (content.length === 1 && content[0]?.type === 'text')
}

export interface ReadResult {
  readonly result: ToolResult
  /** Positions in the content of what could not be kept. */
  readonly dropped: readonly number[]
}

/** `calls` are those before it: a message that names no tool answers the one with its id. */
export function readResult(message: ToolMessage, calls: ReadonlyMap<string, AnyCall>): ReadResult {
  const { result, dropped } = plainResult(message, message.name ?? calls.get(message.tool_call_id)?.name ?? '')
  return { result: restorerOf(message.additional_kwargs).restore(result), dropped }
}

function plainResult(message: ToolMessage, name: string): ReadResult {
  const { content: written, artifact, status, tool_call_id: callId } = message
  const dropped: number[] = []
  const content: ResultPart[] = []
  const blocks: readonly unknown[] = typeof written === 'string' ? (written === '' ? [] : [written]) : written
  blocks.forEach((block, index) => {
    const part = readBlock(block)
    if (part === undefined) dropped.push(index)
    else content.push(part)
  })
  const artifacts = artifact === undefined || artifact === null ? {} : { artifacts: artifactsOf(artifact) }
  const result = { callId, name, content, isError: status === 'error', ...artifacts }
  return { result: status === 'error' ? failed(result) : result, dropped }
}

/** The words of the failure, without the prefix that says it is one. */
function failed(result: ToolResult): ToolResult {
  const [first, ...others] = result.content
  if (first?.type !== 'text') return { ...result, error: { category: 'unknown', message: '' } }
  const { text } = readErrorPrefix(first.text)
  return { ...result, content: [{ ...first, text }, ...others], error: { category: 'unknown', message: text } }
}

function artifactsOf(artifact: unknown): JsonObject {
  const plain = plainJson(artifact)
  return isJsonObject(plain) ? plain : { artifact: plain }
}
