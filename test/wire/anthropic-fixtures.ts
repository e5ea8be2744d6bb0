// What the Anthropic tests share: an environment, the examples, streams written by hand, and values without what no wire carries.
import { readdirSync, readFileSync } from 'node:fs'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import type { EncodedRequest, Env, Exchange, HttpRequest } from '../../src/wire/codec.js'

const folder = new URL('../examples/anthropic/', import.meta.url)
export const examples: readonly string[] = readdirSync(folder)

export function example(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}

export function envOf(profile = 'anthropic', deltas = false, flags: JsonObject = {}): Env {
  const known = codec.profiles[profile]
  if (known === undefined) throw new Error(`no profile ${profile}`)
  return { profile: { ...known, ...flags }, createdSeconds: 1_700_000_000, deltas }
}

export const exchange: Exchange = { wire: 'anthropic', model: 'claude-sonnet-5-5', stream: true }

export function http(body: Json | string, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', path: '/v1/messages', headers, body: text }
}

export function bodyOf(encoded: EncodedRequest): JsonObject {
  const { body } = encoded.http
  return JSON.parse(bodyText(body)) as JsonObject
}

export function encoded(request: CompletionRequest, env: Env = envOf()): JsonObject {
  return bodyOf(codec.request.encode(request, { stream: false }, env))
}

export function folded(events: Iterable<CompletionEvent>): Folded {
  const fold = createFolder()
  for (const event of events) fold.push(event)
  return fold.done()
}

/** The events of a stream whose bytes are cut at the given places. */
export function streamed(text: string, cuts: readonly number[] = [], env: Env = envOf()): readonly CompletionEvent[] {
  const bytes = new TextEncoder().encode(text)
  const decoder = codec.stream.decode(exchange, env)
  const events: CompletionEvent[] = []
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    events.push(...decoder.push(bytes.subarray(from, cut)))
    from = cut
  }
  events.push(...decoder.end())
  return events
}

/** The stream that the server half writes. */
export function written(events: Iterable<CompletionEvent>, env: Env = envOf()): string {
  const encoder = codec.stream.encode(exchange, env)
  let text = ''
  for (const event of events) text += encoder.push(event)
  return text + encoder.end()
}

export function sse(...frames: readonly JsonObject[]): string {
  return frames.map((frame) => `event: ${String(frame.type)}\ndata: ${JSON.stringify(frame)}\n\n`).join('')
}

export const opening: JsonObject = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 3 } },
}
export const closing: JsonObject = { type: 'message_stop' }
export function stop(reason: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 5 },
    ...more,
  }
}
export function begin(index: number, block: JsonObject): JsonObject {
  return { type: 'content_block_start', index, content_block: block }
}
export function delta(index: number, value: JsonObject): JsonObject {
  return { type: 'content_block_delta', index, delta: value }
}
export function end(index: number): JsonObject {
  return { type: 'content_block_stop', index }
}
export function use(index: number, id: string, name: string): JsonObject {
  return begin(index, { type: 'tool_use', id, name, input: {} })
}
export function json(index: number, text: string): JsonObject {
  return delta(index, { type: 'input_json_delta', partial_json: text })
}

/** Without what no wire carries: who exactly signed, why a call is broken, what a tool keeps for the program. */
export function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  const node = value as { readonly [key: string]: unknown }
  const entries: [string, unknown][] = []
  for (const [key, member] of Object.entries(node)) {
    if (member === undefined || (key === 'origin' && node.role === 'assistant')) continue
    if (key === 'reason' && node.type === 'broken_call') continue
    if ((key === 'error' || key === 'artifacts') && 'callId' in node) continue
    if (key === 'recovered') continue
    if (key === 'origin' && 'data' in node) entries.push([key, { wire: (member as { wire: string }).wire }])
    else entries.push([key, key === 'extra' || key === 'data' ? member : strip(member)])
  }
  return Object.fromEntries(entries)
}
