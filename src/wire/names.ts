// Names and ids that a wire refuses, mapped by a pure function of the name alone, so that nothing needs to be remembered.
import type { CompletionRequest } from '../conversation/request.js'
import { shortHash } from '../json/digest.js'
import type { Exchange } from './codec.js'

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

/** Wire name → canonical name of the declared tools whose name had to change; nothing when none had to. */
export function renamed(tools: CompletionRequest['tools'], rule: NameRule): ReadonlyMap<string, string> | undefined {
  let map: Map<string, string> | undefined
  for (const tool of tools ?? []) {
    if (tool.type === 'opaque') continue
    const wire = wireName(tool.name, rule)
    if (wire === tool.name) continue
    map ??= new Map()
    map.set(wire, tool.name)
  }
  return map
}

/** The call id as the wire takes it: itself when legal, else a hash of it. Calls and results map alike, so they still meet. */
export function wireCallId(id: string, rule: NameRule & { readonly prefix: string }): string {
  if (id.length <= rule.max && rule.pattern.test(id)) return id
  return (rule.prefix + shortHash(id, 24)).slice(0, rule.max)
}

/** Characters of an id that was made. */
export const madeIdLength = 17

/** The id of a call that came without one: the same for the same answer, whenever and wherever it is decoded. */
export function madeCallId(answerId: string, ordinal: number): string {
  return `call_${shortHash(`${answerId}/${ordinal}`)}`
}

/**
 * What tells an answer from others of its conversation. Servers leave the id of a response out, or repeat it, so the place in
 * the conversation counts too where it is known; a replayed request has the same.
 */
export function answerIdOf(responseId: string, { position }: Pick<Exchange, 'position'>): string {
  return position === undefined ? responseId : `${responseId}@${position}`
}
