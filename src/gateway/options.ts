// What a gateway is told: which models stand behind which names, who may ask, and how much.
import type { Wire } from '../conversation/messages.js'
import type { RequestLimits } from '../conversation/request-limits.js'
import type { FinishReason } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { endpointOf } from '../model/endpoint.js'
import { type CompatibleOptions, recordOf } from '../model/factories.js'
import type { Model } from '../model/model.js'
import type { AroundRequest } from './around.js'

/** A server that answers. Without `model` it is asked for the model the client named. */
export interface Target extends Omit<CompatibleOptions, 'model'> {
  readonly model?: string | undefined
  /** How large its share is among the targets of its route; 1. */
  readonly weight?: number | undefined
}

/** Which names of models go where. `match` may hold `*`; the first route that matches is taken. */
export interface GatewayRoute {
  readonly match: string
  /** One of these is taken by weight. */
  readonly targets: readonly (Target | Model)[]
  /** Asked in turn when the target fails before it said anything. */
  readonly fallbacks?: readonly (Target | Model)[] | undefined
}

/** Limits of one client. */
export interface KeyLimits {
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  readonly concurrency?: number | undefined
}

/** Somebody who may ask. */
export interface ClientKey extends KeyLimits {
  /** For logs and metrics; the key itself is never told. */
  readonly name: string
  readonly key: string
  /** Names of models, with `*`; all when left out. */
  readonly models?: readonly string[] | undefined
}

/** Limits of the gateway as a whole. Those of `RequestLimits` hold for each request that is translated. */
export interface GatewayLimits extends Partial<RequestLimits> {
  /** Of a request's body; 32 MiB. */
  readonly bodyBytes?: number | undefined
  /** How long a body may take to arrive; 30 s. */
  readonly bodyTimeoutMs?: number | undefined
  /** Calls on their way at once; 1,000. More are told to come again. */
  readonly concurrency?: number | undefined
  /** Conversations kept for `previous_response_id` and threads; 1,000. */
  readonly storedConversations?: number | undefined
  /** Bytes of all those together; 256 MiB. */
  readonly storedBytes?: number | undefined
}

/** One line of the log, without bodies and keys. */
export interface GatewayLogRecord {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly wire?: Wire
  readonly client?: string
  readonly model?: string
  /** The model that answered, as `name` tells it. */
  readonly target?: string
  readonly stream?: boolean
  readonly passedThrough?: boolean
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** What counts against the key's limit when the provider did not report the usage of the whole answer. */
  readonly estimatedTokens?: number
  /** How the model's answer ended. */
  readonly finishReason?: FinishReason
  readonly losses?: readonly string[]
  /** The code of the failure; also one that came in the middle of a stream. */
  readonly error?: string
  readonly message?: string
}

/** Routes, keys and limits of a gateway. */
export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[]
  /** Without keys everybody who reaches the gateway may ask. */
  readonly keys?: readonly ClientKey[] | undefined
  readonly limits?: GatewayLimits | undefined
  /** Refuses requests that would lose something on the way, instead of telling what. */
  readonly strict?: boolean | undefined
  /** Hosts by which the gateway may be addressed, on any port; the loopback ones. `*` allows all. Keeps web pages from reaching it by a name of their own. */
  readonly hosts?: readonly string[] | undefined
  /** Web pages that may ask, as origins (`https://app.example`); none. */
  readonly origins?: readonly string[] | undefined
  readonly limiter?: Limiter | undefined
  readonly log?: ((record: GatewayLogRecord) => void) | undefined
  /**
   * Gets the work that nobody waits for, counting and logging what was answered, to do it soon, in the order given, together
   * with more; at once when left out.
   */
  readonly later?: ((work: () => void) => void) | undefined
  /** Stands around each request, for tracing. */
  readonly around?: AroundRequest | undefined
}

/** Whether a call may go on now; who was let in says what it used when it is over. */
export type Admission =
  | { readonly admitted: true; release(tokens: number): Promise<void> }
  | { readonly admitted: false; readonly limit: 'requests' | 'tokens' | 'concurrency'; readonly retryAfterMs: number }

/** Counts what keys use; in memory, or shared by several gateways. */
export interface Limiter {
  admit(key: string, limits: KeyLimits): Promise<Admission>
}

export function isModel(target: Target | Model): target is Model {
  return 'complete' in target && typeof target.complete === 'function'
}

/** Tells what is wrong with the options before anything is served. */
export function checkOptions(options: GatewayOptions): void {
  const wrong = (is: boolean, message: string): void => {
    if (is) throw new ToolwireError('misuse', message)
  }
  wrong(!Array.isArray(options?.routes) || options.routes.length === 0, 'a gateway needs at least one route')
  for (const [index, route] of options.routes.entries()) {
    const where = `route ${index + 1}`
    wrong(
      typeof route.match !== 'string' || route.match === '',
      `${where} needs "match", a name of a model or a pattern`,
    )
    wrong(!Array.isArray(route.targets) || route.targets.length === 0, `${where} ("${route.match}") needs targets`)
    const check =
      (kind: string) =>
      (target: Target | Model, at: number): void =>
        checkTarget(target, `${where} ("${route.match}"), ${kind} ${at + 1}`)
    route.targets.forEach(check('target'))
    route.fallbacks?.forEach(check('fallback'))
  }
  const keys = options.keys ?? []
  wrong(new Set(keys.map(({ key }) => key)).size < keys.length, 'two client keys are the same')
  wrong(new Set(keys.map(({ name }) => name)).size < keys.length, 'two client keys have the same name')
  const short = keys.find(({ key }) => typeof key !== 'string' || key.length < 8)
  wrong(short !== undefined, `the client key "${short?.name}" is shorter than 8 characters`)
}

function checkTarget(target: Target | Model, where: string): void {
  if (isModel(target)) return
  const wrong = (is: boolean, message: string): void => {
    if (is) throw new ToolwireError('misuse', `${where}: ${message}`)
  }
  const { weight = 1, model = 'any', wire, profile, baseUrl } = target
  wrong(!(weight > 0), `its weight is ${weight}; it must be above 0`)
  wrong(baseUrl !== undefined && !isAddress(baseUrl), 'its baseUrl is no address such as http://127.0.0.1:11434')
  checkEndpoint({ ...target, model, wire, profile }, where)
}

/** Makes the endpoint of a target once; misuse is reported with the target's place. */
function checkEndpoint({ wire, profile, model, ...options }: CompatibleOptions, where: string): void {
  try {
    const { codec, record } = recordOf(wire, profile)
    endpointOf(codec, record, model, options)
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    throw new ToolwireError('misuse', `${where}: ${error.message}`, { cause: error })
  }
}

function isAddress(baseUrl: string): boolean {
  return /^https?:\/\//i.test(baseUrl) && URL.canParse(`${baseUrl}/v1`)
}
