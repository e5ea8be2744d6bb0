// From the name a client asks for to the model that answers: the route, its target by weight, its fallbacks.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { endpointOf } from '../model/endpoint.js'
import { recordOf } from '../model/factories.js'
import { fallback } from '../model/fallback.js'
import { httpModel } from '../model/http-model.js'
import type { Model } from '../model/model.js'
import type { Endpoint } from '../model/sending.js'
import { type GatewayRoute, isModel, type Target } from './options.js'
import { matches } from './pattern.js'

export interface Chosen {
  readonly model: Model
  /** Where the call can go as it came; absent when another wire or a fallback may have to answer. */
  readonly endpoint?: Endpoint
  /** The wire on which the call is answered, whoever answers it; absent when that is not known before. */
  readonly wire?: Wire | undefined
}

/** How many models are remembered with their connections' settings; names come from clients. */
const maxRemembered = 256

export function chooser(
  routes: readonly GatewayRoute[],
  random: () => number = Math.random,
): (asked: string) => Chosen {
  const remembered = new Map<Target, Map<string, Chosen>>()
  const chosenOf = (target: Target | Model, asked: string): Chosen => {
    if (isModel(target)) return { model: target }
    const byName = remembered.get(target) ?? new Map<string, Chosen>()
    const known = byName.get(target.model ?? asked)
    if (known !== undefined) return known
    remembered.set(target, byName)
    const { model: id = asked, weight: _, wire, profile, ...options } = target
    const { codec, record } = recordOf(wire, profile)
    const endpoint = endpointOf(codec, record, id, options)
    const made = { model: httpModel(endpoint), endpoint, wire }
    if (byName.size >= maxRemembered) byName.clear()
    byName.set(id, made)
    return made
  }
  return (asked) => {
    const route = routes.find(({ match }) => matches(match, asked))
    if (route === undefined) throw unknownModel(asked, routes)
    const first = chosenOf(byWeight(route.targets, random()), asked)
    if (route.fallbacks === undefined || route.fallbacks.length === 0) return first
    const others = route.fallbacks.map((target) => chosenOf(target, asked))
    const wire = others.every((other) => other.wire === first.wire) ? first.wire : undefined
    return { model: fallback([first.model, ...others.map(({ model }) => model)]), wire }
  }
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
