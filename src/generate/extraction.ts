// The one JSON value in a text. Models put fences and words around it; more than one value is no answer, and nothing is completed.
import { ToolwireError } from '../errors/error.js'
import { parseJson } from '../json/parse.js'
import { valueEnd } from '../json/scan.js'
import type { Value } from '../json/types.js'

export type Extracted =
  | { readonly ok: true; readonly value: Value; readonly text: string; readonly unwrapped?: 'fence' | 'words' }
  | { readonly ok: false; readonly problem: 'empty' | 'not_json' | 'several'; readonly message: string }

export function extractJson(text: string): Extracted {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, problem: 'empty', message: 'the answer is empty' }
  const whole = parsed(trimmed)
  if (whole.ok) return { ok: true, value: whole.value, text: trimmed }
  const fenced = only(fences(trimmed))
  const found = fenced === 'none' ? only(candidates(trimmed)) : fenced
  if (found === 'several') {
    return { ok: false, problem: 'several', message: 'the answer holds more than one JSON value; give exactly one' }
  }
  if (found === 'none') return { ok: false, problem: 'not_json', message: `the answer is not JSON: ${whole.reason}` }
  return { ok: true, ...found, unwrapped: fenced === 'none' ? 'words' : 'fence' }
}

type Found = { readonly value: Value; readonly text: string }

function only(texts: readonly string[]): Found | 'none' | 'several' {
  const values = texts.flatMap((text): Found[] => {
    const result = parsed(text)
    return result.ok ? [{ value: result.value, text }] : []
  })
  const [first, ...others] = values
  if (first === undefined) return 'none'
  return others.length === 0 ? first : 'several'
}

function parsed(
  text: string,
): { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly reason: string } {
  try {
    return { ok: true, value: parseJson(text) }
  } catch (error) {
    return { ok: false, reason: ToolwireError.is(error) ? error.message : 'it cannot be read' }
  }
}

/** The contents of code fences. */
function fences(text: string): readonly string[] {
  return [...text.matchAll(/```[a-zA-Z0-9]*[ \t]*\r?\n([\s\S]*?)```/g)].map(([, inner = '']) => inner.trim())
}

/** More openings than this are prose with braces, not an answer. */
const mostOpenings = 100

/** The objects and lists among words, outermost only; none when the last one never closes, because then the answer was cut. */
function candidates(text: string): readonly string[] {
  const found: string[] = []
  const opening = /[{[]/g
  for (let count = 0; count < mostOpenings; count += 1) {
    const start = opening.exec(text)?.index
    if (start === undefined) return found
    const end = valueEnd(text, start)
    const piece = text.slice(start, end)
    if (parsed(piece).ok) found.push(piece)
    else if (end >= text.length) return []
    opening.lastIndex = end
  }
  return []
}
