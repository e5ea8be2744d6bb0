// The five codecs under law, with their surroundings, and the two directions of an exchange as plain functions.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder, type Folded } from '../../src/conversation/fold.js'
import type { Loss } from '../../src/conversation/losses.js'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolChoice } from '../../src/conversation/request.js'
import type { SealedRequest } from '../../src/conversation/seal-request.js'
import { ToolwireError } from '../../src/errors/error.js'
import { type Body, bodyText } from '../../src/frames/body.js'
import { anthropicCodec } from '../../src/wire/anthropic/index.js'
import type { Codec, Env, Exchange, HttpResponse } from '../../src/wire/codec.js'
import { geminiCodec } from '../../src/wire/gemini/index.js'
import { profileOf } from '../../src/wire/index.js'
import { ollamaCodec } from '../../src/wire/ollama/index.js'
import { openaiChatCodec } from '../../src/wire/openai-chat/index.js'
import { openaiResponsesCodec } from '../../src/wire/openai-responses/index.js'
import { validate as anthropic } from '../validators/anthropic.js'
import { validate as gemini } from '../validators/gemini.js'
import { validate as ollama } from '../validators/ollama.js'
import { validate as openaiChat } from '../validators/openai-chat.js'
import { validate as openaiResponses } from '../validators/openai-responses.js'

export interface Subject {
  readonly wire: Wire
  /** The wire, and the vendor where it is not the wire's own. */
  readonly name: string
  readonly codec: Codec
  /** As a client has it; `deltas` as the gateway has them. */
  readonly env: Env
  /** What the provider would refuse of a request body. */
  readonly validate: (body: unknown) => readonly string[]
  /** Where the terminal marker of an encoded stream begins; the last match counts. */
  readonly terminal: RegExp
}

function subject(codec: Codec, validate: Subject['validate'], terminal: RegExp, vendor?: string): Subject {
  const env: Env = { profile: profileOf(codec, vendor), createdSeconds: 1_794_700_000, deltas: true }
  const name = vendor === undefined ? codec.wire : `${codec.wire} of ${vendor}`
  return { wire: codec.wire, name, codec, env, validate, terminal }
}

const chatEnd = /"finish_reason":"/g
const anthropicEnd = /event: message_stop/g

/** Each wire as its own vendor speaks it. */
export const subjects: readonly Subject[] = [
  subject(openaiChatCodec, openaiChat, chatEnd),
  subject(openaiResponsesCodec, openaiResponses, /event: response\.(completed|incomplete|failed)/g),
  subject(anthropicCodec, anthropic, anthropicEnd),
  subject(ollamaCodec, ollama, /"done":true/g),
  subject(geminiCodec, gemini, /"finishReason":"/g),
]

function mistral(body: unknown): readonly string[] {
  return openaiChat(body, { required: 'any', callIds: /^[a-zA-Z0-9]{9}$/, thinkingParts: true })
}

/** Vendors whose flags change what is written: reasoning that is echoed, other ids, sampling parameters. */
export const vendors: readonly Subject[] = [
  ...['deepseek', 'lm-studio', 'openrouter', 'compatible'].map((name) =>
    subject(openaiChatCodec, openaiChat, chatEnd, name),
  ),
  subject(openaiChatCodec, mistral, chatEnd, 'mistral'),
  subject(anthropicCodec, (body) => anthropic(body, { version: '2023-06-01' }), anthropicEnd, 'anthropic-2023'),
  subject(geminiCodec, (body) => gemini(body, { emptyTexts: true }), /"finishReason":"/g, 'vertex'),
]

export interface Pair {
  readonly from: Subject
  readonly to: Subject
  readonly name: string
}
export const pairs: readonly Pair[] = subjects.flatMap((from) =>
  subjects.map((to) => ({ from, to, name: `${from.wire} to ${to.wire}` })),
)

/** The two halves of one exchange: what the server knows of the client's request, and what a client knows that sent no names. */
export interface Halves {
  readonly server: Exchange
  readonly client: Exchange
}

const question: CompletionRequest = {
  model: 'm-1',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ name: 'search', inputSchema: { type: 'object', properties: {} } }],
}

export function halvesOf({ codec, env }: Subject, stream: boolean, toolChoice: ToolChoice = 'auto'): Halves {
  const { http } = codec.request.encode({ ...question, toolChoice }, { stream }, env)
  const { exchange: server } = codec.request.decode(http, env)
  const client = { wire: codec.wire, model: 'm-1', provider: env.profile.name, stream }
  return { server, client: server.callAsText ? { ...client, callAsText: true } : client }
}

/** The sealed request, or nothing where the wire refuses it before the network: a typed error that is the caller's to mend. */
export function sealedOf({ codec, env }: Subject, request: CompletionRequest): SealedRequest | undefined {
  try {
    return codec.seal(request, env)
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'invalid_request') return undefined
    throw error
  }
}

const encoder = new TextEncoder()

/** The bytes a server streams for these events. */
export function streamed(
  { codec, env }: Subject,
  exchange: Exchange,
  events: readonly CompletionEvent[],
): { readonly bytes: Uint8Array; readonly losses: readonly Loss[] } {
  const machine = codec.stream.encode(exchange, env)
  let text = ''
  for (const event of events) text += machine.push(event)
  text += machine.end()
  return { bytes: encoder.encode(text), losses: machine.losses }
}

/** The events a client reads from these pieces. */
export function readStream(
  { codec, env }: Subject,
  exchange: Exchange,
  pieces: Iterable<Uint8Array>,
): readonly CompletionEvent[] {
  const machine = codec.stream.decode(exchange, env)
  const events: CompletionEvent[] = []
  for (const piece of pieces) events.push(...machine.push(piece))
  events.push(...machine.end())
  return events
}

export function readBody({ codec, env }: Subject, exchange: Exchange, http: HttpResponse): readonly CompletionEvent[] {
  return codec.response.decode(http, exchange, env)
}

export function folded(events: Iterable<CompletionEvent>): Folded {
  const folder = createFolder()
  for (const event of events) folder.push(event)
  return folder.done()
}

/** An encoded body as JSON. */
export function bodyOf(http: { readonly body: Body }): unknown {
  return JSON.parse(bodyText(http.body))
}
