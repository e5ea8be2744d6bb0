// Models by vendor: a wire, a profile, an address and a key. Everything else is the one path of `httpModel`.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { anthropicClient } from '../wire/anthropic/client.js'
import type { ClientCodec, Profile } from '../wire/codec.js'
import { geminiClient } from '../wire/gemini/client.js'
import { profileOf } from '../wire/index.js'
import { ollamaClient } from '../wire/ollama/client.js'
import { openaiChatClient } from '../wire/openai-chat/client.js'
import { openaiResponsesClient } from '../wire/openai-responses/client.js'
import { endpointOf, type ModelOptions } from './endpoint.js'
import { environment } from './environment.js'
import { httpModel } from './http-model.js'
import type { Model } from './model.js'

/** A server by its wire, and by the record of its vendor where there is one. */
export interface CompatibleOptions extends ModelOptions {
  readonly wire: Wire
  /** A vendor's record, or its name; the wire's own when left out. */
  readonly profile?: string | Profile | undefined
  readonly model: string
}

/** Makes a model of an id. Nothing is sent before the first call. */
export type ModelFactory = (model: string, options?: ModelOptions) => Model

/** OpenAI over Chat Completions. Key: `OPENAI_API_KEY`. */
export const openai: ModelFactory = (model, options) => vendorModel(openaiChatClient, 'openai', model, options)
/** OpenAI over Responses. Key: `OPENAI_API_KEY`. */
export const openaiResponses: ModelFactory = (model, options) =>
  vendorModel(openaiResponsesClient, 'openai', model, options)
/** Anthropic. Key: `ANTHROPIC_API_KEY`. */
export const anthropic: ModelFactory = (model, options) => vendorModel(anthropicClient, 'anthropic', model, options)
/** An Ollama server; `http://127.0.0.1:11434`, or `OLLAMA_HOST`. */
export const ollama: ModelFactory = (model, options = {}) =>
  vendorModel(ollamaClient, 'ollama', model, { ...options, baseUrl: options.baseUrl ?? ollamaHost() })
/** Gemini. Key: `GEMINI_API_KEY`. */
export const gemini: ModelFactory = (model, options) => vendorModel(geminiClient, 'gemini', model, options)
/** xAI. Key: `XAI_API_KEY`. */
export const xai: ModelFactory = (model, options) => vendorModel(openaiChatClient, 'xai', model, options)
/** A server on this machine that speaks Chat Completions, such as LM Studio or llama.cpp; `http://127.0.0.1:1234`. */
export const local: ModelFactory = (model, options) => vendorModel(openaiChatClient, 'lm-studio', model, options)

/** The client's half of each wire, reached when it is asked for. */
const clients: Readonly<Record<Wire, () => ClientCodec>> = {
  'openai-chat': () => openaiChatClient,
  'openai-responses': () => openaiResponsesClient,
  anthropic: () => anthropicClient,
  ollama: () => ollamaClient,
  gemini: () => geminiClient,
}

/** Any server on any wire, by the record of its vendor. */
export function compatible({ wire, profile, model, ...options }: CompatibleOptions): Model {
  const { codec, record } = recordOf(wire, profile)
  return httpModel(endpointOf(codec, record, model, options))
}

/** A wire as a client knows it and the record of a vendor on it; misuse when there is none. */
export function recordOf(wire: Wire, profile?: string | Profile): { codec: ClientCodec; record: Profile } {
  if (!Object.hasOwn(clients, wire)) {
    throw new ToolwireError('misuse', `there is no wire "${wire}"; known are ${Object.keys(clients).join(', ')}`)
  }
  const codec = clients[wire]()
  return { codec, record: typeof profile === 'object' ? profile : profileOf(codec, profile) }
}

function vendorModel(codec: ClientCodec, profile: string, model: string, options: ModelOptions = {}): Model {
  return httpModel(endpointOf(codec, profileOf(codec, profile), model, options))
}

/** The address in `OLLAMA_HOST`, which may be a bare host. */
export function ollamaHost(): string | undefined {
  const host = environment('OLLAMA_HOST')
  if (host === undefined) return undefined
  const address = host.includes('://') ? host : `http://${host}`
  return address.replace('//0.0.0.0', '//127.0.0.1')
}
