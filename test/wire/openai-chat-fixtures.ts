// What the tests of the Chat wire share: its examples, streams written by hand, and the two halves as plain functions.
import { readdirSync, readFileSync } from 'node:fs'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { Env, Exchange } from '../../src/wire/codec.js'
import { openaiChatCodec as codec } from '../../src/wire/openai-chat/index.js'
import type { ChatProfile } from '../../src/wire/openai-chat/profiles.js'

export { codec }

export const folder = new URL('../examples/openai-chat/', import.meta.url)
export const files: readonly string[] = readdirSync(folder)
export const example = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
export const profile = (name: string): ChatProfile => codec.profiles[name] as ChatProfile
export const envOf = (name = 'openai'): Env => ({
  profile: profile(name),
  createdSeconds: 1_794_700_000,
  deltas: false,
})
export const env = envOf()
export const exchange: Exchange = { wire: 'openai-chat', model: 'gpt-6-sol', stream: true }
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export function folded(events: Iterable<CompletionEvent>): Folded {
  const all = createFolder()
  for (const event of events) all.push(event)
  return all.done()
}

export function readStream(pieces: readonly Uint8Array[], given: Env = env): readonly CompletionEvent[] {
  const machine = codec.stream.decode(exchange, given)
  return [...pieces.flatMap((piece) => machine.push(piece)), ...machine.end()]
}

export function sse(chunks: readonly unknown[], done = true): string {
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}${done ? 'data: [DONE]\n\n' : ''}`
}

/** A stream of deltas with a finish, as a compatible server sends it. */
export function deltas(list: readonly object[], finish: string | null = 'tool_calls'): string {
  const chunk = (delta: object, reason: string | null): object => {
    return { id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] }
  }
  return sse([...list.map((delta) => chunk(delta, null)), ...(finish === null ? [] : [chunk({}, finish)])])
}

export function answerOf(text: string, given: Env = env): Folded {
  return folded(readStream([bytes(text)], given))
}

export function decodeRequest(body: unknown, given: Env = env, path = '/v1/chat/completions') {
  return codec.request.decode({ method: 'POST', path, headers: {}, body: JSON.stringify(body) }, given)
}

export function encodeRequest(request: CompletionRequest, given: Env = env, stream = false) {
  const { http, losses } = codec.request.encode(request, { stream }, given)
  return { body: JSON.parse(bodyText(http.body)), losses, path: http.path }
}

/** Through decode and encode once. */
export function again(body: object, given: Env = env): unknown {
  const { request, exchange: asked } = decodeRequest(body, given)
  return encodeRequest(request, given, asked.stream).body
}

export const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as const
export const weather = {
  name: 'get_weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
} as const
