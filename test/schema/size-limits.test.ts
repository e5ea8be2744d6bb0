// How much a provider takes of one schema: at the limit it is sent, beyond it is refused with the count, or written in another form.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { DialectName } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'

const text = { type: 'string' } as const
const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const named = (count: number, schema: (index: number) => Json): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema(index)]))

const isRefused = (dialect: DialectName, schema: JsonObject): boolean => restrict(schema, dialect).refused !== undefined

describe('openai_strict', () => {
  test('1,000 values in all enums', () => {
    const values = (count: number, from = 0): Json => ({
      type: 'string',
      enum: Array.from({ length: count }, (_, index) => `v${from + index}`),
    })
    expect(isRefused('openai_strict', closed({ a: values(500), b: values(500, 500) }))).toBe(false)
    expect(isRefused('openai_strict', closed({ a: values(500), b: values(501, 500) }))).toBe(true)
    expect(isRefused('anthropic_strict', closed({ a: values(500), b: values(501, 500) }))).toBe(false)
  })

  test('120,000 characters of names and values', () => {
    const long = (length: number): JsonObject => closed({ a: { type: 'string', enum: ['v'.repeat(length - 1)] } })
    expect(isRefused('openai_strict', long(120_000))).toBe(false)
    expect(isRefused('openai_strict', long(120_001))).toBe(true)
  })

  test('ten levels of objects; what lies deeper is JSON text', () => {
    const nested = (levels: number): JsonObject => {
      let schema: JsonObject = closed({ end: text })
      for (let level = 1; level < levels; level += 1) schema = closed({ a: schema })
      return schema
    }
    expect(restrict(nested(10), 'openai_strict').losses).toEqual([])
    const { losses, refused } = restrict(nested(11), 'openai_strict')
    expect(refused).toBeUndefined()
    expect(losses).toEqual([expect.objectContaining({ kind: 'lowered', path: '/properties/a'.repeat(10) })])
    expect(restrict(nested(11), 'anthropic_strict').losses).toEqual([])
  })
})

describe.each<DialectName>(['anthropic_strict', 'anthropic_output'])('%s', (dialect) => {
  test('24 optional properties', () => {
    const optional = (count: number): JsonObject =>
      closed(
        named(count, () => text),
        [],
      )
    expect(isRefused(dialect, optional(24))).toBe(false)
    expect(isRefused(dialect, optional(25))).toBe(true)
    expect(isRefused('gemini_openapi', optional(25))).toBe(false)
  })

  test('16 unions', () => {
    const unions = (count: number): JsonObject => closed(named(count, () => ({ anyOf: [text, { type: 'number' }] })))
    expect(isRefused(dialect, unions(16))).toBe(false)
    expect(isRefused(dialect, unions(17))).toBe(true)
    expect(isRefused('openai_strict', unions(17))).toBe(false)
  })

  test('a list that must have more than one item says so in its description', () => {
    const list = (minItems: number): JsonObject => closed({ a: { type: 'array', items: text, minItems } })
    expect(restrict(list(1), dialect).schema).toMatchObject({ properties: { a: { minItems: 1 } } })
    const { schema, losses } = restrict(list(2), dialect)
    expect(JSON.stringify(schema)).toContain('minItems: 2')
    expect(losses).toEqual([expect.objectContaining({ kind: 'moved', path: '/properties/a/minItems' })])
  })
})

describe('formats', () => {
  test.each<[DialectName, readonly string[], readonly string[]]>([
    [
      'openai_strict',
      ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
      ['uri', 'own'],
    ],
    [
      'anthropic_strict',
      ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
      ['own'],
    ],
    ['gemini_openapi', ['date-time', 'enum', 'float', 'double', 'int32', 'int64'], ['date', 'email']],
  ])('%s', (dialect, known, others) => {
    const lowered = (format: string): JsonObject => {
      const { schema } = restrict(closed({ a: { type: 'string', format } }), dialect)
      return (schema.properties as JsonObject).a as JsonObject
    }
    for (const format of known) expect(lowered(format)).toEqual({ type: 'string', format })
    for (const format of others)
      expect(lowered(format)).toEqual({ type: 'string', description: `(format: "${format}")` })
  })
})
