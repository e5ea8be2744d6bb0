// The calls a request asks for. Parts that stand alone (a tool of their own, its arguments complete) become calls of their own;
// other parts belong to the one before. Then lists fan out: "in Paris, London and Rome" is three calls of a tool for one city.
import type { ToolSpec } from '../conversation/request.js'
import { canonicalJson } from '../json/canonical.js'
import type { Json, JsonObject } from '../json/types.js'
import { type Part, partsOf } from './clauses.js'
import { type Choice, complete, rank, type Seams } from './decision.js'
import { fanOut } from './fan-out.js'
import { type Passage, readPassage } from './passage.js'
import { type ToolWords, toolWords } from './scoring.js'

export interface PlannedCall {
  readonly name: string
  readonly args: JsonObject
}
export interface Plan {
  readonly calls: readonly PlannedCall[]
  /** The tool that fits but cannot be called, when nothing can. */
  readonly incomplete?: { readonly name: string; readonly missing: readonly string[] }
}

const mostCalls = 16
const asksAgain = /^(?:and|or|what about|how about|also|same for|and for|then)\b/i

export function plan(text: string, tools: readonly ToolSpec[], seams: Seams, previous?: PlannedCall): Plan {
  const words = tools.map(toolWords)
  const groups = grouped(readPassage(text).text, words, seams)
  const calls = groups.flatMap(({ passage, choice }) =>
    fanOut(passage, choice).map((args): PlannedCall => ({ name: choice.tool.tool.name, args })),
  )
  if (calls.length > 0) return { calls: distinct(calls).slice(0, mostCalls) }
  const again =
    previous === undefined || !asksAgain.test(text.trim()) ? undefined : repeated(text, words, seams, previous)
  if (again !== undefined) return { calls: [again] }
  const [best] = rank(readPassage(text), words, seams)
  if (best === undefined || !best.fits) return { calls: [] }
  return { calls: [], incomplete: { name: best.tool.tool.name, missing: best.extraction.missing } }
}

/** A call of this tool whatever the request says. */
export function forcedCall(text: string, tools: readonly ToolSpec[], seams: Seams): PlannedCall | undefined {
  const [best] = rank(readPassage(text), tools.map(toolWords), seams)
  return best === undefined ? undefined : { name: best.tool.tool.name, args: best.extraction.args }
}

interface Group {
  readonly passage: Passage
  readonly choice: Choice
}

function grouped(text: string, tools: readonly ToolWords[], seams: Seams): readonly Group[] {
  const groups: Group[] = []
  let open: Part | undefined
  let current: { readonly start: number; end: number; choice: Choice } | undefined
  const close = (): void => {
    if (current === undefined) return
    const passage = readPassage(text.slice(current.start, current.end))
    // It fitted by its first part; what follows can only add arguments.
    const [whole] = rank(passage, [current.choice.tool], seams)
    const choice = whole === undefined || whole.extraction.missing.length > 0 ? current.choice : whole
    groups.push({ passage, choice })
    current = undefined
  }
  for (const part of partsOf(text)) {
    const start = open !== undefined && !part.hard ? open.start : part.start
    const own =
      alone(text.slice(start, part.end), tools, seams, part.hard) ??
      elliptical(text.slice(part.start, part.end), current?.choice, seams)
    if (own !== undefined) {
      close()
      current = { start, end: part.end, choice: own }
      open = undefined
    } else if (current !== undefined && !part.hard) current.end = part.end
    else {
      const again =
        current === undefined ? undefined : sameAgain(text.slice(part.start, part.end), current.choice, seams)
      close()
      if (again !== undefined) current = { start: part.start, end: part.end, choice: again }
      open = again === undefined ? { ...part, start } : undefined
    }
  }
  close()
  return groups
}

/** After a mere comma or "and", a word of the description is not reason enough. */
function alone(text: string, tools: readonly ToolWords[], seams: Seams, hard: boolean): Choice | undefined {
  const choice = complete(rank(readPassage(text), tools, seams))
  return hard || choice?.named === true ? choice : undefined
}

/** "… and 50 pounds to yen": at least two values, everything required, nothing guessed, no word left over. */
function elliptical(text: string, before: Choice | undefined, seams: Seams): Choice | undefined {
  if (before === undefined) return undefined
  const [own] = rank(readPassage(text), [before.tool], seams)
  if (own === undefined || own.extraction.missing.length > 0 || own.extraction.weak.length > 0) return undefined
  const guessed = own.extraction.uses.some(({ candidate }) => candidate?.kind === 'phrase')
  return !guessed && own.extraction.uses.length >= 2 && own.explained >= 0.99 ? own : undefined
}

/** "And London?" after a question that was a call. */
function sameAgain(text: string, before: Choice, seams: Seams): Choice | undefined {
  if (!asksAgain.test(text)) return undefined
  const [own] = rank(readPassage(text.replace(asksAgain, '').trim()), [before.tool], seams)
  if (own === undefined || own.extraction.uses.length === 0 || own.explained < 0.99) return undefined
  return { ...own, extraction: { ...own.extraction, args: { ...before.extraction.args, ...own.extraction.args } } }
}

function repeated(
  text: string,
  tools: readonly ToolWords[],
  seams: Seams,
  previous: PlannedCall,
): PlannedCall | undefined {
  const tool = tools.find((each) => each.tool.name === previous.name)
  if (tool === undefined) return undefined
  const [own] = rank(readPassage(text.trim().replace(asksAgain, '').trim()), [tool], seams)
  if (own === undefined || own.extraction.uses.length === 0 || own.explained < 0.99) return undefined
  return { name: previous.name, args: { ...previous.args, ...own.extraction.args } }
}

function distinct(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  return [...new Map(calls.map((call) => [callKey(call), call])).values()]
}

/** Equal for calls that ask the same. */
export function callKey({ name, args }: { readonly name: string; readonly args: Json }): string {
  return `${name} ${canonicalJson(args)}`
}
