// The fields of a stored value, one at a time: own properties only, each with its place, what is not asked for refused.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { pointerName } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { at } from './losses.js'
import type { Extra, Opaque, Origin, Wire } from './messages.js'
import { wires } from './messages.js'

/** Far beyond any real conversation; there to stop a hostile one. The last three hold for each message and each tool result. */
export const storedLimits: { readonly [K in 'messages' | 'parts' | 'values' | 'characters' | 'depth']: number } = {
  messages: 100_000,
  parts: 10_000,
  values: 1_000_000,
  characters: 64 * 1024 * 1024,
  depth: 512,
}

/** A value and its place, for errors. */
export interface Field {
  readonly value: unknown
  readonly path: string
}

/** What one message, or one tool result, may still use up. */
export interface Reading {
  values: number
  characters: number
}

export function startReading(): Reading {
  return { values: storedLimits.values, characters: storedLimits.characters }
}

export interface Fields {
  /** The own property of that name; its value is undefined when there is none. */
  take(key: string): Field
  /** Refuses when a property was never taken. */
  end(): void
  all(): readonly (readonly [key: string, field: Field])[]
}

export function refuse(field: Field, what: string): never {
  throw new ToolwireError('invalid_request', `${placeOf(field.path)} ${what}`, { detail: { path: field.path } })
}

/** A place as code has it. Hostile keys make long paths: only the end of one is shown. */
function placeOf(path: string): string {
  if (path.length > 200) return `…${path.slice(-200)}`
  const name = pointerName(path)
  if (name === '') return 'the stored data'
  return name.startsWith('[') ? `messages${name}` : name // a list that was stored by itself is one of messages
}

export function fieldsAt(json: unknown, path: string): Fields {
  if (!isJsonObject(json)) return refuse({ value: json, path }, 'must be an object')
  const own = new Map<string, unknown>(Object.entries(json))
  return {
    take(key) {
      const value = own.get(key)
      own.delete(key)
      return { value, path: at(path, key) }
    },
    end() {
      for (const [key, value] of own) {
        if (value !== undefined)
          refuse({ value, path: at(path, key) }, 'is a field that is not known here; remove it or put it into "extra"')
      }
    },
    all: () => [...own].map(([key, value]) => [key, { value, path: at(path, key) }]),
  }
}

export function listAt(json: unknown, path: string, limit: number): readonly unknown[] {
  if (!Array.isArray(json)) return refuse({ value: json, path }, 'must be an array')
  if (json.length > limit) return exceeded(path, `has more than ${limit} entries`)
  return Array.from<unknown>(json) // holes become undefined, and are refused as such
}

export function oneOf<T extends string>(field: Field, allowed: readonly T[]): T {
  const found = allowed.find((item) => item === field.value)
  return found ?? refuse(field, `must be one of ${allowed.join(', ')}`)
}

export function textAt(field: Field, reading: Reading): string {
  if (typeof field.value !== 'string') return refuse(field, 'must be a string')
  return counted(field.value, field.path, reading)
}

/** The text of record of a runnable call. A call whose text is anything but an object must be stored as broken. */
export function argumentsAt(field: Field, reading: Reading): string {
  const text = textAt(field, reading)
  if (!isArgumentText(text))
    return refuse(field, 'must be the JSON text of an object; other text belongs in a "broken_call"')
  return text
}

export function isArgumentText(text: string): boolean {
  try {
    return isJsonObject(parseBody(text))
  } catch {
    return false
  }
}

export function extraAt(field: Field, reading: Reading): { readonly extra?: Extra } {
  if (field.value === undefined) return {}
  const fields = fieldsAt(field.value, field.path)
  const entries: [Wire, JsonObject][] = []
  for (const wire of wires) {
    const own = fields.take(wire)
    if (own.value !== undefined) entries.push([wire, jsonAt(own, reading)])
  }
  fields.end()
  return { extra: Object.fromEntries(entries) }
}

export function originAt(field: Field, reading: Reading): Origin {
  const fields = fieldsAt(field.value, field.path)
  const wire = oneOf(fields.take('wire'), wires)
  const provider = fields.take('provider')
  const model = fields.take('model')
  fields.end()
  return {
    wire,
    ...(provider.value === undefined ? {} : { provider: textAt(provider, reading) }),
    ...(model.value === undefined ? {} : { model: textAt(model, reading) }),
  }
}

export function opaqueAt(field: Field, reading: Reading): { readonly opaque?: Opaque } {
  if (field.value === undefined) return {}
  const fields = fieldsAt(field.value, field.path)
  const origin = originAt(fields.take('origin'), reading)
  const data = jsonAt(fields.take('data'), reading)
  fields.end()
  return { opaque: { origin, data } }
}

/** A copy of an object of any JSON. */
export function jsonAt(field: Field, reading: Reading): JsonObject {
  if (!isJsonObject(field.value)) return refuse(field, 'must be an object')
  return copyJson(field.value, field.path, reading, 0) as JsonObject
}

function copyJson(value: unknown, path: string, reading: Reading, depth: number): Json {
  if (depth > storedLimits.depth) return exceeded(path, `nests deeper than ${storedLimits.depth} levels`)
  reading.values -= 1
  if (reading.values < 0) return exceeded(path, `holds more than ${storedLimits.values} values`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return counted(value, path, reading)
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : refuse({ value, path }, 'must be a finite number')
  }
  if (Array.isArray(value))
    return Array.from<unknown, Json>(value, (item, index) => copyJson(item, at(path, index), reading, depth + 1))
  if (!isJsonObject(value)) return refuse({ value, path }, 'must be plain JSON')
  const entries: [string, Json][] = []
  for (const [key, member] of Object.entries<unknown>(value)) {
    if (member !== undefined)
      entries.push([counted(key, path, reading), copyJson(member, at(path, key), reading, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function counted(text: string, path: string, reading: Reading): string {
  reading.characters -= text.length
  if (reading.characters < 0) return exceeded(path, `holds more than ${storedLimits.characters} characters`)
  return text
}

function exceeded(path: string, what: string): never {
  // A path is as deep as the data, and hostile keys are as long: only its end is told.
  const place = path.length > 200 ? `…${path.slice(-200)}` : path
  throw new ToolwireError('limit_exceeded', `the stored data is too large: "${place}" ${what}`, {
    detail: { path: place },
  })
}
