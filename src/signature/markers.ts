// The text format of fields: each begins with a line `[[ ## name ## ]]`, the last is followed by `[[ ## completed ## ]]`.
// The trap: a value may hold such lines, or white space at its ends that a model would add by itself. A backslash marks both, so
// that what is written reads back exactly.
import type { Field } from './field.js'
import { writeValue } from './values.js'

const marker = /^[ \t]*\[\[[ \t]*##[ \t]*(\w+)[ \t]*##[ \t]*\]\]/gm
const bareMarker = /^([ \t]*)(\\*\[\[[ \t]*##[ \t]*\w+[ \t]*##[ \t]*\]\])/gm
const markedMarker = /^([ \t]*)\\(\\*\[\[[ \t]*##[ \t]*\w+[ \t]*##[ \t]*\]\])/gm

export const endMarker = '[[ ## completed ## ]]'

export function markerOf(name: string): string {
  return `[[ ## ${name} ## ]]`
}

/** The fields that have a value, each below its marker. */
export function writeFields(fields: readonly Field[], values: ReadonlyMap<string, unknown>): string {
  return fields
    .filter(({ name }) => values.get(name) !== undefined)
    .map(({ name, type }) => `${markerOf(name)}\n${protect(writeValue(type, values.get(name)))}`)
    .join('\n\n')
}

/**
 * What stands below the markers of the given names, trimmed and still protected. Text before the first, behind the end, and
 * below a repeated marker is left out; a marker of another name is part of the text.
 */
export function readFields(answer: string, names: readonly string[]): ReadonlyMap<string, string> {
  const text = withoutFence(answer)
  const known = new Set([...names, 'completed'])
  const places = [...text.matchAll(marker)].filter((match) => known.has(match[1] ?? ''))
  const sections = new Map<string, string>()
  for (const [index, place] of places.entries()) {
    const name = place[1] ?? ''
    if (name === 'completed') break
    const section = text.slice(place.index + place[0].length, places[index + 1]?.index)
    if (!sections.has(name)) sections.set(name, section.trim())
  }
  return sections
}

/** The text inside a code fence that goes around everything. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const start = trimmed.indexOf('\n')
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && start !== -1
  return isFenced && !trimmed.slice(3, start).includes('`') ? trimmed.slice(start + 1, -3) : text
}

function protect(value: string): string {
  const start = /^\\*(?:\s|$)/.test(value) ? `\\${value}` : value
  const both = /\s\\*$/.test(start) ? `${start}\\` : start
  return both.replace(bareMarker, '$1\\$2')
}

/** The value whose protected form a section holds. */
export function unprotect(text: string): string {
  return unprotectEnds(unprotectMarkers(text))
}

export function unprotectMarkers(text: string): string {
  return text.replace(markedMarker, '$1$2')
}

/** A trimmed text without the backslashes that keep white space at its ends. */
export function unprotectEnds(text: string): string {
  const start = /\s\\+$/.test(text) ? text.slice(0, -1) : text
  return /^\\+(?:\s|$)/.test(start) ? start.slice(1) : start
}
