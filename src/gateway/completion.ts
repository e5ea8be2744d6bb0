// A model call of a client: who answers it, on the same wire or on another, and what the gateway keeps of it.

import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { checkRequestLimits, type RequestLimits } from '../conversation/request-limits.js'
import type { ToolwireError } from '../errors/error.js'
import type { Endpoint } from '../model/sending.js'
import type { DecodedRequest, Env, Exchange, HttpRequest } from '../wire/codec.js'
import { codecs, profileOf } from '../wire/index.js'
import { askedOf, type NamedBody, toolsWith } from './asked.js'
import type { GatewayCall, Leg, Written } from './call.js'
import { mayUse } from './clients.js'
import { failureOf, providerFailure, refused } from './failure.js'
import { forwarded } from './forward.js'
import type { ClientKey } from './options.js'
import { checkOwner, type Owners, storesAnswers } from './owners.js'
import { refuseForeignState } from './references.js'
import type { GatewayState } from './state.js'
import { type Chosen, foreignTo } from './targets.js'
import { hasThinkingToken, withoutThinkingTokens } from './thinking-tokens.js'
import { translated } from './translate.js'
import type { Visit } from './visit.js'

export interface Service {
  readonly choose: (asked: string) => Chosen
  /** The wires on which targets can be asked, so that a call may stay on its own. */
  readonly targetWires: ReadonlySet<Wire>
  readonly state: Pick<GatewayState, 'conversations' | 'continuations'>
  readonly strict: boolean
  readonly requestLimits: RequestLimits
  /** Where several keys share the providers' accounts: who may come back to what. */
  readonly owners: Owners | undefined
}

/** Throws what the client is told, or rejects with it. */
export function completion(
  service: Service,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
): Promise<Written> {
  const { wire } = visit.route
  const codec = codecs[wire]
  const env: Env = { profile: profileOf(codec), createdSeconds: Math.floor(Date.now() / 1000), deltas: true }
  const asked = askedOf(wire, http)
  const read = asked !== undefined && service.targetWires.has(wire) ? undefined : codec.request.decode(http, env)
  if (asked === undefined)
    throw refused(400, 'invalid_request', 'the request body must be a JSON object that names a model')
  const { exchange } = asked
  const { facts, requestId, progress } = visit
  const isMetered = client?.tokensPerMinute !== undefined
  facts.wire = wire
  facts.stream = exchange.stream
  const chosen = chosenFor(service, visit, client, exchange.model)
  facts.target = chosen.model.name
  if (client?.models !== undefined) checkToolModels(client, asked.body)
  const { signal } = visit.arrival
  const failed = (error: unknown): never => {
    throw providerFailure(error, signal)
  }
  const owner = client?.name ?? ''
  const owners = storesAnswers(wire) ? service.owners : undefined
  if (owners !== undefined && foreignTo(wire, chosen) === undefined) checkOwner(wire, asked.body, owners, owner)
  const hasToken = wire === 'anthropic' && hasThinkingToken(http.body as string)
  const endpoint = hasToken ? undefined : passingEndpoint(chosen, exchange)
  if (endpoint !== undefined) {
    facts.passedThrough = true
    const leg: Leg = { codec, env, exchange, http, requestId, owner, owners, signal, progress, isMetered }
    return forwarded(leg, endpoint, asked.body).catch(failed)
  }
  const decoded = read ?? codec.request.decode(http, env)
  const { request, keep, keepsSignatures } = continued(service, decoded, chosen, owner)
  checkSize(request, service.requestLimits)
  const { strict } = service
  // Written out: to copy a leg and add to it costs as much as the rest here.
  return translated({
    codec,
    env,
    exchange: decoded.exchange,
    http,
    requestId,
    owner,
    owners,
    signal,
    progress,
    isMetered,
    request,
    keep,
    keepsSignatures,
    decodingLosses: decoded.losses,
    chosen,
    strict,
  }).catch(failed)
}

/** Refuses a request with a list that is longer than the gateway takes. */
function checkSize(request: CompletionRequest, limits: RequestLimits): void {
  try {
    checkRequestLimits(request, limits, 'limits')
  } catch (error) {
    const { code, message, detail } = failureOf(error)
    throw refused(413, code, message, { detail })
  }
}

/** Longer ones are no names: they would be logged, and remembered. */
const maxNameLength = 1_024
/** What no name has, and what servers read differently. */
const unreadable = /\p{Cc}/u

/** The model behind a name, for a client who may use it. */
export function chosenFor(
  { choose }: Pick<Service, 'choose'>,
  { facts }: Visit,
  client: ClientKey | undefined,
  model: string,
): Chosen {
  if (model.length > maxNameLength) {
    throw refused(400, 'invalid_request', `the model's name has ${model.length} characters, ${maxNameLength} are taken`)
  }
  if (model === '' || !model.isWellFormed() || unreadable.test(model)) {
    throw refused(400, 'invalid_request', "the model's name must be text without control characters")
  }
  facts.model = model
  if (!mayUse(client, model)) throw forbidden(model)
  return choose(model)
}

/** Tools that a provider runs may ask a model of their own. */
function checkToolModels(client: ClientKey, body: NamedBody): void {
  for (const { model } of toolsWith(body, 'model')) {
    if (typeof model === 'string' && !mayUse(client, model)) throw forbidden(model)
  }
}

function forbidden(model: string): ToolwireError {
  return refused(403, 'permission', `this key may not use the model "${model}"`)
}

/** Where a call can go on as it came: to a server of the client's wire that has no ways of its own. */
function passingEndpoint({ endpoint }: Chosen, { wire }: Exchange): Endpoint | undefined {
  const passes = endpoint?.codec.wire === wire && endpoint.env.profile === profileOf(endpoint.codec)
  return passes ? endpoint : undefined
}

/** The request with all that the client left with the gateway, and what keeps the answer in turn. */
function continued(
  { state: { conversations, continuations }, owners }: Service,
  { request: given, exchange }: DecodedRequest,
  chosen: Chosen,
  owner: string,
): Pick<GatewayCall, 'request' | 'keep' | 'keepsSignatures'> {
  const told = withoutThinkingTokens(given.messages)
  const request = told === given.messages ? given : { ...given, messages: told }
  const foreign = foreignTo(exchange.wire, chosen)
  if (foreign !== undefined) refuseForeignState(request, exchange.wire, foreign)
  const call = conversations(request, exchange, owner, foreign === undefined)
  const messages = continuations.restored(call.request.messages, owner)
  return {
    request: messages === call.request.messages ? call.request : { ...call.request, messages },
    keep(response, items) {
      call.keep?.(response, items)
      owners?.remember(owner, [response.id, ...(items ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))])
      continuations.remember(response.message, owner)
    },
    keepsSignatures: (response) => continuations.keeps(response.message),
  }
}
