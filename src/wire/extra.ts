// Fields that are not modelled: collected on decode under the wire's name, written back on that wire only.
// A codec may leave itself a note there about the spelling it met (`$name`); notes are never written as fields.
import { at, type Loss } from '../conversation/losses.js'
import type { Carried, Extra, Wire } from '../conversation/messages.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { differences } from './differences.js'

export type Notes = { readonly [name: string]: Json }

/**
 * What a canonical node carries of a wire object: its members that are neither modelled nor a wire default, and the codec's
 * notes. Spread it into the node.
 */
export function leftover(
  wire: Wire,
  object: JsonObject,
  modelled: ReadonlySet<string>,
  options: {
    readonly isDefault?: (key: string, value: Json) => boolean
    readonly notes?: Notes
    /** Notes for other wires that mean the same as those of this one. */
    readonly also?: Extra | undefined
    /** Unmodelled members of a modelled member, kept under its name. Empty ones are left out. */
    readonly inner?: { readonly [key: string]: JsonObject | undefined }
    /** Members that were read in part: what is left of each, or null. */
    readonly left?: JsonObject
  } = {},
): { readonly extra?: Extra } {
  let kept: [string, Json][] | undefined
  const { left, inner, notes } = options
  for (const key in object) {
    if (modelled.has(key) || (left !== undefined && Object.hasOwn(left, key)) || !Object.hasOwn(object, key)) continue
    const value = object[key] as Json
    if (options.isDefault?.(key, value)) continue
    kept ??= []
    kept.push([key.startsWith('$') ? `$${key}` : key, value])
  }
  for (const key in left) {
    const value = left[key] ?? null
    if (value === null) continue
    kept ??= []
    kept.push([key, value])
  }
  for (const key in inner) {
    const value = inner[key]
    if (value === undefined || !hasMember(value)) continue
    kept ??= []
    kept.push([key, value])
  }
  for (const name in notes) {
    kept ??= []
    kept.push([`$${name}`, notes[name] as Json])
  }
  return kept === undefined ? noExtra : { extra: { ...options.also, [wire]: Object.fromEntries(kept) } }
}

const nothing: JsonObject = {}
const noExtra: { readonly extra?: Extra } = {}

/** The members of a modelled member that are not modelled. */
export function unmodelled(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  let kept: [string, Json][] | undefined
  for (const key in object) {
    if (known.has(key) || object[key] === null || !Object.hasOwn(object, key)) continue
    kept ??= []
    kept.push([key, object[key] as Json])
  }
  return kept === undefined ? nothing : Object.fromEntries(kept)
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

/** What a wire object takes of the fields a node carries, and what decoding will leave there again. */
export interface Written {
  /** Names the wire object has itself, or `all` when there is no wire object. */
  readonly taken: ReadonlySet<string> | 'all'
  /** Values that mean the same as absence. Default: null. */
  readonly isDefault?: (key: string, value: Json) => boolean
  readonly notes?: Notes
  readonly also?: Extra
  readonly inner?: { readonly [key: string]: JsonObject | undefined }
}

/** The fields to write back of a node. Spread them last into the wire object. */
export function writtenFields(wire: Wire, node: Carried, written: Written): JsonObject {
  const { taken, isDefault = isNull } = written
  const own = node.extra?.[wire]
  if (own === undefined || taken === 'all') return nothing
  const fields = Object.entries(fieldsOf(own))
  return Object.fromEntries(fields.filter(([key, value]) => !taken.has(key) && !isDefault(key, value)))
}

/**
 * The fields to write back of a node, with a loss for each that decoding will not give back as it was: fields of other wires,
 * defaults, names that are taken, notes that no longer apply.
 */
export function carriedFields(wire: Wire, node: Carried, path: string, losses: Loss[], written: Written): JsonObject {
  if (node.extra === undefined && !hasMember(written.notes) && !hasMember(written.inner)) return nothing
  const fields = writtenFields(wire, node, written)
  const { extra } = leftover(wire, fields, noNames, written)
  differences(wire, node.extra, extra, at(path, 'extra'), losses)
  return fields
}

const noNames: ReadonlySet<string> = new Set()

function isNull(_: string, value: Json): boolean {
  return value === null
}

/** Whether any member of the object is there. */
export function hasMember(object: { readonly [key: string]: unknown } | undefined): boolean {
  for (const key in object) if (object[key] !== undefined) return true
  return false
}

/** The unmodelled members that a node carries for a modelled member: what `carriedFields` takes as `inner`. */
export function innerFields(
  own: JsonObject | undefined,
  key: string,
  taken: ReadonlySet<string>,
): JsonObject | undefined {
  const inner = own !== undefined && Object.hasOwn(own, key) ? own[key] : undefined
  if (!isJsonObject(inner)) return undefined
  const kept = Object.entries(inner).filter(([name, value]) => value !== null && !taken.has(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
