// A model call of a client: who answers it, on the same wire or on another, and what the gateway keeps of it.
import type { ToolwireError } from '../errors/error.js'
import type { DecodedRequest, Env, HttpRequest } from '../wire/codec.js'
import { codecs, profileOf } from '../wire/index.js'
import { admitted, type Door, type Release } from './admission.js'
import type { GatewayCall, Written } from './call.js'
import { mayUse } from './clients.js'
import { refused } from './failure.js'
import { forwarded } from './forward.js'
import type { ClientKey } from './options.js'
import type { GatewayState } from './state.js'
import type { Chosen } from './targets.js'
import { translated } from './translate.js'
import type { Visit } from './visit.js'

export interface Service {
  readonly choose: (asked: string) => Chosen
  readonly state: Pick<GatewayState, 'conversations' | 'continuations'>
  readonly door: Door
  readonly strict: boolean
}

export interface Completion {
  readonly written: Written
  leave(): void
  readonly release: Release
}

/** Throws what the client is told; its place among the calls is free again then. */
export async function completion(
  service: Service,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
): Promise<Completion> {
  const { wire } = visit.route
  const codec = codecs[wire]
  const env: Env = { profile: profileOf(codec), createdSeconds: Math.floor(Date.now() / 1000), deltas: true }
  const decoded = codec.request.decode(http, env)
  const { exchange } = decoded
  const { model, stream } = exchange
  visit.facts = { ...visit.facts, wire, model, stream }
  const chosen = chosenFor(service, client, model)
  const passesThrough = canPass(chosen, decoded, client)
  visit.facts = { ...visit.facts, target: chosen.model.name, ...(passesThrough ? { passedThrough: true } : {}) }
  const release = await admitted(service.door, client)
  const leaving = new AbortController()
  try {
    const call: GatewayCall = {
      codec,
      env,
      exchange,
      http,
      requestId: visit.requestId,
      ...(passesThrough
        ? { request: decoded.request, keep: () => {} }
        : continued(service, decoded, client?.name ?? '')),
      decodingLosses: decoded.losses,
      chosen,
      strict: service.strict,
      signal: AbortSignal.any([visit.request.signal, leaving.signal]),
      progress: visit.progress,
    }
    const { endpoint } = chosen
    const written = passesThrough && endpoint !== undefined ? await forwarded(call, endpoint) : await translated(call)
    return { written, leave: () => leaving.abort(), release }
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
 * Whether a call can go on as it came: to a server of the client's wire that has no ways of its own, and whose answer tells
 * what it used where the key counts it (Chat Completions streams only tell when they are asked).
 */
function canPass({ endpoint }: Chosen, { exchange }: DecodedRequest, client: ClientKey | undefined): boolean {
  if (endpoint?.codec.wire !== exchange.wire || endpoint.env.profile !== profileOf(endpoint.codec)) return false
  const isSilent = exchange.wire === 'openai-chat' && exchange.stream && exchange.client?.includeUsage !== true
  return !(isSilent && client?.tokensPerMinute !== undefined)
}

/** The request with all that the client left with the gateway, and what keeps the answer in turn. */
function continued(
  { state: { conversations, continuations } }: Service,
  { request, exchange }: DecodedRequest,
  owner: string,
): Pick<GatewayCall, 'request' | 'keep'> {
  const call = conversations(request, exchange, owner)
  return {
    request: { ...call.request, messages: continuations.restored(call.request.messages, owner) },
    keep(response) {
      call.keep?.(response)
      continuations.remember(response.message, owner)
    },
  }
}
