// Unions whose alternatives change their shape on the way to a provider (open maps become lists of entries): values must come back as
// what they were, and alternatives are written as JSON text only where they could be mistaken for each other.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { mapBack, mapForward } from '../../src/schema/restrict/value-map.js'

const map: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }
const object = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const withMap = object({ kind: { const: 'm' }, m: map })
const text: JsonObject = { type: 'string' }

const becomesText = (schema: JsonObject): boolean =>
  restrict(schema, 'openai_strict').losses.some(({ message }) => message.includes('mistaken for each other'))

function roundTrip(schema: JsonObject, value: Json): Json {
  const { mapping } = restrict(schema, 'openai_strict')
  const sent = JSON.stringify(value)
  return JSON.parse(mapping === undefined ? sent : mapBack(mapForward(sent, mapping), mapping)) as Json
}

const within = (options: readonly Json[], definitions: JsonObject = {}): JsonObject => ({
  ...object({ it: { anyOf: options } }),
  $defs: definitions,
})

describe('alternatives that cannot be mistaken for each other keep their structure', () => {
  test.each<[string, JsonObject, readonly Json[]]>([
    ['a literal tells two objects apart', within([withMap, object({ kind: { const: 'n' }, n: text })]), []],
    ['an object and a list of texts', within([withMap, { type: 'array', items: text }]), [['a'], []]],
    ['an object and a number', within([withMap, { type: 'number' }]), [1]],
    ['a map and null', within([map, { type: 'null' }]), [null, { a: 'b' }, {}]],
    [
      'a list of maps and a list of numbers',
      within([{ type: 'array', items: map }, { type: 'number' }]),
      [[{ a: 'b' }]],
    ],
    [
      'two maps of values that differ',
      within([map, { type: 'object', additionalProperties: withMap }]),
      [{ a: 'b' }, {}, { a: { kind: 'm', m: { b: 'c' } } }],
    ],
    ['a required key tells two objects apart', within([object({ m: map }), object({ n: text })]), [{ n: 'x' }]],
  ])('%s', (_, schema, values) => {
    expect(becomesText(schema)).toBe(false)
    for (const it of [...values]) expect(roundTrip(schema, { it })).toEqual({ it })
  })
})

describe('alternatives that could be mistaken for each other are written as JSON text, and come back', () => {
  test.each<[string, JsonObject, readonly Json[]]>([
    [
      'a map, and a list of objects with a key and a value',
      within([map, { type: 'array', items: object({ key: text, value: text }) }]),
      [{ a: 'b' }, [{ key: 'a', value: 'b' }], {}, []],
    ],
    [
      'two objects with the same keys, of which one holds a map',
      within([object({ m: map }), object({ m: { type: 'array', items: object({ key: text, value: text }) } })]),
      [{ m: { a: 'b' } }, { m: [{ key: 'a', value: 'b' }] }],
    ],
    ['a map and any list', within([map, { type: 'array' }]), [{ a: 'b' }, [1]]],
  ])('%s', (_, schema, values) => {
    expect(becomesText(schema)).toBe(true)
    for (const it of values) expect(roundTrip(schema, { it })).toEqual({ it })
  })
})

describe('alternatives that are references', () => {
  // The tree refers to itself, so its definition is still being lowered when the union inside it is looked at.
  const tree = (other: Json): JsonObject =>
    object({ kind: { const: 't' }, notes: map, next: { anyOf: [{ $ref: '#/$defs/tree' }, other] } })
  const leaf = object({ kind: { const: 'l' }, size: { type: 'number' } })
  const schema = (other: Json): JsonObject => ({
    ...object({ first: { $ref: '#/$defs/leaf' }, root: { $ref: '#/$defs/tree' } }),
    $defs: { leaf, tree: tree(other) },
  })
  const value = (next: Json): Json => ({
    first: { kind: 'l', size: 1 },
    root: { kind: 't', notes: { a: 'b' }, next: { kind: 't', notes: { c: 'd' }, next } },
  })

  test.each<[string, Json, Json]>([
    ['null', { type: 'null' }, null],
    ['another definition', { $ref: '#/$defs/leaf' }, { kind: 'l', size: 2 }],
    ['an object with another literal', object({ kind: { const: 'x' } }), { kind: 'x' }],
    ['a text', text, 'end'],
  ])('to the definition around them are told apart from %s', (_, other, next) => {
    expect(becomesText(schema(other))).toBe(false)
    expect(roundTrip(schema(other), value(next))).toEqual(value(next))
  })

  test('to a definition whose map looks like the list of another alternative are written as JSON text', () => {
    const entries: JsonObject = { type: 'array', items: object({ key: text, value: text }) }
    const alike = object({ notes: entries, next: { $ref: '#/$defs/tree' } }, ['notes'])
    const node = object({ notes: map, next: { anyOf: [{ $ref: '#/$defs/tree' }, alike] } }, ['notes'])
    const nested: JsonObject = { ...object({ root: { $ref: '#/$defs/tree' } }), $defs: { tree: node } }
    expect(becomesText(nested)).toBe(true)
    for (const notes of [{ a: 'b' }, [{ key: 'a', value: 'b' }], {}, []]) {
      const given = { root: { notes: { c: 'd' }, next: { notes } } }
      expect(roundTrip(nested, given)).toEqual(given)
    }
  })
})
