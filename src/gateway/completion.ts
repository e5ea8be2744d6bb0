// A model call of a client: who answers it, on the same wire or on another, and what the gateway keeps of it.

import type { Wire } from '../conversation/messages.js'
import type { ToolwireError } from '../errors/error.js'
import type { Endpoint } from '../model/sending.js'
import type { DecodedRequest, Env, Exchange, HttpRequest } from '../wire/codec.js'
import { codecs, profileOf } from '../wire/index.js'
import { admitted, type Door, type Release } from './admission.js'
import { askedOf } from './asked.js'
import type { GatewayCall, Leg, Written } from './call.js'
import { mayUse } from './clients.js'
import { refused } from './failure.js'
import { forwarded } from './forward.js'
import type { ClientKey } from './options.js'
import { refuseForeignState } from './references.js'
import type { GatewayState } from './state.js'
import type { Chosen } from './targets.js'
import { translated } from './translate.js'
import type { Visit } from './visit.js'

export interface Service {
  readonly choose: (asked: string) => Chosen
  /** The wires on which targets can be asked, so that a call may stay on its own. */
  readonly targetWires: ReadonlySet<Wire>
  readonly state: Pick<GatewayState, 'conversations' | 'continuations'>
  readonly door: Door
  readonly strict: boolean
}

export interface Completion {
  readonly written: Written
  readonly release: Release
}

/** Throws what the client is told, or rejects with it; its place among the calls is free again then. */
export function completion(
  service: Service,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
): Promise<Completion> {
  const { wire } = visit.route
  const codec = codecs[wire]
  const env: Env = { profile: profileOf(codec), createdSeconds: Math.floor(Date.now() / 1000), deltas: true }
  const asked = service.targetWires.has(wire) ? askedOf(wire, http) : undefined
  const read = asked === undefined ? codec.request.decode(http, env) : undefined
  const { exchange } = asked ?? (read as DecodedRequest)
  const { facts, requestId, progress } = visit
  facts.wire = wire
  facts.model = exchange.model
  facts.stream = exchange.stream
  const chosen = chosenFor(service, client, exchange.model)
  facts.target = chosen.model.name
  const { signal } = visit.arrival
  const endpoint = passingEndpoint(chosen, exchange, client)
  if (endpoint !== undefined) {
    facts.passedThrough = true
    const leg: Leg = { codec, env, exchange, http, requestId, signal, progress }
    return admittedTo(service, client, () => forwarded(leg, endpoint, asked?.body))
  }
  const decoded = read ?? codec.request.decode(http, env)
  return admittedTo(service, client, () => {
    const { request, keep } = continued(service, decoded, chosen, client?.name ?? '')
    const { exchange, losses: decodingLosses } = decoded
    const { strict } = service
    // Written out: to copy a leg and add to it costs as much as the rest here.
    return translated({
      codec,
      env,
      exchange,
      http,
      requestId,
      signal,
      progress,
      request,
      keep,
      decodingLosses,
      chosen,
      strict,
    })
  })
}

async function admittedTo(
  { door }: Service,
  client: ClientKey | undefined,
  ask: () => Promise<Written>,
): Promise<Completion> {
  const admission = admitted(door, client)
  const release = admission instanceof Promise ? await admission : admission
  try {
    return { written: await ask(), release }
  } catch (error) {
    await release(0)
    throw error
  }
}

/** The model behind a name, for a client who may use it. */
export function chosenFor({ choose }: Pick<Service, 'choose'>, client: ClientKey | undefined, model: string): Chosen {
  if (!mayUse(client, model)) throw forbidden(model)
  return choose(model)
}

function forbidden(model: string): ToolwireError {
  return refused(403, 'permission', `this key may not use the model "${model}"`)
}

/**
 * Where a call can go on as it came: to a server of the client's wire that has no ways of its own, and whose answer tells
 * what it used where the key counts it (Chat Completions streams only tell when they are asked).
 */
function passingEndpoint(
  { endpoint }: Chosen,
  exchange: Exchange,
  client: ClientKey | undefined,
): Endpoint | undefined {
  if (endpoint?.codec.wire !== exchange.wire || endpoint.env.profile !== profileOf(endpoint.codec)) return undefined
  const isSilent = exchange.wire === 'openai-chat' && exchange.stream && exchange.client?.includeUsage !== true
  return isSilent && client?.tokensPerMinute !== undefined ? undefined : endpoint
}

/** The request with all that the client left with the gateway, and what keeps the answer in turn. */
function continued(
  { state: { conversations, continuations } }: Service,
  { request, exchange }: DecodedRequest,
  chosen: Chosen,
  owner: string,
): Pick<GatewayCall, 'request' | 'keep'> {
  const isHome = chosen.wire === exchange.wire
  if (!isHome) refuseForeignState(request, exchange.wire, chosen)
  const call = conversations(request, exchange, owner, isHome)
  const messages = continuations.restored(call.request.messages, owner)
  return {
    request: messages === call.request.messages ? call.request : { ...call.request, messages },
    keep(response, items) {
      call.keep?.(response, items)
      continuations.remember(response.message, owner)
    },
  }
}
