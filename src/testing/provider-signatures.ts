// Signatures as providers hand them out with reasoning: sealed by a key of the server, so that it knows its own again, and
// remembered by the calls they came with, so that a signature that was left out is missed.
import { createHmac, randomBytes } from 'node:crypto'
import type { AssistantMessage, AssistantPart, Message, Opaque } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { canonicalJson } from '../json/canonical.js'
import type { Json, JsonObject } from '../json/types.js'
import type { DecodedRequest, Exchange } from '../wire/codec.js'
import { wholeTurns } from './turns.js'

export interface Signer {
  /** The response with a signature on its reasoning, where the wire has a place for one. */
  sign(response: CompletionResponse, exchange: Exchange): CompletionResponse
  /** What is wrong with the signatures that came back. */
  faults(decoded: DecodedRequest): readonly string[]
}

/** Where a wire puts a signature: the member of the continuation, and the part that carries it. */
const places = {
  anthropic: { member: 'signature', on: 'reasoning' },
  'openai-responses': { member: 'encrypted_content', on: 'reasoning' },
  gemini: { member: 'thoughtSignature', on: 'call' },
} as const

type Place = (typeof places)[keyof typeof places]

interface Memory {
  readonly key: Uint8Array
  /** By wire, model and call id: the signature of the turn the call was made in. */
  readonly given: Map<string, string>
}

export function createSigner(): Signer {
  const memory: Memory = { key: randomBytes(32), given: new Map() }
  return {
    sign(response, exchange) {
      const place = placeOf(exchange)
      return place === undefined ? response : signed(response, place, exchange, memory)
    },
    faults({ request, exchange }) {
      const place = placeOf(exchange)
      if (place === undefined) return []
      return [
        ...forged(request.messages, place, exchange, memory),
        ...missing(openLoop(request.messages), place, exchange, memory),
      ]
    },
  }
}

function signed(response: CompletionResponse, place: Place, exchange: Exchange, memory: Memory): CompletionResponse {
  const { message } = response
  const target = targetOf(message, place)
  if (target === undefined || 'opaque' in target) return response
  const signature = seal(target, exchange, memory)
  for (const part of message.content) if (isCall(part)) memory.given.set(turnKey(exchange, part.id), signature)
  const opaque: Opaque = { origin: { wire: exchange.wire }, data: { [place.member]: signature } }
  const put = <T extends AssistantPart>(part: T): T => (part === target ? { ...part, opaque } : part)
  const content = message.content.map(put)
  return { ...response, message: { ...message, content }, toolCalls: response.toolCalls.map(put) }
}

function seal(part: AssistantPart, { wire, model }: Exchange, { key }: Memory): string {
  return createHmac('sha256', key)
    .update(canonicalJson([wire, model, ...sealed(part)]))
    .digest('base64')
}

function forged(
  messages: readonly Message[],
  { member }: Place,
  exchange: Exchange,
  memory: Memory,
): readonly string[] {
  return messages.flatMap((message, index) => {
    const parts = message.role === 'assistant' ? message.content : []
    return parts.flatMap((part) => {
      const signature = signatureOn(part, member)
      if (signature === undefined || signature === seal(part, exchange, memory)) return []
      return [`messages.${index}: invalid ${member} in a ${part.type} part`]
    })
  })
}

function missing(
  turns: readonly AssistantMessage[],
  { member }: Place,
  exchange: Exchange,
  { given }: Memory,
): readonly string[] {
  return turns.flatMap(({ content }) => {
    const wanted = content.filter(isCall).flatMap((call) => given.get(turnKey(exchange, call.id)) ?? [])
    const found = new Set(content.map((part) => signatureOn(part, member)))
    if (wanted.every((signature) => found.has(signature))) return []
    return [`the ${member} of an open tool loop must come back with its turn; it is missing`]
  })
}

function placeOf({ wire }: Exchange): Place | undefined {
  return wire === 'anthropic' || wire === 'openai-responses' || wire === 'gemini' ? places[wire] : undefined
}

/** The part that is signed: the reasoning, or the first call where the wire signs calls. */
function targetOf({ content }: AssistantMessage, { on }: Place): AssistantPart | undefined {
  return content.find((part) => part.type === (on === 'call' ? 'tool_call' : 'reasoning'))
}

/** What of a part its signature vouches for. Arguments count by value: clients write them anew. */
function sealed(part: AssistantPart): readonly Json[] {
  if (part.type === 'reasoning') return [part.text]
  return part.type === 'tool_call' ? [part.name, JSON.parse(part.arguments) as Json] : []
}

function signatureOn(part: AssistantPart, member: string): string | undefined {
  const data: JsonObject | undefined = part.type === 'opaque' ? undefined : part.opaque?.data
  const signature = data?.[member]
  return typeof signature === 'string' && signature !== '' ? paddedBase64(signature) : undefined
}

/** Google's SDKs write base64 in the URL-safe alphabet, with or without padding; the API reads both. */
function paddedBase64(text: string): string {
  const bare = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
}

function turnKey({ wire, model }: Exchange, callId: string): string {
  return JSON.stringify([wire, model, callId])
}

/** The assistant turns since the user last spoke. */
function openLoop(messages: readonly Message[]): readonly AssistantMessage[] {
  const from = messages.findLastIndex((message) => message.role === 'user')
  return wholeTurns(messages.slice(from + 1)).filter((message) => message.role === 'assistant')
}
