// Recorded requests as HTTP requests, and through decode and encode of their own codec.
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { bodyText as textOf } from '../../src/frames/body.js'
import { parseJson } from '../../src/json/parse.js'
import type { Codec, HttpRequest } from '../../src/wire/codec.js'
import { validate as anthropic } from '../validators/anthropic.js'
import { validate as gemini } from '../validators/gemini.js'
import { validate as ollama } from '../validators/ollama.js'
import { validate as openaiChat } from '../validators/openai-chat.js'
import { validate as openaiResponses } from '../validators/openai-responses.js'
import { envOf } from './decoding.js'
import type { Exchanged } from './records.js'

const validators = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
  gemini,
} as const

const paths = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
} as const

/** The recorded request; nothing where the recording has none. */
export function httpRequestOf(codec: Codec, record: Exchanged): HttpRequest | undefined {
  const { body, path, text } = record.request
  if (body === null || body === undefined || body === '') return undefined
  return { method: 'POST', path: path ?? usualPath(codec, record), headers: {}, body: text }
}

function usualPath(codec: Codec, record: Exchanged): string {
  if (codec.wire !== 'gemini') return paths[codec.wire]
  return `/v1beta/models/${record.model ?? 'gemini-2.5-flash'}:${record.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

export function decodedRequest(codec: Codec, record: Exchanged): CompletionRequest | undefined {
  const http = httpRequestOf(codec, record)
  return http === undefined ? undefined : codec.request.decode(http, envOf(codec, record)).request
}

/** The recorded body after decode and encode, parsed with every digit. */
export function encodedAgain(codec: Codec, record: Exchanged, http: HttpRequest): unknown {
  const env = envOf(codec, record)
  const { request, exchange } = codec.request.decode(http, env)
  return parseJson(bodyText(codec.request.encode(request, { stream: exchange.stream }, env).http))
}

export function bodyText({ body }: HttpRequest): string {
  return textOf(body)
}

/** Rules of the strict validators that are stricter than what servers were recorded to do. */
const refuted: readonly { readonly problem: RegExp; readonly reason: string }[] = [
  {
    problem: /\/required: ".*" is no property$/,
    reason: 'JSON Schema allows it, no wire documents a refusal, and a server answered it: oc-weave-e925fb',
  },
]

/** What the wire's own server would refuse in a body. */
export function problemsOf(wire: Wire, body: unknown): readonly string[] {
  return validators[wire](body).filter((found) => !refuted.some(({ problem }) => problem.test(found)))
}

/** Whether the provider refused the recorded request: what is wrong at home need not be accepted elsewhere. */
export function isRefusedAtHome(record: Exchanged): boolean {
  return record.response.status >= 400
}
