// Values for a schema, without knowing how it is checked: some that follow it where it is plain, and the same with something spoilt.
import type { Json, JsonObject } from '../../src/json/types.js'

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A source of small numbers, the same for the same seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % sides
  }
}

/** A value that follows the plain keywords of a schema; nested alternatives are chosen by the dice. */
export function sample(schema: Json | undefined, root: JsonObject, roll: (sides: number) => number, depth = 0): Json {
  if (!isObject(schema) || depth > 6) return [null, 1, 'text', true, {}, []][roll(6)] ?? null
  const { $ref, const: constant, enum: members, anyOf, oneOf, allOf } = schema
  if (constant !== undefined) return constant
  if (Array.isArray(members)) return members[roll(members.length)] ?? null
  if (typeof $ref === 'string') return sample(target($ref, root), root, roll, depth + 1)
  for (const list of [anyOf, oneOf, allOf]) {
    if (Array.isArray(list) && schema.type === undefined) return sample(list[roll(list.length)], root, roll, depth + 1)
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'string')]
  return typed(String(types[roll(types.length)]), schema, root, roll, depth)
}

function typed(
  type: string,
  schema: JsonObject,
  root: JsonObject,
  roll: (sides: number) => number,
  depth: number,
): Json {
  switch (type) {
    case 'object': {
      const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
      const required = new Set(Array.isArray(schema.required) ? schema.required : [])
      const chosen = properties.filter(([name]) => required.has(name) || roll(2) === 0)
      return Object.fromEntries(chosen.map(([name, member]) => [name, sample(member, root, roll, depth + 1)]))
    }
    case 'array': {
      const length = Number(schema.minItems ?? 0) + roll(3)
      return Array.from({ length: Math.min(length, 8) }, () => sample(schema.items, root, roll, depth + 1))
    }
    case 'integer':
      return Math.ceil(Number(schema.minimum ?? 0)) + roll(3)
    case 'number':
      return Number(schema.minimum ?? 0) + roll(5) / 2
    case 'boolean':
      return roll(2) === 0
    case 'null':
      return null
    default:
      return (
        ['a', 'text', '2026-01-02', 'a@b.example', 'https://a.example/b', 'x'.repeat(Number(schema.minLength ?? 3))][
          roll(6)
        ] ?? ''
      )
  }
}

function target(reference: string, root: JsonObject): Json | undefined {
  let found: Json | undefined = root
  for (const key of reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')) {
    found = isObject(found) ? found[key] : undefined
  }
  return found
}

/** The value with one thing changed somewhere: a member gone, added or of another kind. */
export function spoil(value: Json, roll: (sides: number) => number): Json {
  const other = (): Json => [null, -1, 1.5, '', 'zz', true, {}, [1], { zz: 1 }][roll(9)] ?? null
  if (Array.isArray(value) && value.length > 0 && roll(3) > 0) {
    const index = roll(value.length)
    return value.map((item: Json, place: number) => (place === index ? spoil(item, roll) : item))
  }
  if (!isObject(value) || roll(6) === 0) return other()
  const entries = Object.entries(value)
  const index = entries.length === 0 ? 0 : roll(entries.length)
  switch (roll(3)) {
    case 0:
      return Object.fromEntries(entries.filter((_, place) => place !== index))
    case 1:
      return Object.fromEntries([...entries, ['unknown_member', other()]])
    default:
      return Object.fromEntries(
        entries.map(([key, member], place) => [key, place === index ? spoil(member, roll) : member]),
      )
  }
}
