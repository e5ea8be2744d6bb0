// The failures of a run as issues a model can act on: one sentence per failing path.
import type { Issue } from './issue.js'
import { schemaLimits } from './rules.js'
import type { Failure } from './run.js'

/** Issues in the order they were found, types of alternatives joined ("must be string or null"). */
export function issuesOf(failures: readonly Failure[]): readonly Issue[] {
  const types = new Map<string, Set<string>>()
  const messages = new Map<string, Set<string>>()
  for (const { path, kind, text } of failures) {
    if (kind === 'type') added(types, path, text)
    else if (kind === 'rule') added(messages, path, text)
  }
  for (const [path, names] of types) added(messages, path, `must be ${[...names].join(' or ')}`)
  const explained = new Set([...messages.keys()].flatMap(placesAbove))
  for (const { path, kind, text } of failures) {
    if (kind === 'alternatives' && !explained.has(path)) added(messages, path, text)
  }
  return [...messages].map(([path, texts]) => ({ path, message: [...texts].join(', or ') }))
}

/** The path and every path it lies under. */
function placesAbove(path: string): readonly string[] {
  const keys = path.split('/')
  return keys.map((_, index) => keys.slice(0, index + 1).join('/'))
}

/** The first issues, and how many were left out; `open` when there may be more than were found. */
export function capped(issues: readonly Issue[], open = false): readonly Issue[] {
  const more = issues.length - schemaLimits.issues
  if (more <= 0) return open ? [...issues, { path: '', message: 'and there may be more' }] : issues
  const message = `and ${open ? 'at least ' : ''}${more} more`
  return [...issues.slice(0, schemaLimits.issues), { path: '', message }]
}

function added(map: Map<string, Set<string>>, path: string, text: string): void {
  const texts = map.get(path)
  if (texts === undefined) map.set(path, new Set([text]))
  else texts.add(text)
}

export function listed(values: readonly unknown[]): string {
  const list = values.slice(0, 20).map(shown).join(', ')
  return values.length > 20 ? `${list} and ${values.length - 20} more` : list
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
