// Answers from results, in plain sentences: the fields that were asked for where the result is JSON, the text where it is short.
import { textOf } from '../conversation/messages.js'
import { displayJson } from '../json/display.js'
import type { JsonObject, Value } from '../json/types.js'
import { type Answered, parsed } from './history.js'
import { stopWords } from './vocabulary.js'
import { identifierWords, stem, wordsOf } from './words.js'

const maxShown = 800
const maxFields = 12
const maxLeaves = 400
const maxNesting = 5

/** One sentence or paragraph for each result. */
export function answerLines(request: string, answered: readonly Answered[]): readonly string[] {
  const asked = askedStems(request)
  return answered.map((each) => lineOf(each, asked))
}

/** What was asked for, by stems. */
function askedStems(request: string): ReadonlySet<string> {
  return new Set(
    wordsOf(request)
      .filter((word) => !stopWords.has(word.lower))
      .map((word) => word.stem),
  )
}

function lineOf({ name, args, result }: Answered, asked: ReadonlySet<string>): string {
  const subject = subjectOf(args)
  const text = textOf(result.content).trim()
  if (result.isError) {
    const why = result.error?.message ?? text.replace(/^Tool execution failed \([a-z_]+\):\s*/, '')
    return `${name}${subject === '' ? '' : ` for ${subject}`} failed: ${shortened(why === '' ? 'it gave no reason' : why)}`
  }
  if (text === '') return `${name}${subject === '' ? '' : ` for ${subject}`} is done; it returned nothing.`
  const value = parsed(text)
  // What the call was given is not what was asked of its result: "package" in "package.json".
  const given = askedStems(subject)
  const wanted = new Set([...asked].filter((own) => !given.has(own)))
  const said = sayValue(value ?? text, wanted, new Set(Object.values(args).map(String)))
  if (/^[\d\s+\-*/%^().,×÷]+$/.test(subject)) return `${subject} = ${said}`
  return `${subject === '' ? name : `For ${subject}`}: ${said}`
}

function subjectOf(args: JsonObject): string {
  const values = Object.values(args).map((value) => (typeof value === 'string' ? value : displayJson(value)))
  return values.map((value) => (value.length > 60 ? `${value.slice(0, 60)}…` : value)).join(', ')
}

function sayValue(value: Value, asked: ReadonlySet<string>, echoed: ReadonlySet<string>): string {
  if (typeof value === 'string') return sayText(value, asked)
  if (typeof value !== 'object' || value === null) return String(value)
  const leaves = leavesOf(value)
  const wanted = best(leaves, asked)
  if (wanted.length > 0) return sentence(wanted)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return shortened(value.map(String).join(', '))
  const rest = leaves.filter((leaf) => !echoed.has(String(leaf.value)))
  return rest.length === 0 || rest.length > maxFields ? shortened(displayJson(value)) : sentence(rest)
}

/** Long text: the lines that mention what was asked, else its beginning. */
function sayText(text: string, asked: ReadonlySet<string>): string {
  if (text.length <= maxShown) return text
  const lines = text.slice(0, 50_000).split('\n').slice(0, 1_000)
  const scored = lines.map((line) => ({
    line: line.trim(),
    hits: new Set(wordsOf(line.slice(0, 400)).map((word) => word.stem)),
  }))
  const hits = scored
    .map(({ line, hits: stems }) => ({ line, count: [...asked].filter((own) => stems.has(own)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
  const [first] = hits
  const found = hits.filter(({ count }) => count === first?.count).slice(0, 3)
  if (found.length === 0 || hits.length > lines.length / 2) return shortened(text)
  return `${found.map(({ line }) => shortened(line)).join('\n')}\n(from ${text.length} characters of text)`
}

interface Leaf {
  readonly path: readonly string[]
  readonly value: string | number | boolean | bigint | null
}

function leavesOf(value: Value, path: readonly string[] = [], found: Leaf[] = []): readonly Leaf[] {
  if (found.length >= maxLeaves) return found
  const inner = typeof value === 'string' && path.length > 0 && /^\s*[[{]/.test(value) ? parsed(value) : undefined
  if (inner !== undefined) return leavesOf(inner, path, found)
  if (typeof value !== 'object' || value === null) {
    found.push({ path, value })
    return found
  }
  if (path.length >= maxNesting) return found
  for (const [key, member] of Object.entries(value)) leavesOf(member as Value, [...path, key], found)
  return found
}

/** The leaves whose key is fully named in the request; those whose parents are named too come first. */
function best(leaves: readonly Leaf[], asked: ReadonlySet<string>): readonly Leaf[] {
  const scored = leaves.flatMap((leaf) => {
    const key = keyStems(leaf.path.findLast((part) => !/^\d+$/.test(part)) ?? '')
    if (key.length === 0 || !key.every((own) => asked.has(own))) return []
    const parents = leaf.path.slice(0, -1).flatMap(keyStems)
    return [{ leaf, score: key.length + parents.filter((own) => asked.has(own)).length - leaf.path.length / 10 }]
  })
  const top = Math.max(0, ...scored.map(({ score }) => score))
  return scored
    .filter(({ score }) => score > top - 0.5)
    .map(({ leaf }) => leaf)
    .slice(0, maxFields)
}

function keyStems(key: string): readonly string[] {
  return identifierWords(key).map(stem)
}

function sentence(leaves: readonly Leaf[]): string {
  const named = leaves.map(({ path, value }) =>
    path.length === 0 ? String(value) : `${path.join('.')} is ${shortened(String(value))}`,
  )
  return `${named.join(', ')}.`
}

function shortened(text: string): string {
  if (text.length <= maxShown) return text
  return `${text.slice(0, maxShown).toWellFormed()}… (${text.length - maxShown} more characters)`
}
