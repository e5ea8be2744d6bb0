// Any client in, any provider out: one function from a request to its answer, in the web's own forms or in plain ones.
// The route names the client's wire; the model's name decides who answers, on the same wire or on another.
import { readRequestLimits } from '../conversation/request-limits.js'
import { ToolwireError } from '../errors/error.js'
import type { HttpRequest } from '../wire/codec.js'
import { listing } from '../wire/listings.js'
import type { Route } from '../wire/routes.js'
import { admitted, type Door, type Release } from './admission.js'
import { answerOf, jsonAnswer, preflight, textAnswer } from './answer.js'
import { servedAround } from './around.js'
import type { Answer, Arrival, Handler } from './arrival.js'
import type { Written } from './call.js'
import { clientsOf, mayUse } from './clients.js'
import { chosenFor, completion, type Service } from './completion.js'
import { failureOf, refused, writeFailure } from './failure.js'
import { type ClientKey, checkOptions, type GatewayLogRecord, type GatewayOptions } from './options.js'
import { type BodyCaps, receive, senderCheck } from './received.js'
import { type GatewayState, gatewayState } from './state.js'
import { chooser, wiresOf } from './targets.js'
import { countedTokens } from './token-count.js'
import { finish, recordOf, tokensUsed, type Visit, visitOf } from './visit.js'
import { webGateway } from './web.js'

type KnownRoute = Exclude<Route, { kind: 'unknown' }>

/** A function from a request to its answer; it never rejects. */
export type Gateway = (request: Request) => Promise<Response>

/** A gateway, for servers of both kinds. */
export interface CreatedGateway extends Gateway {
  /** The same without the web's objects, which cost more than the answer; for servers that have others. */
  readonly handle: Handler
}

/** What all calls of a gateway have in common. */
interface Frame extends Service {
  readonly door: Door
  readonly options: GatewayOptions
  readonly checkSender: ReturnType<typeof senderCheck>
  readonly clientOf: (arrival: Arrival) => ClientKey | undefined
  readonly state: GatewayState
  readonly caps: BodyCaps
}

/**
 * A gateway over the given routes. It holds no sockets and no timers of its own: dropping it is enough. When the options
 * change, the next gateway goes on with the `state` of the one before.
 */
export function createGateway(
  options: GatewayOptions,
  state: GatewayState = gatewayState(options?.limits),
): CreatedGateway {
  checkOptions(options)
  const { keys = [], routes, limits = {}, strict = false, limiter = state.limiter, hosts = [], origins = [] } = options
  const requestLimits = readRequestLimits(limits, 'limits')
  const frame: Frame = {
    options,
    requestLimits,
    checkSender: senderCheck(hosts, origins),
    clientOf: clientsOf(keys),
    choose: chooser(routes, Math.random, requestLimits),
    targetWires: wiresOf(routes),
    state,
    door: {
      metrics: state.metrics,
      limiter,
      concurrency: limits.concurrency ?? 1_000,
      slots: state.slots,
      keyCount: keys.length,
    },
    owners: keys.length > 1 ? state.owners : undefined,
    strict,
    caps: { bytes: limits.bodyBytes ?? 32 * 1_048_576, timeoutMs: limits.bodyTimeoutMs ?? 30_000 },
  }
  const handle: Handler = (arrival) =>
    servedAround(
      options.around,
      () => ({ method: arrival.method, path: arrival.path, headers: arrival.headers }),
      (over) => serve(frame, arrival, over),
    )
  return Object.assign(webGateway(handle), { handle })
}

async function serve(
  frame: Frame,
  arrival: Arrival,
  over: ((record: GatewayLogRecord) => void) | undefined,
): Promise<Answer> {
  const { method, path, headers } = arrival
  const visit = visitOf(arrival, over)
  const { route } = visit
  let place: Release | undefined
  try {
    visit.origin = frame.checkSender(headers)
    if (method === 'OPTIONS') return answered(frame, visit, preflight(headers))
    const isReading = method === 'GET' || method === 'HEAD'
    if (isReading && path === '/healthz') return answered(frame, visit, jsonAnswer({ status: 'ok' }))
    const client = frame.clientOf(arrival)
    if (client !== undefined) visit.facts.client = client.name
    if (isReading && path === '/metrics') {
      await caughtUp(frame.options)
      return answered(frame, visit, textAnswer(frame.state.metrics.text()))
    }
    if (route.kind === 'unknown') throw noRoute(arrival, route)
    const admission = admitted(frame.door, client, route.kind === 'completion' || route.kind === 'token_count')
    place = admission instanceof Promise ? await admission : admission
    const http = await receive(arrival, frame.caps)
    const written =
      route.kind === 'completion'
        ? await completion(frame, visit, client, http)
        : await listed(frame, visit, client, http, route)
    return answered(frame, visit, written, place)
  } catch (error) {
    const failure = failureOf(error, arrival.signal)
    visit.progress.error = failure.code
    visit.progress.message = failure.message
    const written = writeFailure(failure, route.wire)
    const told = arrival.signal.aborted ? { ...written, status: leftStatus(arrival.signal) } : written
    return answered(frame, visit, told, place)
  }
}

/** For the log alone, nobody is there to get it: the gateway was stopped, or the client left, which other servers tell like this. */
function leftStatus({ reason }: AbortSignal): number {
  return ToolwireError.is(reason) ? 503 : 499
}

function noRoute({ method, path }: Arrival, { wrongMethod }: { readonly wrongMethod: boolean }): ToolwireError {
  return refused(wrongMethod ? 405 : 404, 'not_found', `there is no route ${method} ${path} on this gateway`)
}

async function listed(
  frame: Frame,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
  route: Exclude<KnownRoute, { kind: 'completion' }>,
): Promise<Written> {
  if (route.kind === 'token_count') return countedTokens(frame, visit, client, http, route)
  if (route.kind === 'listed_model') chosenFor(frame, visit, client, route.model) // or it throws that there is none
  const body = listing(route, { models: modelsFor(frame, client), inputTokens: 0 })
  return typeof body === 'string' ? textAnswer(body) : jsonAnswer(body)
}

/** Names without `*` that the client may use. */
function modelsFor({ options }: Frame, client: ClientKey | undefined): readonly string[] {
  return options.routes.flatMap(({ match }) => (match.includes('*') || !mayUse(client, match) ? [] : [match]))
}

/** The answer; when its last byte is gone, the visit is told to log, metrics and whoever stands around it. */
function answered({ state, options }: Frame, visit: Visit, written: Written, place?: Release): Answer {
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    finish(visit, written.status)
    if (place !== undefined) freed(place, visit)
    const tell = teller(state, options, visit)
    if (options.later === undefined || visit.over !== undefined) tell()
    else options.later(tell)
  }
  return answerOf(visit, written, over)
}

function freed(place: Release, visit: Visit): void {
  const tokens = visit.facts.client === undefined ? 0 : tokensUsed(visit)
  place(tokens)?.catch(() => {}) // the limiter is away; the next call finds out
}

/** What was put off before is done: the counts are those of all calls that were answered. */
function caughtUp({ later }: GatewayOptions): Promise<void> {
  return new Promise((resolve) => {
    if (later === undefined) resolve()
    else later(resolve)
  })
}

/** What waits to be told must not hold the request and its answer. */
function teller({ metrics }: GatewayState, { log }: GatewayOptions, { facts, progress, over }: Visit): () => void {
  return () => {
    const record = recordOf(facts, progress)
    metrics.record(record)
    log?.(record)
    over?.(record)
  }
}
