// Names and ids that a wire refuses, mapped by a pure function of the name alone, so that nothing needs to be remembered.
import { shortHash } from '../json/digest.js'

/** The name of a structured output that has none, on wires that demand one. */
export const defaultOutputName = 'response'

export interface NameRule {
  readonly pattern: RegExp
  readonly max: number
}

/** The name as the wire takes it: itself when legal, else its legal characters and a hash of the whole. */
export function wireName(name: string, rule: NameRule): string {
  if (name.length <= rule.max && rule.pattern.test(name)) return name
  const hash = shortHash(name, 8)
  const stem = name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, rule.max - hash.length - 1)
  const named = `${stem}_${hash}`
  return rule.pattern.test(named) ? named : `t_${stem}_${hash}`.slice(0, rule.max)
}

/** Wire name → canonical name for those that had to change; nothing when none had to. */
export function renamed(names: Iterable<string>, rule: NameRule): ReadonlyMap<string, string> | undefined {
  const map = new Map<string, string>()
  for (const name of names) {
    const wire = wireName(name, rule)
    if (wire !== name) map.set(wire, name)
  }
  return map.size === 0 ? undefined : map
}

/** The call id as the wire takes it: itself when legal, else a hash of it. Calls and results map alike, so they still meet. */
export function wireCallId(id: string, rule: NameRule & { readonly prefix: string }): string {
  if (id.length <= rule.max && rule.pattern.test(id)) return id
  return (rule.prefix + shortHash(id, 24)).slice(0, rule.max)
}

/** The id of a call that came without one: the same for the same answer, whenever and wherever it is decoded. */
export function madeCallId(responseId: string, ordinal: number): string {
  return `call_${shortHash(`${responseId}/${ordinal}`)}`
}
