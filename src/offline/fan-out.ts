// One call that names several values of one parameter, as one call for each value.
import type { Json, JsonObject } from '../json/types.js'
import { affinity } from './affinity.js'
import { type Candidate, overlaps } from './candidate.js'
import { choicesIn } from './choices.js'
import type { Choice } from './decision.js'
import type { Use } from './extraction.js'
import { between, chainFrom } from './lists.js'
import type { Parameter } from './parameters.js'
import type { Passage } from './passage.js'
import { typedValue } from './values.js'

/** The arguments of each call; one when nothing is listed. */
export function fanOut(passage: Passage, choice: Choice): readonly JsonObject[] {
  const { args, uses } = choice.extraction
  let longest: { readonly parameter: Parameter; readonly values: readonly Json[] } | undefined
  for (const use of uses) {
    if (use.parameter.type === 'array' || !Object.hasOwn(args, use.parameter.name)) continue
    const values = valuesOf(passage, choice, use)
    if (values.length > 1 && values.length > (longest?.values.length ?? 0))
      longest = { parameter: use.parameter, values }
  }
  if (longest === undefined) return [args]
  const { parameter, values } = longest
  return values.map((value) => ({ ...args, [parameter.name]: value }))
}

function valuesOf(passage: Passage, choice: Choice, use: Use): readonly Json[] {
  const { parameter, candidate } = use
  if (parameter.choices !== undefined) return choiceChain(passage, use)
  if (candidate === undefined || isProse(parameter, candidate)) return []
  const others = choice.extraction.uses.filter((other) => other !== use)
  const free = passage.candidates.filter((each) => !others.some((other) => overlaps(other, each)))
  const chain = listed(passage, candidate, free)
  const fitting = chain.filter((each) => each === candidate || affinity(parameter, each, passage, choice.tool) > 0)
  return fitting.flatMap((each) => typedValue(parameter, each) ?? [])
}

/** "Paris, France and Rome, Italy" are two places; "Paris, London and Rome" are three names. */
function listed(passage: Passage, candidate: Candidate, free: readonly Candidate[]): readonly Candidate[] {
  const chain = chainFrom(passage, candidate, free)
  if (candidate.kind !== 'place' || chain.length > 1) return chain
  const name = free.find(({ kind, start }) => kind === 'name' && start === candidate.start)
  const names = name === undefined ? [] : chainFrom(passage, name, free)
  const [before, last] = names.slice(-2)
  const conjoined =
    before !== undefined && last !== undefined && /and|or|&/.test(passage.text.slice(before.end, last.start))
  return conjoined ? names : chain
}

/** "Tom and Jerry" in a sentence to be sent is not two values. */
function isProse({ class: own }: Parameter, { kind }: Candidate): boolean {
  if (kind === 'phrase') return true
  if (kind === 'chunk') return own !== 'place' && own !== 'path'
  return (own === 'message' || own === 'query' || own === 'title') && kind !== 'quote' && kind !== 'named'
}

function choiceChain(passage: Passage, use: Use): readonly Json[] {
  const found = choicesIn(passage, use.parameter)
    .filter(({ strength }) => strength > 1)
    .sort((a, b) => a.start - b.start)
  const at = found.findIndex(({ start }) => start === use.start)
  const chain = found.slice(at, at + 1)
  for (const next of found.slice(at + 1)) {
    const last = chain.at(-1)
    if (last === undefined || !between.test(passage.text.slice(last.end, next.start))) break
    chain.push(next)
  }
  return chain.map(({ choice }) => choice)
}
