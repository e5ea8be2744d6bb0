// Answers of a provider as the commands take them: a whole body or a stream, alone or inside a recorded exchange.
import type { CompletionEvent } from '../conversation/events.js'
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { rawSpans } from '../json/spans.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Codec, Env, Exchange } from '../wire/codec.js'
import { codecs, profileOf } from '../wire/index.js'
import type { Line } from './lines.js'

export interface WireOptions {
  readonly wire: Wire
  readonly profile?: string | undefined
}

/** What a codec needs besides the bytes, for commands that only translate. */
export function wireEnv({ wire, profile }: WireOptions): { readonly codec: Codec; readonly env: Env } {
  const codec = codecs[wire]
  return { codec, env: { profile: profileOf(codec, profile), createdSeconds: 0, deltas: false } }
}

/** The part of a line that holds the answer: the line itself, or what a recording has under `response`. */
export function answerOf({ text, record }: Line): { readonly text: string; readonly answer: JsonObject } {
  const response = record.response
  if (!isJsonObject(response)) return { text, answer: record }
  return { text: rawSpans(text, ['/response']).get('/response') ?? text, answer: response }
}

/** The events of a recorded answer. */
export function decodeAnswer(line: Line, options: WireOptions): readonly CompletionEvent[] {
  const { codec, env } = wireEnv(options)
  const { text, answer } = answerOf(line)
  const status = typeof answer.status === 'number' ? answer.status : 200
  const headers = headersOf(answer.headers)
  const model = typeof line.record.model === 'string' ? line.record.model : ''
  const exchange: Exchange = {
    wire: options.wire,
    model,
    provider: env.profile.name,
    stream: answer.chunks !== undefined,
  }
  if (answer.chunks !== undefined && status < 400)
    return decodeStream(codec, exchange, env, streamBytes(options.wire, answer.chunks))
  const recorded = answer.body === undefined ? answer.chunks : answer.body
  // An error answer may have no body at all: then its status says what it is.
  const body = status >= 400 && isNothing(recorded) ? '' : recorded
  if (body === undefined) throw new ToolwireError('invalid_request', 'a line needs "body" or "chunks"')
  const raw = typeof body === 'string' ? body : (rawSpans(text, ['/body']).get('/body') ?? JSON.stringify(body))
  return codec.response.decode({ status, headers, body: raw }, exchange, env)
}

function isNothing(body: Json | undefined): boolean {
  return body === undefined || body === null || (Array.isArray(body) && body.length === 0)
}

export function decodeStream(
  codec: Codec,
  exchange: Exchange,
  env: Env,
  bytes: Uint8Array,
): readonly CompletionEvent[] {
  const machine = codec.stream.decode(exchange, env)
  return [...machine.push(bytes), ...machine.end()]
}

/** A stream as bytes. A list holds one payload per member, or pieces of the raw text: payloads get the wire's framing back. */
export function streamBytes(wire: Wire, chunks: Json): Uint8Array {
  if (typeof chunks === 'string') return new TextEncoder().encode(chunks)
  if (!Array.isArray(chunks)) throw new ToolwireError('invalid_request', '"chunks" must be a string or a list')
  const payloads = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)))
  const framed = payloads.every(isPayload) ? payloads.map((payload) => frame(wire, payload)) : payloads
  return new TextEncoder().encode(framed.join(''))
}

function isPayload(text: string): boolean {
  if (text.trim() === '[DONE]') return true
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}

function frame(wire: Wire, payload: string): string {
  if (wire === 'ollama') return `${payload}\n`
  const type =
    wire === 'anthropic' || wire === 'openai-responses' ? (JSON.parse(payload) as { type?: string }).type : undefined
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${payload}\n\n`
}

function headersOf(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {}
  const entries = Object.entries(value).map(([name, item]) => [
    name.toLowerCase(),
    Array.isArray(item) ? item.join(', ') : String(item),
  ])
  return Object.fromEntries(entries) as Record<string, string>
}
