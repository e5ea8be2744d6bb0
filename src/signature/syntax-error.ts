// What is wrong with the text of a signature: where, with a caret below the place, and what to write instead.
import { ToolwireError } from '../errors/error.js'

/** How much of a long line is shown on each side of the place. */
const shownCharacters = 60

export function syntaxError(text: string, position: number, problem: string, suggestion?: string): ToolwireError {
  const start = position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1
  const next = text.indexOf('\n', position)
  const end = next === -1 ? text.length : next
  const from = Math.max(start, position - shownCharacters)
  const shown = text.slice(from, Math.min(end, position + shownCharacters))
  const caret = ' '.repeat(position - from)
  const advice = suggestion === undefined ? '' : `; ${suggestion}`
  return new ToolwireError(
    'misuse',
    `the signature cannot be read at position ${position}: ${problem}${advice}\n  ${shown}\n  ${caret}^`,
    { detail: { position, problem, ...(suggestion === undefined ? {} : { suggestion }) } },
  )
}

/** The known word that was most likely meant: one edit away, or two in a longer word. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of known) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    const most = name.length > 4 ? 2 : 1
    if (distance <= most && distance < (best?.distance ?? 3)) best = { name, distance }
  }
  return best?.name
}

/** Inserted, left out and changed letters; letters in another order count as one. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  if (a !== b && [...a].toSorted().join('') === [...b].toSorted().join('')) return 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 3
}
