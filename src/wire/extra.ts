// Fields that are not modelled: collected on decode under the wire's name, written back on that wire only.
// A codec may leave itself a note there about the spelling it met (`$name`); notes are never written as fields.
import { at, type Loss } from '../conversation/losses.js'
import type { Carried, Extra, Wire } from '../conversation/messages.js'
import type { Json, JsonObject } from '../json/types.js'

export type Notes = { readonly [name: string]: Json }

/**
 * What a canonical node carries of a wire object: its members that are neither modelled nor a wire default, and the codec's
 * notes. Spread it into the node.
 */
export function leftover(
  wire: Wire,
  object: JsonObject,
  modelled: ReadonlySet<string>,
  options: { readonly isDefault?: (key: string, value: Json) => boolean; readonly notes?: Notes } = {},
): { readonly extra?: Extra } {
  let kept: [string, Json][] | undefined
  for (const key of Object.keys(object)) {
    if (modelled.has(key)) continue
    const value = object[key] as Json
    if (options.isDefault?.(key, value)) continue
    kept ??= []
    kept.push([key.startsWith('$') ? `$${key}` : key, value])
  }
  for (const [name, value] of Object.entries(options.notes ?? {})) {
    kept ??= []
    kept.push([`$${name}`, value])
  }
  return kept === undefined ? {} : { extra: { [wire]: Object.fromEntries(kept) } }
}

/** The fields to write back, without the codec's notes. Spread it last into the wire object. */
export function fieldsOf(own: JsonObject | undefined): JsonObject {
  if (own === undefined) return {}
  const keys = Object.keys(own)
  if (!keys.some((key) => key.startsWith('$'))) return own
  const fields = keys.filter((key) => !key.startsWith('$') || key.startsWith('$$'))
  return Object.fromEntries(fields.map((key) => [key.startsWith('$$') ? key.slice(1) : key, own[key] as Json]))
}

/** A note the codec left itself. */
export function noteOf(own: JsonObject | undefined, name: string): Json | undefined {
  return own === undefined || !Object.hasOwn(own, `$${name}`) ? undefined : own[`$${name}`]
}

/** What a node carries for this wire; what it carries for other wires is reported as dropped. */
export function ownExtra(wire: Wire, node: Carried, path: string, losses: Loss[]): JsonObject | undefined {
  const { extra } = node
  if (extra === undefined) return undefined
  const own = extra[wire]
  const others = Object.keys(extra).filter((key) => key !== wire)
  const drop = (place: string): void => {
    const message = `fields of another wire (${others.join(', ')}) are not sent on ${wire}`
    losses.push({ code: 'extra_dropped', wire, path: place, kind: 'dropped', message })
  }
  if (own === undefined) drop(at(path, 'extra'))
  else for (const other of others) drop(at(at(path, 'extra'), other))
  return own
}
