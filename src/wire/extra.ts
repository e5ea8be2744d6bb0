// Fields that are not modelled: collected on decode under the wire's name, written back on that wire only.
// A codec may leave itself a note there about the spelling it met (`$name`); notes are never written as fields.
import { at, type Loss } from '../conversation/losses.js'
import type { Carried, Extra, Wire } from '../conversation/messages.js'
import { canonicalJson } from '../json/digest.js'
import { isJsonObject } from '../json/parse.js'
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
  options: {
    readonly isDefault?: (key: string, value: Json) => boolean
    readonly notes?: Notes
    /** Unmodelled members of a modelled member, kept under its name. Empty ones are left out. */
    readonly inner?: { readonly [key: string]: JsonObject | undefined }
    /** Members that were read in part: what is left of each, or null. */
    readonly left?: JsonObject
  } = {},
): { readonly extra?: Extra } {
  let kept: [string, Json][] | undefined
  const { left, inner, notes } = options
  for (const key of Object.keys(object)) {
    if (modelled.has(key) || (left !== undefined && Object.hasOwn(left, key))) continue
    const value = object[key] as Json
    if (options.isDefault?.(key, value)) continue
    kept ??= []
    kept.push([key.startsWith('$') ? `$${key}` : key, value])
  }
  for (const key of Object.keys(left ?? nothing)) {
    const value = left?.[key] ?? null
    if (value === null) continue
    kept ??= []
    kept.push([key, value])
  }
  for (const key of Object.keys(inner ?? nothing)) {
    const value = inner?.[key]
    if (value === undefined || isEmpty(value)) continue
    kept ??= []
    kept.push([key, value])
  }
  for (const name of Object.keys(notes ?? nothing)) {
    kept ??= []
    kept.push([`$${name}`, notes?.[name] as Json])
  }
  return kept === undefined ? noExtra : { extra: { [wire]: Object.fromEntries(kept) } }
}

const nothing: JsonObject = {}
const noExtra: { readonly extra?: Extra } = {}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0
}

/** The members of a modelled member that are not modelled. */
export function unmodelled(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  const isKept = (key: string): boolean => object[key] !== null && !known.has(key)
  const keys = Object.keys(object)
  if (!keys.some(isKept)) return nothing
  return Object.fromEntries(keys.filter(isKept).map((key) => [key, object[key] as Json]))
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

/**
 * The fields to write back of a node, and one exact loss when they are not all it carries: fields of other wires, nulls,
 * names the wire object has itself (`taken`; `all` when it has no object), notes that no longer apply. `notes` and `inner` are what decoding will leave
 * there again. Spread the result last into the wire object.
 */
export function carriedFields(
  wire: Wire,
  node: Carried,
  path: string,
  losses: Loss[],
  written: {
    readonly taken: ReadonlySet<string> | 'all'
    readonly notes?: Notes
    readonly inner?: { readonly [key: string]: JsonObject | undefined }
  },
): JsonObject {
  if (node.extra === undefined && isEmpty(written.notes ?? nothing) && !hasMember(written.inner ?? nothing)) return {}
  const { taken } = written
  const fields =
    taken === 'all'
      ? []
      : Object.entries(fieldsOf(node.extra?.[wire])).filter(([key, value]) => value !== null && !taken.has(key))
  const object = Object.fromEntries(fields)
  const { extra: kept } = leftover(wire, object, new Set(), written)
  if (canonicalJson((kept ?? null) as Json) !== canonicalJson((node.extra ?? null) as Json)) {
    const message = `not all unmodelled fields of this node (${Object.keys(node.extra ?? {}).join(', ')}) can be sent on ${wire}`
    const loss = { wire, path: at(path, 'extra'), message }
    if (kept === undefined) losses.push({ ...loss, code: 'extra_dropped', kind: 'dropped' })
    else losses.push({ ...loss, code: 'extra_changed', kind: 'changed', to: kept as Json })
  }
  return object
}

function hasMember(inner: { readonly [key: string]: unknown }): boolean {
  return Object.keys(inner).some((key) => inner[key] !== undefined)
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

/**
 * The unmodelled fields of a node for its wire object (spread them in), with a loss for each that decoding will not give
 * back: fields of other wires, wire defaults, notes that are not among `notes`, and fields the codec models itself.
 */
export function extraFields(
  wire: Wire,
  node: Carried,
  path: string,
  losses: Loss[],
  modelled: ReadonlySet<string>,
  options: {
    readonly isDefault?: (key: string, value: Json) => boolean
    readonly notes?: ReadonlySet<string>
  } = {},
): JsonObject {
  if (node.extra === undefined) return {}
  const place = at(path, 'extra')
  const own = ownExtra(wire, node, path, losses) ?? {}
  const fields: [string, Json][] = []
  let kept = 0
  for (const key of Object.keys(own)) {
    const value = own[key] as Json
    const isNote = key.startsWith('$') && !key.startsWith('$$')
    const name = key.startsWith('$') ? key.slice(1) : key
    const comesBack = isNote
      ? options.notes?.has(name) === true
      : !modelled.has(name) && !options.isDefault?.(name, value)
    if (comesBack) kept += 1
    else {
      const message = isNote
        ? `${wire} has no note "${name}" here`
        : `the field "${name}" is one that ${wire} spells by itself, or its default`
      losses.push({ code: 'extra_dropped', wire, path: at(at(place, wire), key), kind: 'dropped', message })
    }
    if (comesBack && !isNote) fields.push([name, value])
  }
  if (kept === 0 && node.extra[wire] !== undefined) {
    losses.push({ code: 'extra_dropped', wire, path: place, kind: 'dropped', message: `nothing of it goes to ${wire}` })
  }
  return fields.length === 0 ? {} : Object.fromEntries(fields)
}
