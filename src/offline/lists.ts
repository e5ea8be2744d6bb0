// Values for a parameter that takes a list: brackets, the choices named, or "a, b and c".
import type { Json } from '../json/types.js'
import { affinity } from './affinity.js'
import { type Candidate, overlaps, type Span } from './candidate.js'
import { choicesIn } from './choices.js'
import type { Parameter } from './parameters.js'
import type { Passage } from './passage.js'
import type { ToolWords } from './scoring.js'
import { typedValue } from './values.js'

export interface FoundList extends Span {
  readonly items: readonly Json[]
}

/** What may stand between two items. */
export const between: RegExp =
  /^["'”]?\s*(?:,|,?\s+(?:and|or|as well as|plus)|\s*&)\s*(?:(?:in|for|to|at|of|from|the|on|into|my|also|then)\s+)*["'“]?$/i

export function listFor(
  passage: Passage,
  parameter: Parameter,
  tool: ToolWords,
  used: readonly Span[],
): FoundList | undefined {
  const item = parameter.item
  if (item === undefined) return undefined
  if (item.choices !== undefined) {
    const found = choicesIn(passage, item).filter(({ strength }) => strength > 1)
    const [first] = found
    if (first === undefined) return undefined
    return {
      items: found.sort((a, b) => a.start - b.start).map(({ choice }) => choice),
      start: first.start,
      end: first.end,
    }
  }
  const free = passage.candidates.filter((candidate) => !used.some((use) => overlaps(use, candidate)))
  return bracketed(free, item) ?? best(passage, parameter, item, tool, free)
}

function bracketed(candidates: readonly Candidate[], item: Parameter): FoundList | undefined {
  for (const { kind, start, end, items } of candidates) {
    if (kind !== 'list' || items === undefined) continue
    if (item.type !== 'number' && item.type !== 'integer') return { items, start, end }
    const numbers = items.map(Number)
    if (numbers.every(Number.isFinite)) return { items: numbers, start, end }
  }
  return undefined
}

function best(
  passage: Passage,
  parameter: Parameter,
  item: Parameter,
  tool: ToolWords,
  free: readonly Candidate[],
): FoundList | undefined {
  const scored: { readonly list: FoundList; readonly score: number }[] = []
  for (const candidate of free) {
    if (candidate.kind === 'phrase' || candidate.kind === 'list' || candidate.kind === 'place') continue
    const chain = chainFrom(passage, candidate, free)
    const items = chain.map((each) => typedValue(item, each)).filter((value) => value !== undefined)
    if (items.length === 0) continue
    const score = affinity({ ...item, name: parameter.name, stems: parameter.stems }, candidate, passage, tool)
    const list = { items, start: candidate.start, end: chain.at(-1)?.end ?? candidate.end }
    scored.push({ list, score: score + (items.length > 1 ? 0.6 : 0) + (parameter.required ? 0.25 : 0) })
  }
  scored.sort((a, b) => b.score - a.score)
  const [first] = scored
  return first !== undefined && first.score >= (parameter.required ? 0.3 : 0.95) ? first.list : undefined
}

/** The candidate and those of its kind that follow it with nothing but commas and "and" between. */
export function chainFrom({ text }: Passage, first: Candidate, candidates: readonly Candidate[]): readonly Candidate[] {
  const chain = [first]
  const rest = candidates
    .filter(({ kind, start }) => kind === first.kind && start >= first.end)
    .sort((a, b) => a.start - b.start)
  for (const next of rest) {
    const last = chain.at(-1) ?? first
    if (next.start < last.end) continue
    if (!between.test(text.slice(last.end, next.start))) break
    chain.push(next)
  }
  return chain
}
