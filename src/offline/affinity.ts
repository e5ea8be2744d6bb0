// How likely a candidate is the value of a parameter: by its kind and the parameter's class, and by the words around it.
import type { Candidate, CandidateKind } from './candidate.js'
import { cueScore } from './cues.js'
import { currencyOf } from './currencies.js'
import type { Parameter, ParameterClass } from './parameters.js'
import type { Passage } from './passage.js'
import type { ToolWords } from './scoring.js'
import { stem, verbKindOf } from './words.js'

/** Below every threshold. */
export const impossible = -9

type Scores = { readonly [K in CandidateKind]?: number }

/** What a kind is worth for a string parameter of no particular class. */
const general: { readonly [K in CandidateKind]: number } = {
  quote: 0.9,
  named: 0.95,
  name: 0.5,
  place: 0.55,
  id: 0.3,
  phrase: 0.1,
  chunk: 0.12,
  number: -0.3,
  date: -1,
  time: -1,
  email: -1,
  url: -1,
  path: -0.8,
  expression: -0.6,
  currency: impossible,
  language: impossible,
  list: impossible,
}
const only = (scores: Scores, rest: number): Scores => ({
  ...Object.fromEntries(Object.keys(general).map((kind) => [kind, rest])),
  quote: 0.9,
  currency: impossible,
  language: impossible,
  list: impossible,
  ...scores,
})
const byClass: { readonly [C in ParameterClass]?: Scores } = {
  email: only({ email: 1.8 }, -1.5),
  url: only({ url: 1.8 }, -1.5),
  path: only({ path: 1.7, name: -1.2, chunk: -0.5, id: 0.2 }, -1),
  date: only({ date: 1.6 }, -1.2),
  time: only({ time: 1.6 }, -1.2),
  place: { name: 1.05, place: 1.3, id: -0.3, number: -0.9, phrase: -0.8, expression: -1.5 },
  person: { name: 0.8, place: 0.05 },
  id: { id: 1.4, number: 0.6, chunk: -0.1, phrase: -0.5 },
  unit: only({ chunk: 0.12 }, -1),
  currency: only({ currency: 1.5 }, -1.5),
  language: only({ language: 1.6 }, -1.5),
  expression: only({ expression: 2, quote: 0.1 }, -1.5),
  message: { quote: 1.6, named: 0.9, phrase: 0.6, chunk: 0.2, name: 0.3, place: 0.2, path: -1, expression: -1 },
  query: { quote: 1.5, phrase: 0.7, chunk: 0.2, name: 0.4, place: 0.3 },
  title: { quote: 1.5, named: 1.6, phrase: 0.6, chunk: 0.2, name: 0.6 },
  name: { quote: 1.2, named: 1.65, name: 0.8 },
}
const phraseCues: { readonly [C in ParameterClass]?: ReadonlyMap<string, number> } = {
  message: new Map(
    Object.entries({
      saying: 0.9,
      says: 0.8,
      that: 0.6,
      ':': 0.7,
      verb: 0.2,
      about: 0.3,
      to: -0.6,
      for: -0.4,
      on: -0.6,
    }),
  ),
  query: new Map(Object.entries({ for: 0.5, about: 0.5, verb: 0.2, on: 0.1, to: -0.6, that: -0.3 })),
  title: new Map(
    Object.entries({ to: 0.4, about: 0.35, verb: 0.3, that: 0.2, ':': 0.5, called: 0.5, for: 0.1, on: -0.6 }),
  ),
}

/** Higher is likelier; about 1 is a good fit, `impossible` rules it out. */
export function affinity(parameter: Parameter, candidate: Candidate, passage: Passage, tool: ToolWords): number {
  const numeric = parameter.type === 'number' || parameter.type === 'integer'
  const kindScore = numeric ? numberScore(parameter, candidate) : textScore(parameter, candidate)
  if (kindScore <= impossible) return impossible
  return kindScore + cueScore(parameter, candidate, passage) - ownWordsPenalty(candidate, passage, tool)
}

function textScore(parameter: Parameter, candidate: Candidate): number {
  const { kind, text } = candidate
  const own = parameter.class
  const score = byClass[own]?.[kind] ?? general[kind]
  if (kind === 'phrase')
    return score + (phraseCues[own]?.get(candidate.cue ?? '') ?? 0) + Math.min(0.1, text.length / 1000)
  if (own === 'path' && kind === 'name' && /^[A-Z]{3,}$|file$/.test(text)) return 0.5
  return own === 'id' && kind === 'name' && /^[A-Z]{2,6}$/.test(text) ? score + 0.4 : score
}

function numberScore(parameter: Parameter, candidate: Candidate): number {
  const about = `${parameter.words.join(' ')} ${parameter.description.toLowerCase()}`
  if (candidate.kind === 'date') return candidate.year !== undefined && /\byear\b/.test(about) ? 0.8 : impossible
  const { value } = candidate
  if (candidate.kind !== 'number' || value === undefined) return impossible
  if (parameter.type === 'integer' && !Number.isInteger(value)) return impossible
  if (value < (parameter.minimum ?? value) || value > (parameter.maximum ?? value)) return impossible
  let score = 0.55
  if (
    candidate.percent === true &&
    /rate|percent|ratio|discount|yield|tax|tip|level|interest|humidity|brightness|volume|%/.test(about)
  )
    score += 0.7
  if (
    candidate.sign !== undefined &&
    /price|cost|amount|money|budget|salary|principal|income|payment|balance|deposit|fee|loan|dollar/.test(about)
  )
    score += 0.6
  if (
    candidate.unit !== undefined &&
    [...parameter.stems, ...parameter.descriptionStems].includes(stem(candidate.unit))
  )
    score += 0.7
  if (candidate.unit !== undefined && currencyOf(candidate.unit) !== undefined && /amount|money|price/.test(about))
    score += 0.5
  if (/\byear\b/.test(about) && value >= 1000 && value <= 2100) score += 0.5
  return score
}

/** The tool's own words are the task, not a value. */
function ownWordsPenalty(candidate: Candidate, { words, around }: Passage, tool: ToolWords): number {
  const stems = around.get(candidate)?.stems ?? []
  const isOwn = (own: string): boolean =>
    tool.nameStems.includes(own) || tool.parameters.some((each) => each.stems.includes(own))
  switch (candidate.kind) {
    case 'name':
      // At the start the verb of the request looks like a part of the name: "Play Imagine".
      return stems.every(isOwn) || (candidate.start === words[0]?.start && isOwn(stems[0] ?? '')) ? 1.3 : 0
    case 'phrase':
      if (stems.every(isOwn)) return 1.3
      return stems.slice(1).some((own) => tool.nameStems.includes(own)) ? 1.2 : 0
    case 'chunk': {
      // "the test folder": the last word says what it is and will be left out.
      const value =
        stems.length > 1 && /^(?:fold|director|fil|cit[iy])/.test(stems.at(-1) ?? '') ? stems.slice(0, -1) : stems
      const task = value.filter(
        (own) => isOwn(own) || tool.descriptionStems.includes(own) || verbKindOf(own) !== undefined,
      )
      return (0.8 * task.length) / Math.max(1, value.length) + (candidate.start === words[0]?.start ? 0.6 : 0)
    }
    default:
      return 0
  }
}
