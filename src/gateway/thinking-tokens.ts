// Thinking of other APIs for clients of Anthropic's: they expect a signature with it, and some reject an empty one. They get a token
// that says what the provider had signed, if anything, and the gateway turns it back. It keeps nothing for that.
// The trap: the token is not Anthropic's signature, and must never be sent to Anthropic as one.
import type { CompletionEvent } from '../conversation/events.js'
import type { Loss } from '../conversation/losses.js'
import { type AssistantPart, type Message, type Opaque, type Wire, wires } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { isJsonObject, parseBody } from '../json/parse.js'

const wire = 'anthropic'
const prefix = 'toolwire.thinking.'

/** Whether a body holds a token, so that it cannot be forwarded as it is. */
export function hasThinkingToken(body: string): boolean {
  return body.includes(prefix)
}

function encodeToken(opaque: Opaque | undefined): string {
  if (opaque === undefined) return `${prefix}unsigned`
  const bytes = new TextEncoder().encode(JSON.stringify(opaque))
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return prefix + btoa(text)
}

/** What a token stands for; undefined for nothing signed, and for a token that was not made here. */
function decodeToken(token: string): Opaque | undefined {
  try {
    const bytes = Uint8Array.from(atob(token.slice(prefix.length)), (char) => char.charCodeAt(0))
    const value = parseBody(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isOpaque(value) ? value : undefined
  } catch {
    return undefined
  }
}

const known: ReadonlySet<unknown> = new Set(wires)

/** The client may have written the token: it can name another API only, and no more than such a value has. */
function isOpaque(value: unknown): value is Opaque {
  if (!isJsonObject(value as never)) return false
  const { origin, data, ...rest } = value as { readonly [key: string]: unknown }
  if (Object.keys(rest).length > 0 || !isJsonObject(origin as never) || !isJsonObject(data as never)) return false
  const { wire: from, provider, model, ...more } = origin as { readonly [key: string]: unknown }
  const isText = (text: unknown): boolean => text === undefined || typeof text === 'string'
  return known.has(from) && from !== wire && isText(provider) && isText(model) && Object.keys(more).length === 0
}

function isForeign(opaque: Opaque | undefined): boolean {
  return opaque === undefined || opaque.origin.wire !== wire
}

function signed(opaque: Opaque | undefined): Opaque {
  return { origin: { wire }, data: { signature: encodeToken(opaque) } }
}

/** The messages of a client's request with what its tokens stand for. */
export function withoutThinkingTokens(messages: readonly Message[]): readonly Message[] {
  const hasToken = (message: Message): boolean =>
    message.role === 'assistant' && message.content.some((part) => tokenOf(part) !== undefined)
  if (!messages.some(hasToken)) return messages
  return messages.map((message) =>
    message.role === 'assistant' && hasToken(message)
      ? { ...message, content: message.content.map(original) }
      : message,
  )
}

function tokenOf(part: AssistantPart): string | undefined {
  const signature = part.type === 'reasoning' ? part.opaque?.data.signature : undefined
  return typeof signature === 'string' && signature.startsWith(prefix) ? signature : undefined
}

function original(part: AssistantPart): AssistantPart {
  const token = tokenOf(part)
  if (token === undefined || part.type !== 'reasoning') return part
  const { opaque: _, ...rest } = part
  const opaque = decodeToken(token)
  return opaque === undefined ? rest : { ...rest, opaque }
}

/** A response with a token on each thought of another API, for a client of this wire. */
export function withThinkingTokens(response: CompletionResponse, client: Wire): CompletionResponse {
  const needsToken = (part: AssistantPart): boolean =>
    part.type === 'reasoning' && part.text !== '' && isForeign(part.opaque)
  const { message } = response
  if (client !== wire || !message.content.some(needsToken)) return response
  const content = message.content.map((part) =>
    part.type === 'reasoning' && needsToken(part) ? { ...part, opaque: signed(part.opaque) } : part,
  )
  return { ...response, message: { ...message, content } }
}

export interface ThinkingTokenEvents {
  /** An event as the client's API is to get it, with the token at the end of a thought. */
  push(event: CompletionEvent): readonly CompletionEvent[]
  /** What came too late for its token: the thought was over. */
  readonly losses: readonly Loss[]
}

/** The same for a stream. */
export function thinkingTokenEvents(client: Wire): ThinkingTokenEvents {
  if (client !== wire) return { push: (event) => [event], losses: [] }
  const losses: Loss[] = []
  const closed = new Set<number>()
  /** What came before the text of a thought, or with a part of it. */
  const known = new Map<number, Opaque>()
  /** A thought that has text and no signature yet. */
  let open: number | undefined
  const close = (): readonly CompletionEvent[] => {
    const part = open
    open = undefined
    if (part === undefined) return []
    closed.add(part)
    return [{ type: 'attach', part, of: 'reasoning', opaque: signed(known.get(part)) }]
  }
  const push = (event: CompletionEvent): readonly CompletionEvent[] => {
    switch (event.type) {
      case 'reasoning_delta': {
        const before = open === event.part ? [] : close()
        if (event.text !== '') open = event.part
        return [...before, event]
      }
      case 'attach': {
        if (event.of !== 'reasoning') return [...close(), event]
        if (event.opaque === undefined) return [event]
        if (open !== event.part && closed.has(event.part)) {
          losses.push(lateSignature)
          return []
        }
        if (!isForeign(event.opaque)) {
          open = undefined
          return [event]
        }
        known.set(event.part, event.opaque)
        return open === event.part ? close() : []
      }
      case 'text_delta':
      case 'opaque':
      case 'tool_call_delta':
      case 'tool_call':
      case 'broken_call':
      case 'finish':
        return [...close(), event]
      default:
        return [event]
    }
  }
  return { push, losses }
}

const lateSignature: Loss = {
  code: 'signature_dropped',
  wire,
  path: '/message/content',
  kind: 'dropped',
  message: 'the signature of a thought came after the thought was sent',
}
