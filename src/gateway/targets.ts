// From the name a client asks for to the model that answers: the route, its target by weight, its fallbacks.
import type { Wire } from '../conversation/messages.js'
import { defaultRequestLimits, noRequestLimits, type RequestLimits } from '../conversation/request-limits.js'
import { ToolwireError } from '../errors/error.js'
import { endpointOf } from '../model/endpoint.js'
import { recordOf } from '../model/factories.js'
import { fallback } from '../model/fallback.js'
import { httpModel } from '../model/http-model.js'
import type { Model } from '../model/model.js'
import type { Endpoint } from '../model/sending.js'
import { type GatewayRoute, isModel, type Target } from './options.js'
import { matches } from './pattern.js'

/** One that may answer. A model of the program's own has no endpoint: nobody knows its wire. */
export interface Candidate {
  readonly model: Model
  readonly endpoint?: Endpoint
}

/** Who is asked. With `endpoint` nobody else may have to answer, and the call can go there as it came. */
export interface Chosen extends Candidate {
  /** The target and its fallbacks. */
  readonly candidates: readonly Candidate[]
}

/** How many models are remembered with their connections' settings; names come from clients. */
const maxRemembered = 256

export function chooser(
  routes: readonly GatewayRoute[],
  random: () => number = Math.random,
  { callsPerTurn }: Pick<RequestLimits, 'callsPerTurn'> = defaultRequestLimits,
): (asked: string) => Chosen {
  // The gateway has checked the request before a target gets it.
  const requestLimits = { ...noRequestLimits, callsPerTurn }
  const remembered = new Map<Target, Map<string, Chosen>>()
  const chosenOf = (target: Target | Model, asked: string): Chosen => {
    if (isModel(target)) return alone({ model: target })
    const byName = remembered.get(target) ?? new Map<string, Chosen>()
    const known = byName.get(target.model ?? asked)
    if (known !== undefined) return known
    remembered.set(target, byName)
    const { model: id = asked, weight: _, wire, profile, ...options } = target
    const { codec, record } = recordOf(wire, profile)
    // What the wire cannot say beside something else is left out and told here, so it is not refused before the codec sees it.
    const capabilities = { structuredOutputWithTools: 'unknown', ...options.capabilities } as const
    const settings = { requestLimits, ...options, capabilities }
    const endpoint: Endpoint = { ...endpointOf(codec, record, id, settings), limitsOption: 'limits' }
    const made = alone({ model: httpModel(endpoint), endpoint })
    if (byName.size >= maxRemembered) byName.clear()
    byName.set(id, made)
    return made
  }
  return (asked) => {
    const route = routes.find(({ match }) => matches(match, asked))
    if (route === undefined) throw unknownModel(asked, routes)
    const first = chosenOf(byWeight(route.targets, random()), asked)
    if (route.fallbacks === undefined || route.fallbacks.length === 0) return first
    const candidates = [first, ...route.fallbacks.map((target) => chosenOf(target, asked))]
    return { model: fallback(candidates.map(({ model }) => model)), candidates }
  }
}

function alone(candidate: Candidate): Chosen {
  return { ...candidate, candidates: [candidate] }
}

/** The first that may answer on another wire than this one, or on one that nobody knows. */
export function foreignTo(wire: Wire, { candidates }: Chosen): Candidate | undefined {
  return candidates.find(({ endpoint }) => endpoint?.codec.wire !== wire)
}

/** The wires on which targets can be asked as they are. */
export function wiresOf(routes: readonly GatewayRoute[]): ReadonlySet<Wire> {
  return new Set(routes.flatMap(({ targets }) => targets.flatMap((target) => (isModel(target) ? [] : [target.wire]))))
}

function byWeight(targets: readonly (Target | Model)[], random: number): Target | Model {
  if (targets.length === 1) return targets[0] as Target | Model
  const weightOf = (target: Target | Model): number => (isModel(target) ? 1 : (target.weight ?? 1))
  let left = random * targets.reduce((sum, target) => sum + weightOf(target), 0)
  const taken = targets.find((target) => {
    left -= weightOf(target)
    return left < 0
  })
  return taken ?? (targets[0] as Target | Model)
}

function unknownModel(asked: string, routes: readonly GatewayRoute[]): ToolwireError {
  const names = routes.map(({ match }) => match).join(', ')
  return new ToolwireError('not_found', `this gateway has no model "${asked}"; it serves ${names}`)
}
