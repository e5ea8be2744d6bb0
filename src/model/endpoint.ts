// Where a model is: a wire, a vendor's record, an address and a key become one endpoint, checked before anything is sent.
import { transport as platformTransport } from '#transport'
import { type RequestLimits, readRequestLimits } from '../conversation/request-limits.js'
import { ToolwireError } from '../errors/error.js'
import { type Deadlines, defaultDeadlines, withDeadlines } from '../transport/deadlines.js'
import { fetchTransport } from '../transport/fetch.js'
import { defaultRetryPolicy, type RetryBudget, retryBudget } from '../transport/retry.js'
import type { Transport } from '../transport/transport.js'
import type { ClientCodec, Profile } from '../wire/codec.js'
import { knownCapabilities } from './capabilities.js'
import { environment } from './environment.js'
import type { Capabilities } from './model.js'
import { secretsIn } from './secrets.js'
import type { Endpoint, Retry } from './sending.js'

/** How a model is reached. Everything has a default: address and key are those of the vendor. */
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
  /**
   * `recover`: calls that a local model writes into its text instead of making them are made, for declared tools only, and
   * carry `recovered: true`. Off unless asked for: text of an answer, which may quote anybody, then decides what runs.
   */
  readonly textCalls?: 'recover' | undefined
  /** What is known better than by the vendor's record. */
  readonly capabilities?: Partial<Capabilities> | undefined
  /** How much a request and an answer may hold, beyond which the call fails with `limit_exceeded`. Defaults: see `RequestLimits`. */
  readonly requestLimits?: Partial<RequestLimits> | undefined
}

/** The endpoint of a model; misuse is told here, a missing key when the first call is made. */
export function endpointOf(codec: ClientCodec, profile: Profile, model: string, options: ModelOptions): Endpoint {
  if (typeof model !== 'string' || model === '')
    throw new ToolwireError('misuse', `${profile.name} needs the id of a model`)
  const baseUrl = options.baseUrl ?? profile.baseUrl
  if (baseUrl === undefined) throw new ToolwireError('misuse', `${profile.name} needs a baseUrl`)
  const apiKey = options.apiKey ?? (profile.keyVariable === undefined ? undefined : environment(profile.keyVariable))
  const deadlines = deadlinesOf(options)
  const headers = { ...authHeaders(profile, apiKey), ...lowerCase(options.headers ?? {}) }
  checkHeaders(apiKey, options.headers ?? {})
  return {
    name: `${profile.name}:${model}`,
    model,
    codec,
    env: { profile, createdSeconds: 0, deltas: false },
    addressOf: addressesAt(baseUrl.replace(/\/+$/, '')),
    headers,
    ...(needsKey(profile, options) && apiKey === undefined ? { missingKey: missingKey(profile) } : {}),
    secrets: [...secretsIn(headers), ...(apiKey === undefined ? [] : [apiKey])],
    transport: withDeadlines(transportOf(options), deadlines),
    deadlines,
    retry: { ...defaultRetryPolicy, retries: options.retries ?? defaultRetryPolicy.retries },
    budget: budgetOf(baseUrl),
    onRetry: options.onRetry,
    textCalls: options.textCalls,
    requestLimits: readRequestLimits(options.requestLimits, 'requestLimits'),
    capabilities: {
      ...knownCapabilities(codec.wire, profile, model),
      ...options.capabilities,
    },
  }
}

function transportOf({ transport, fetch }: ModelOptions): Transport {
  return transport ?? (fetch === undefined ? platformTransport : fetchTransport(fetch))
}

/** Addresses under a base address: a version that it ends with is not said twice. Most calls have the path of the one before. */
function addressesAt(baseUrl: string): (path: string) => string {
  let known = ''
  let address = baseUrl
  return (path) => {
    if (path === known) return address
    const version = /^\/v\d[a-z0-9]*(?=\/)/.exec(path)?.[0]
    known = path
    address = version !== undefined && baseUrl.endsWith(version) ? baseUrl + path.slice(version.length) : baseUrl + path
    return address
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

/** A header that can't be sent would fail each call, and look like a connection that failed. The value may be a key: it is not shown. */
function checkHeaders(apiKey: string | undefined, headers: Readonly<Record<string, string>>): void {
  const refuse = (what: string): never => {
    throw new ToolwireError('misuse', `${what} holds a character that HTTP headers can't have, such as a line break`)
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !isHeaderValue(value)) refuse(`the header ${JSON.stringify(name)}`)
  }
  if (apiKey !== undefined && !isHeaderValue(apiKey)) refuse('apiKey')
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

/** An answer that is not streamed begins when it is whole: whoever gives a call more time gives it to the headers too. */
function deadlinesOf(options: ModelOptions): Deadlines {
  const { headersTimeoutMs, idleTimeoutMs = 0, timeoutMs = 0 } = options
  const limits = {
    headersTimeoutMs: headersTimeoutMs ?? Math.max(defaultDeadlines.headersTimeoutMs, idleTimeoutMs, timeoutMs),
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

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
