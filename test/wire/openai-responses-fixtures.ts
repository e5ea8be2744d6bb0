// What the tests of the Responses wire share: the examples, an environment, and streams written by hand.
import { readdirSync, readFileSync } from 'node:fs'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { openaiResponsesCodec as codec } from '../../src/wire/openai-responses/index.js'

export const wire = 'openai-responses'
const folder = new URL('../examples/openai-responses/', import.meta.url)
export const files = readdirSync(folder)
export const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8')
export const json = (file: string): JsonObject => JSON.parse(read(file)) as JsonObject

export function env(name = 'openai', deltas = false): Env {
  const profile = codec.profiles[name]
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return { profile, createdSeconds: 1_700_000_000, deltas }
}
export const exchange: Exchange = { wire, model: 'gpt-6-sol', provider: 'openai', stream: true }
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export function fold(events: Iterable<CompletionEvent>): Folded {
  const folding = createFolder()
  for (const event of events) folding.push(event)
  return folding.done()
}
export function decodeStream(chunks: readonly (string | Uint8Array)[], deltas = false): CompletionEvent[] {
  const decoder = codec.stream.decode(exchange, env('openai', deltas))
  const events = chunks.flatMap((chunk) => [...decoder.push(typeof chunk === 'string' ? utf8(chunk) : chunk)])
  return [...events, ...decoder.end()]
}
export function decodeRequest(body: Json): CompletionRequest {
  return codec.request.decode({ method: 'POST', path: '/v1/responses', headers: {}, body: JSON.stringify(body) }, env())
    .request
}
export function encodeRequest(request: CompletionRequest, profile = 'openai', stream = false): JsonObject {
  const { body } = codec.request.encode(request, { stream }, env(profile)).http
  return JSON.parse(bodyText(body)) as JsonObject
}
/** A stream of events with the usual beginning; `type` names the SSE event too. */
export function sse(...events: readonly JsonObject[]): string {
  const created = {
    type: 'response.created',
    response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] },
  }
  return [created, ...events].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
export const completed = (output: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'm', status: 'completed', output, ...more },
})
export const added = (item: JsonObject, index: number): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
})
export const done = (item: JsonObject, index: number): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})
export const delta = (item: string, index: number, text: string): JsonObject => ({
  type: 'response.function_call_arguments.delta',
  item_id: item,
  output_index: index,
  delta: text,
})
export const call = (id: string, callId: string, text: string, more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  id,
  call_id: callId,
  name: 'add',
  arguments: text,
  ...more,
})
