// What the Gemini tests share: an environment, and a request or response without what no wire carries.

import { expect } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import { applyLosses } from '../../src/conversation/losses.js'
import type { Message } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { EncodedRequest, Env, Exchange } from '../../src/wire/codec.js'
import { geminiCodec as codec } from '../../src/wire/gemini/index.js'
import { profileOf } from '../../src/wire/index.js'

export function envOf(profile = 'gemini', deltas = false): Env {
  return { profile: profileOf(codec, profile), createdSeconds: 1_700_000_000, deltas }
}

export const exchange: Exchange = { wire: 'gemini', model: 'gemini-3.8-flash', stream: false }
export const streaming: Exchange = { ...exchange, stream: true, client: { alt: 'sse' } }

export function bodyOf(encoded: EncodedRequest): string {
  const { body } = encoded.http
  return bodyText(body)
}

export function folded(events: readonly CompletionEvent[]): Folded {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done()
}

/** The events of a stream, its bytes cut at the given places. */
export function streamed(text: string, cuts: readonly number[] = [], env: Env = envOf()): readonly CompletionEvent[] {
  const bytes = new TextEncoder().encode(text)
  const decoder = codec.stream.decode(streaming, env)
  const events: CompletionEvent[] = []
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    events.push(...decoder.push(bytes.subarray(from, cut)))
    from = cut
  }
  events.push(...decoder.end())
  return events
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
    else entries.push([key, key === 'extra' ? member : strip(member)])
  }
  return Object.fromEntries(entries)
}

export const path = '/v1beta/models/gemini-3.8-flash:generateContent'
export const user: Message = { role: 'user', content: [{ type: 'text', text: 'Weather?' }] }
export function decoded(body: Json, where: string = path): CompletionRequest {
  return codec.request.decode({ method: 'POST', path: where, headers: {}, body: JSON.stringify(body) }, envOf()).request
}
export function encoded(request: CompletionRequest, profile = 'gemini'): { [key: string]: Json } {
  return JSON.parse(bodyOf(codec.request.encode(request, { stream: false }, envOf(profile)))) as { [key: string]: Json }
}
/** Encodes and reads back: the losses must say all that is different. */
export function exact(request: CompletionRequest): readonly string[] {
  const { request: sealed } = codec.seal(request, envOf())
  const { http, losses } = codec.request.encode(sealed, { stream: false }, envOf())
  expect(strip(codec.request.decode(http, envOf()).request)).toEqual(strip(applyLosses(sealed, losses)))
  return losses.map((loss) => loss.path)
}
/** A request body that must come back as it is. */
export function same(body: JsonObject, where = path): CompletionRequest {
  const request = decoded(body, where)
  expect(encoded(request)).toEqual(body)
  return request
}
export const contents: readonly JsonObject[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }]
