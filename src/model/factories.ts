// Models by vendor: a wire, a profile, an address and a key. Everything else is the one path of `httpModel`.
import { transport as platformTransport } from '#transport'
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { type Deadlines, defaultDeadlines } from '../transport/deadlines.js'
import { fetchTransport } from '../transport/fetch.js'
import { defaultRetryPolicy, type RetryBudget, retryBudget } from '../transport/retry.js'
import type { Transport } from '../transport/transport.js'
import { anthropicCodec } from '../wire/anthropic/index.js'
import type { Codec, Profile } from '../wire/codec.js'
import { geminiCodec } from '../wire/gemini/index.js'
import { codecs, profileOf } from '../wire/index.js'
import { ollamaCodec } from '../wire/ollama/index.js'
import { openaiChatCodec } from '../wire/openai-chat/index.js'
import { openaiResponsesCodec } from '../wire/openai-responses/index.js'
import { unknownCapabilities, wireCapabilities } from './capabilities.js'
import { environment } from './environment.js'
import { type Endpoint, httpModel, type Retry } from './http-model.js'
import type { Capabilities, Model } from './model.js'
import { secretsIn } from './secrets.js'

export interface ModelOptions extends Partial<Deadlines> {
  /** Where the provider listens, with or without the version in its path; the vendor's own address when left out. */
  readonly baseUrl?: string | undefined
  /** The key; the vendor's usual environment variable when left out. */
  readonly apiKey?: string | undefined
  /** Sent with every call; they win over the ones made here. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Used instead of the platform's own way to send HTTP. */
  readonly fetch?: typeof fetch | undefined
  readonly transport?: Transport | undefined
  /** How often a call is sent again when that may help; 2. */
  readonly retries?: number | undefined
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** What is known better than by the vendor's record. */
  readonly capabilities?: Partial<Capabilities> | undefined
}
export interface CompatibleOptions extends ModelOptions {
  readonly wire: Wire
  /** A vendor's record, or its name; the wire's own when left out. */
  readonly profile?: string | Profile | undefined
  readonly model: string
}

export type ModelFactory = (model: string, options?: ModelOptions) => Model

/** OpenAI over Chat Completions. Key: `OPENAI_API_KEY`. */
export const openai: ModelFactory = (model, options) => vendorModel(openaiChatCodec, 'openai', model, options)
/** OpenAI over Responses. Key: `OPENAI_API_KEY`. */
export const openaiResponses: ModelFactory = (model, options) =>
  vendorModel(openaiResponsesCodec, 'openai', model, options)
/** Anthropic. Key: `ANTHROPIC_API_KEY`. */
export const anthropic: ModelFactory = (model, options) => vendorModel(anthropicCodec, 'anthropic', model, options)
/** An Ollama server; `http://127.0.0.1:11434`, or `OLLAMA_HOST`. */
export const ollama: ModelFactory = (model, options = {}) =>
  vendorModel(ollamaCodec, 'ollama', model, { ...options, baseUrl: options.baseUrl ?? ollamaHost() })
/** Gemini. Key: `GEMINI_API_KEY`. */
export const gemini: ModelFactory = (model, options) => vendorModel(geminiCodec, 'gemini', model, options)
/** xAI. Key: `XAI_API_KEY`. */
export const xai: ModelFactory = (model, options) => vendorModel(openaiChatCodec, 'xai', model, options)
/** A server on this machine that speaks Chat Completions, such as LM Studio or llama.cpp; `http://127.0.0.1:1234`. */
export const local: ModelFactory = (model, options) => vendorModel(openaiChatCodec, 'lm-studio', model, options)

/** Any server on any wire, by the record of its vendor. */
export function compatible({ wire, profile, model, ...options }: CompatibleOptions): Model {
  const codec = codecs[wire]
  if (codec === undefined) {
    throw new ToolwireError('misuse', `there is no wire "${wire}"; known are ${Object.keys(codecs).join(', ')}`)
  }
  const record = typeof profile === 'object' ? profile : profileOf(codec, profile)
  return httpModel(endpointOf(codec, record, model, options))
}

function vendorModel(codec: Codec, profile: string, model: string, options: ModelOptions = {}): Model {
  return httpModel(endpointOf(codec, profileOf(codec, profile), model, options))
}

function endpointOf(codec: Codec, profile: Profile, model: string, options: ModelOptions): Endpoint {
  if (typeof model !== 'string' || model === '')
    throw new ToolwireError('misuse', `${profile.name} needs the id of a model`)
  const baseUrl = options.baseUrl ?? profile.baseUrl
  if (baseUrl === undefined) throw new ToolwireError('misuse', `${profile.name} needs a baseUrl`)
  const apiKey = options.apiKey ?? (profile.keyVariable === undefined ? undefined : environment(profile.keyVariable))
  const headers = { ...authHeaders(profile, apiKey), ...lowerCase(options.headers ?? {}) }
  return {
    name: `${profile.name}:${model}`,
    model,
    codec,
    env: { profile, createdSeconds: 0, deltas: false },
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers,
    ...(needsKey(profile, options) && apiKey === undefined ? { missingKey: missingKey(profile) } : {}),
    secrets: [...secretsIn(headers), ...(apiKey === undefined ? [] : [apiKey])],
    transport: options.transport ?? (options.fetch === undefined ? platformTransport : fetchTransport(options.fetch)),
    deadlines: deadlinesOf(options),
    retry: { ...defaultRetryPolicy, retries: options.retries ?? defaultRetryPolicy.retries },
    budget: budgetOf(baseUrl),
    onRetry: options.onRetry,
    capabilities: {
      ...(profile.described === false ? unknownCapabilities : wireCapabilities[codec.wire]),
      ...options.capabilities,
    },
  }
}

/** A server at an address of the caller's own may need no key; the vendor's own always does. */
function needsKey(profile: Profile, options: ModelOptions): boolean {
  const authorised = Object.keys(options.headers ?? {}).some((name) =>
    /^(authorization|x-api-key|api-key|x-goog-api-key)$/i.test(name),
  )
  return profile.auth !== undefined && profile.auth !== 'none' && options.baseUrl === undefined && !authorised
}

function missingKey(profile: Profile): string {
  const variable = profile.keyVariable === undefined ? '' : `set ${profile.keyVariable} or `
  return `there is no key for ${profile.name}; ${variable}pass apiKey`
}

function authHeaders(profile: Profile, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {}
  switch (profile.auth) {
    case 'x-api-key':
    case 'api-key':
    case 'x-goog-api-key':
      return { [profile.auth]: apiKey }
    default:
      return { authorization: `Bearer ${apiKey}` }
  }
}

function deadlinesOf(options: ModelOptions): Deadlines {
  const limits = {
    headersTimeoutMs: options.headersTimeoutMs ?? defaultDeadlines.headersTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultDeadlines.idleTimeoutMs,
    timeoutMs: options.timeoutMs ?? defaultDeadlines.timeoutMs,
    maxBodyBytes: options.maxBodyBytes ?? defaultDeadlines.maxBodyBytes,
  }
  const wrong = Object.entries(limits).find(([, value]) => !(value > 0))
  if (wrong !== undefined) throw new ToolwireError('misuse', `${wrong[0]} must be a number above 0`)
  return limits
}

/** One budget of retries for every address, shared by all models there. */
const budgets = new Map<string, RetryBudget>()

function budgetOf(baseUrl: string): RetryBudget {
  const known = budgets.get(baseUrl)
  if (known !== undefined) return known
  const budget = retryBudget()
  budgets.set(baseUrl, budget)
  return budget
}

/** The address in `OLLAMA_HOST`, which may be a bare host. */
export function ollamaHost(): string | undefined {
  const host = environment('OLLAMA_HOST')
  if (host === undefined) return undefined
  const address = host.includes('://') ? host : `http://${host}`
  return address.replace('//0.0.0.0', '//127.0.0.1')
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
