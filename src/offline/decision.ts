// Which tool a passage asks for, if any. Trap: making no call where nothing fits is half the work; every rule here that lowers a
// score is about that.
import type { ToolSpec } from '../conversation/request.js'
import type { JsonObject } from '../json/types.js'
import { contains } from './candidate.js'
import { type Extraction, extract } from './extraction.js'
import type { Passage } from './passage.js'
import { requestStart } from './phrases.js'
import { argumentGain, type Fit, fitOf, isContent, type ToolWords } from './scoring.js'
import { verbKindOf } from './words.js'

/** How well a tool fits a request, 0 to 1; may be any model. */
export type Scorer = (text: string, tool: ToolSpec) => number
/** The arguments of a call from a request, and the required ones it could not find; may be any model. */
export type Extractor = (
  text: string,
  tool: ToolSpec,
) => { readonly args: JsonObject; readonly missing: readonly string[] }

export interface Seams {
  readonly scorer?: Scorer
  readonly extractor?: Extractor
}

export interface Choice {
  readonly tool: ToolWords
  readonly extraction: Extraction
  readonly score: number
  /** The share of the request's words that the tool and its arguments account for. */
  readonly explained: number
  /** Whether its name or a value of a rare kind speaks for it. */
  readonly named: boolean
  /** Whether this is the tool that is meant, though a required argument may be missing. */
  readonly fits: boolean
}

const thresholds = { score: 0.3, explained: 0.51, tried: 0.08 }
/** Arguments are looked for only in the tools that fit best by their words. */
const mostExtracted = 6
const forbidding = /^(?:please\s+)?(?:don't|don’t|do not|never|stop)\b/i
/** A statement, unless something in it asks. */
const telling = /^(?:i|i'm|we|he|she|they|my|it|that|this|you|what an?)\b/i
const asking = /\b(?:need|want|like to|wonder|know|tell|show|please|remind|give)\b|\?/i
const explaining =
  /^(?:how (?:do|can|could|would|should|does|did) (?:i|you|one|we|it|the|a|an)\b|how to\b|explain\b|why\b|teach\b|describe\b)/i

/** The tools for a passage, the best first. */
export function rank(passage: Passage, tools: readonly ToolWords[], seams: Seams): readonly Choice[] {
  const fits = tools.map((tool) => ({ tool, fit: scored(passage, tool, seams) }))
  const strength = ({ fit }: { readonly fit: Fit }): number => fit.words + fit.evidence
  fits.sort((a, b) => strength(b) - strength(a))
  return fits
    .filter((each, index) => index === 0 || (index < mostExtracted && strength(each) >= thresholds.tried))
    .map(({ tool, fit }) => choose(passage, tool, fit, seams))
    .sort((a, b) => Number(b.fits) - Number(a.fits) || b.score - a.score)
}

/**
 * The tool that is meant, with all its required arguments; undefined when there is none. Where the best one lacks an argument, a
 * clearly worse one is not taken in its place.
 */
export function complete(choices: readonly Choice[]): Choice | undefined {
  const [best] = choices
  const least = best?.fits === true ? best.score * 0.8 : 0
  return choices.find(({ fits, score, extraction }) => fits && score >= least && extraction.missing.length === 0)
}

function scored(passage: Passage, tool: ToolWords, { scorer }: Seams): Fit {
  if (scorer === undefined) return fitOf(passage, tool)
  const score = scorer(passage.text, tool.tool)
  return { words: score, evidence: 0, anchored: true, named: true, known: new Map() }
}

function choose(passage: Passage, tool: ToolWords, fit: Fit, seams: Seams): Choice {
  const extraction = extracted(passage, tool, seams)
  const required = tool.parameters.filter((parameter) => parameter.required)
  const weak = required.filter(({ name }) => extraction.weak.includes(name)).length
  const lacking = extraction.missing.length + weak / 2
  const filled = required.length === 0 ? 1 : 1 - lacking / required.length
  const explained = explainedShare(fit, extraction)
  const intent = intentOf(passage, fit, extraction)
  const words = fit.words + argumentGain(passage, fit, extraction.uses)
  const score = (words * intent.words + fit.evidence) * intent.all * (0.72 + 0.28 * filled)
  const fits = fit.anchored && score >= thresholds.score && explained >= thresholds.explained
  return {
    tool,
    extraction,
    score,
    explained,
    named: fit.named,
    fits: fits && !forbidding.test(passage.text.slice(requestStart(passage.text))),
  }
}

function extracted(passage: Passage, tool: ToolWords, { extractor }: Seams): Extraction {
  if (extractor === undefined) return extract(passage, tool)
  return { ...extractor(passage.text, tool.tool), uses: [], weak: [] }
}

/** Values without words, such as numbers, count as one word each. */
function explainedShare({ known }: Fit, { uses }: Extraction): number {
  const words = [...known.keys()]
  const wordless = uses.filter((use) => !words.some((word) => contains(use, word))).length
  let explained = wordless
  for (const [word, match] of known) {
    explained += uses.some((use) => contains(use, word)) ? 1 : Math.min(1, match * 1.4)
  }
  return words.length + wordless === 0 ? 1 : explained / (words.length + wordless)
}

/** Less than 1 for requests to explain, for statements, and for orders whose verb the tool does not know; least when that verb changes things. */
function intentOf({ text, words }: Passage, { known }: Fit, { uses }: Extraction): { words: number; all: number } {
  const start = requestStart(text)
  const request = text.slice(start)
  if (explaining.test(request)) return { words: 1, all: 0.3 }
  if (telling.test(request) && !asking.test(request)) return { words: 1, all: 0.5 }
  const first = words.find((word) => word.start >= start)
  if (first === undefined || !isContent(first)) return { words: 1, all: 1 }
  const isKnown = (known.get(first) ?? 1) >= 0.3 || uses.some((use) => contains(use, first))
  if (isKnown) return { words: 1, all: 1 }
  const kind = verbKindOf(first.stem)
  return { words: 0.6, all: kind === undefined || kind === 'read' || kind === 'calculate' ? 1 : 0.4 }
}
