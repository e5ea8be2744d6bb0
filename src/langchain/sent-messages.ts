// A sealed history as the messages a foreign chat model is sent: nothing but what that model's package understands, because it
// passes unknown fields on to the provider. What it cannot be told is a loss.
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { assertNever } from '../conversation/events.js'
import { at, type Loss } from '../conversation/losses.js'
import {
  type AnyCall,
  type AssistantMessage,
  type AssistantPart,
  type FilePart,
  isCall,
  type Message,
  type ReasoningPart,
  type ToolResult,
  textOf,
  type UserPart,
} from '../conversation/messages.js'
import { parseBody, parseJson } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import { errorText } from '../tools/results.js'
import { argumentsObject } from '../wire/arguments.js'
import { encodeReasoning } from '../wire/openai-responses/reasoning.js'
import { type Block, writeBlock } from './blocks.js'
import { geminiSignatures } from './call-reading.js'
import type { Dialect } from './dialects.js'

/** Losses point into the request. */
export function sentMessages(
  messages: readonly Message[],
  dialect: Dialect,
): { readonly messages: BaseMessage[]; readonly losses: readonly Loss[] } {
  const losses: Loss[] = []
  const sent = messages.flatMap((message, index) => sendMessage(message, at('/messages', index), { dialect, losses }))
  return { messages: sent, losses }
}

interface Sending {
  readonly dialect: Dialect
  readonly losses: Loss[]
}

function sendMessage(message: Message, path: string, sending: Sending): readonly BaseMessage[] {
  switch (message.role) {
    case 'system':
      return [new SystemMessage(textOf(message.content))]
    case 'user':
      return [new HumanMessage({ content: sendParts(message.content, path, sending, true) })]
    case 'assistant':
      return [sendTurn(message, path, sending)]
    case 'tool':
      return message.results.map((result, index) => sendResult(result, at(at(path, 'results'), index), sending))
    default:
      return assertNever(message)
  }
}

/** A string for one text, or for none; blocks otherwise. */
function sendParts(parts: readonly UserPart[], path: string, sending: Sending, media: boolean): string | Block[] {
  const blocks = parts.flatMap((part, index): readonly Block[] => {
    const text = part.type === 'file' && sending.dialect.files === 'none' ? textIn(part) : undefined
    if (text !== undefined && media) {
      reportAsText(sending, at(at(path, 'content'), index), text)
      return [{ type: 'text', text }]
    }
    const block = sendPart(part, sending.dialect, media)
    if (block === undefined) report(sending, at(at(path, 'content'), index), `${part.type} cannot be sent there`)
    return block === undefined ? [] : [block]
  })
  const [first, ...others] = blocks
  if (first === undefined) return ''
  return others.length === 0 && typeof first.text === 'string' ? first.text : blocks
}

function sendPart(part: UserPart, dialect: Dialect, media: boolean): Block | undefined {
  switch (part.type) {
    case 'text':
      return writeBlock(part)
    case 'image':
      return media && (dialect.imageUrls || part.url === undefined) ? writeBlock(part) : undefined
    case 'file':
      return media ? sendFile(part, dialect) : undefined
    case 'opaque':
      return undefined
    default:
      return assertNever(part)
  }
}

/** The text of an inline text file: a chat model that takes no files can read it nevertheless. */
function textIn({ data, mediaType = '' }: FilePart): string | undefined {
  if (data === undefined || !mediaType.startsWith('text/')) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
  } catch {
    return undefined // no base64, or no text
  }
}

function sendFile(part: FilePart, { files }: Dialect): Block | undefined {
  const { url, data, mediaType = 'application/octet-stream', name } = part
  if (files === 'none' || (url === undefined && data === undefined)) return undefined
  if (files === 'standard') return writeBlock({ ...part, mediaType })
  const source = url === undefined ? { source_type: 'base64', data } : { source_type: 'url', url }
  return {
    type: 'file',
    ...source,
    mime_type: mediaType,
    ...(name === undefined ? {} : { metadata: { filename: name } }),
  }
}

function sendResult(result: ToolResult, path: string, sending: Sending): ToolMessage {
  const { callId, name, isError } = result
  return new ToolMessage({
    content: isError ? errorText(result) : sendParts(result.content, path, sending, sending.dialect.resultImages),
    tool_call_id: callId,
    name,
    status: isError ? 'error' : 'success',
  })
}

function sendTurn(message: AssistantMessage, path: string, sending: Sending): AIMessage {
  const { dialect } = sending
  const parts = message.content.map((part, index) => ({ part, path: at(at(path, 'content'), index) }))
  const item = itemOf(message, dialect)
  const blocks = parts.flatMap(({ part, path: place }) => (part === item ? [] : sendSaid(part, place, sending)))
  const calls = parts.flatMap(({ part, path: place }) => (isCall(part) ? [sendCall(part, place, sending)] : []))
  const isPlain = dialect.thinking !== 'blocks' || blocks.every((block) => block.type === 'text')
  return new AIMessage({
    content: isPlain ? blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('') : blocks,
    tool_calls: calls,
    additional_kwargs: {
      ...signaturesOf(message),
      ...(item === undefined ? {} : { reasoning: encodeReasoning(item) }),
    },
  })
}

/** What a part says besides calls. */
function sendSaid(part: AssistantPart, path: string, sending: Sending): readonly Block[] {
  const { dialect } = sending
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'reasoning':
      if (dialect.thinking === 'blocks') return [thinkingOf(part)]
      report(sending, path, 'this chat model does not take this reasoning back')
      return []
    case 'opaque':
      if (dialect.thinking === 'blocks' && part.origin.wire === 'anthropic')
        return [{ ...part.data, type: String(part.data.type) }]
      report(sending, path, 'this chat model takes no blocks of its provider back')
      return []
    case 'tool_call':
    case 'broken_call':
      return []
    default:
      return assertNever(part)
  }
}

function thinkingOf({ text, opaque }: ReasoningPart): Block {
  const signature = opaque?.data.signature ?? opaque?.data.thoughtSignature
  return { type: 'thinking', thinking: text, ...(typeof signature === 'string' ? { signature } : {}) }
}

/** The reasoning that ChatOpenAI takes back on Responses. It has a place for one: of several the last. */
function itemOf({ content }: AssistantMessage, { thinking, wire }: Dialect): ReasoningPart | undefined {
  if (thinking !== 'item') return undefined
  return content.findLast(
    (part): part is ReasoningPart => part.type === 'reasoning' && part.opaque?.origin.wire === wire,
  )
}

/** Where @langchain/google-genai looks for the signatures of calls. */
function signaturesOf({ content }: AssistantMessage): { [geminiSignatures]?: JsonObject } {
  const signed = content.filter(isCall).flatMap(({ id, opaque }) => {
    const signature = opaque?.data.thoughtSignature
    return typeof signature === 'string' ? [[id, signature] as const] : []
  })
  return signed.length === 0 ? {} : { [geminiSignatures]: Object.fromEntries(signed) }
}

function sendCall(
  call: AnyCall,
  path: string,
  { dialect, losses }: Sending,
): { id: string; name: string; args: JsonObject; type: 'tool_call' } {
  const { text } = argumentsObject(call)
  const args = parseBody(text) as JsonObject // an object by construction
  if (JSON.stringify(args) !== stringifyJson(parseJson(text))) {
    const message = 'LangChain has JavaScript numbers only: an integer of the arguments was rounded'
    const to = JSON.stringify(args)
    losses.push({
      code: 'integer_rounded',
      wire: dialect.wire,
      path: at(path, 'arguments'),
      kind: 'changed',
      to,
      message,
    })
  }
  return { type: 'tool_call', id: call.id, name: call.name, args }
}

function reportAsText({ dialect, losses }: Sending, path: string, text: string): void {
  const message = 'this chat model takes no files; the text of the file was sent as text'
  losses.push({ code: 'file_as_text', wire: dialect.wire, path, kind: 'changed', to: { type: 'text', text }, message })
}

function report({ dialect, losses }: Sending, path: string, why: string): void {
  losses.push({ code: 'part_dropped', wire: dialect.wire, path, kind: 'dropped', message: why })
}
