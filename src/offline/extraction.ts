// Fills the parameters of a tool from a passage. Values of closed sets first, then lists and objects, then scalars: every pair
// of parameter and candidate is scored and the best pairs are taken greedily, no part of the text twice.
import type { Json, JsonObject } from '../json/types.js'
import { affinity } from './affinity.js'
import { type Candidate, overlaps, type Span } from './candidate.js'
import { choiceIn, flagIn } from './choices.js'
import { currencyOf } from './currencies.js'
import { listFor } from './lists.js'
import type { Parameter } from './parameters.js'
import type { Passage } from './passage.js'
import type { ToolWords } from './scoring.js'
import { typedValue } from './values.js'

/** Which part of the text became which argument. */
export interface Use extends Span {
  readonly parameter: Parameter
  readonly candidate?: Candidate
}
export interface Extraction {
  readonly args: JsonObject
  /** Required parameters for which nothing was found. */
  readonly missing: readonly string[]
  readonly uses: readonly Use[]
  /** Parameters filled with a guess: plain words, a default. */
  readonly weak: readonly string[]
}

interface Filling {
  readonly passage: Passage
  readonly tool: ToolWords
  readonly args: Map<string, Json>
  readonly uses: Use[]
  readonly weak: Set<string>
}

export function extract(
  passage: Passage,
  tool: ToolWords,
  parameters: readonly Parameter[] = tool.parameters,
): Extraction {
  const filling: Filling = { passage, tool, args: new Map(), uses: [], weak: new Set() }
  for (const parameter of parameters) fillClosed(filling, parameter)
  const lists = parameters.filter(({ type }) => type === 'array')
  for (const list of lists) if (list.required) fillList(filling, list, 2)
  for (const parameter of parameters) if (parameter.type === 'object') fillObject(filling, parameter)
  const scalars = parameters.filter((each) => isScalar(each) && !filling.args.has(each.name))
  fillScalars(filling, scalars, isSure)
  for (const list of lists) if (!filling.args.has(list.name)) fillList(filling, list, 1)
  fillScalars(filling, scalars, () => true)
  for (const parameter of parameters) fillDefault(filling, parameter)
  const { args, uses, weak } = filling
  const missing = parameters.filter(({ name, required }) => required && !args.has(name)).map(({ name }) => name)
  const ordered = parameters.flatMap(({ name }): [string, Json][] =>
    args.has(name) ? [[name, args.get(name) ?? null]] : [],
  )
  return { args: Object.fromEntries(ordered), missing, uses, weak: [...weak] }
}

function isScalar({ type, choices }: Parameter): boolean {
  return choices === undefined && (type === 'string' || type === 'number' || type === 'integer')
}

function fillClosed({ passage, tool, args, uses }: Filling, parameter: Parameter): void {
  if (parameter.choices !== undefined && parameter.type !== 'array') {
    const found = choiceIn(passage, parameter)
    if (found === undefined) return
    args.set(parameter.name, found.choice)
    uses.push({ parameter, start: found.start, end: found.end })
  } else if (parameter.type === 'boolean') {
    const flag = flagIn(passage, parameter, tool)
    if (flag !== undefined) args.set(parameter.name, flag)
  }
}

/** A list of one item may as well be the value of another parameter, so that it waits for those. */
function fillList({ passage, tool, args, uses }: Filling, parameter: Parameter, least: number): void {
  const found = listFor(passage, parameter, tool, uses)
  if (found === undefined || found.items.length < least) return
  args.set(parameter.name, found.items)
  uses.push({ parameter, start: found.start, end: found.end })
}

function fillObject({ passage, tool, args, uses }: Filling, parameter: Parameter): void {
  const inner = extract(passage, tool, parameter.members ?? [])
  if (Object.keys(inner.args).length === 0 || (!parameter.required && inner.missing.length > 0)) return
  args.set(parameter.name, inner.args)
  uses.push(...inner.uses)
}

/** What the first pass takes: no plain words, and for prose only what is quoted or named, since the rest may be another's. */
function isSure(parameter: Parameter, { kind }: Candidate): boolean {
  if (kind === 'phrase' || kind === 'chunk') return false
  const prose = parameter.class === 'message' || parameter.class === 'query' || parameter.class === 'title'
  return !prose || kind === 'quote' || kind === 'named'
}

function fillScalars(
  filling: Filling,
  parameters: readonly Parameter[],
  admits: (parameter: Parameter, candidate: Candidate) => boolean,
): void {
  const { passage, tool, args, uses, weak } = filling
  const pairs = parameters.flatMap((parameter, order) =>
    passage.candidates
      .filter((candidate) => admits(parameter, candidate))
      .map((candidate, place) => {
        const score = affinity(parameter, candidate, passage, tool)
        return { parameter, candidate, score: score + (parameter.required ? 0.25 : 0) - order * 0.012 - place * 0.0003 }
      }),
  )
  pairs.sort((a, b) => b.score - a.score)
  for (const { parameter, candidate, score } of pairs) {
    if (score < threshold(parameter, candidate)) continue
    if (args.has(parameter.name) || uses.some((use) => overlaps(use, candidate))) continue
    const value = typedValue(parameter, candidate)
    if (value === undefined) continue
    args.set(parameter.name, value)
    uses.push({ parameter, candidate, start: candidate.start, end: candidate.end })
    if (candidate.kind === 'chunk') weak.add(parameter.name)
  }
}

function threshold({ required, type, class: own }: Parameter, { kind }: Candidate): number {
  if (type !== 'string') return required ? 0.3 : 1
  if (!required) return 0.95
  return kind === 'chunk' && own !== 'other' ? 0.3 : 0.2
}

/** Last resorts for a required parameter. */
function fillDefault(
  { passage, args, weak }: Filling,
  { name, required, fallback, class: own, type }: Parameter,
): void {
  if (!required || args.has(name)) return
  const sign = own === 'currency' ? /[$€£¥]/.exec(passage.text)?.[0] : undefined
  if (sign !== undefined) args.set(name, currencyOf(sign) ?? sign)
  else if (fallback !== undefined) args.set(name, fallback)
  else return
  if (type !== 'boolean') weak.add(name)
}
