import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { surveySchema } from '../../src/schema/survey.js'
import { tidySchema } from '../../src/schema/tidy.js'
import { tool } from '../../src/tools/define.js'

const names = fc.constantFrom('a', 'b', 'c')

const leaves = fc.constantFrom<Json>(true, { type: 'string' }, { enum: ['x'] }, 'string', null)

/** Schemas as a library could give them: mostly right, and sometimes with the wrong thing in a keyword. */
function schemasOf(depth: number): fc.Arbitrary<JsonObject> {
  const any = depth === 0 ? leaves : fc.oneof({ weight: 5, arbitrary: schemasOf(depth - 1) }, leaves)
  const map = fc.dictionary(names, any, { maxKeys: 2 })
  const keywords = {
    type: fc.constantFrom('string', 'object', 'object', 'integer', 'array', 'strin'),
    properties: fc.oneof({ weight: 9, arbitrary: map }, fc.constant([])),
    required: fc.constantFrom<Json>([], [], ['a'], ['a', 'b'], [1]),
    items: any,
    anyOf: fc.array(any, { maxLength: 2 }),
    definitions: map,
    enum: fc.constantFrom<Json>(['x'], ['x', 1], []),
    minimum: fc.constantFrom<Json>(1, Number.MIN_SAFE_INTEGER, '1'),
    $ref: fc.constantFrom('#', '#/held', '#/definitions/a'),
    held: fc.constant({ type: 'strin' }),
    description: fc.constantFrom<Json>('What it is', 'What it was', 7),
  }
  const wanted = fc.subarray(Object.keys(keywords) as (keyof typeof keywords)[], { maxLength: 4 })
  return wanted.chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key]]))))
}

function isFrozenWhole(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozenWhole)
}

test('of a schema that was seen to be sound a survey finds nothing wrong', () => {
  let sound = 0
  fc.assert(
    fc.property(schemasOf(2), (schema) => {
      const tidy = tidySchema(structuredClone(schema))
      expect(isFrozenWhole(tidy.schema)).toBe(true)
      if (!tidy.isSound) return
      sound++
      const { problem, strictProblem } = surveySchema(tidy.schema)
      expect({ problem, strictProblem }).toEqual({ problem: undefined, strictProblem: undefined })
    }),
    { numRuns: 400 },
  )
  expect(sound).toBeGreaterThan(40)
})

function levels(count: number): z.ZodType {
  return count === 0 ? z.string() : z.object({ a: levels(count - 1) })
}

/** What each breaks, and where. */
const broken: readonly (readonly [string, z.ZodType, string, string])[] = [
  ['a type that is none', z.object({ a: z.string().meta({ type: 'strin' }) }), 'unknown_type', '/properties/a/type'],
  [
    'a bound that is a text',
    z.object({ a: z.number().meta({ minimum: '1' }) }),
    'keyword_value',
    '/properties/a/minimum',
  ],
  ['a required name that is not there', z.object({}).meta({ required: ['b'] }), 'required_unknown', '/required'],
  ['eleven levels of properties', levels(11), 'schema_depth', '/properties/a'.repeat(10)],
  ['a deep default', z.object({ a: z.any().meta({ default: nested(120) }) }), 'schema_too_large', ''],
  ['a long enum', z.object({ a: z.enum(Array.from({ length: 4_000 }, (_, i) => `v${i}`)) }), 'schema_too_large', ''],
  ['a long text', z.object({ a: z.string().describe('x'.repeat(1_000_001)) }), 'schema_too_large', ''],
  ['a root that is no object', z.string(), 'root_type', '/type'],
]

function nested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

test.each(broken)('a zod schema is refused when the tool is defined: %s', (_name, input, rule, path) => {
  const define = (): unknown => tool({ name: 'look_up', description: 'Looks something up', input, execute: () => 1 })
  let thrown: unknown
  try {
    define()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ToolwireError)
  const { detail } = thrown as ToolwireError
  expect([detail?.rule, detail?.path ?? '']).toEqual([rule, path])
})

test('ten levels of properties, references and definitions are taken from zod', () => {
  const node = z.object({
    name: z.string().meta({ id: 'label' }),
    get next() {
      return node.optional()
    },
  })
  for (const input of [levels(10), node]) {
    const made = tool({ name: 'look_up', description: 'Looks something up', input, execute: () => 1 })
    expect(isFrozenWhole(made.spec)).toBe(true)
  }
})

test('what another library gives is left as it is', () => {
  const given = { $schema: 'x', type: 'object', properties: { a: { enum: ['x'] } } }
  const jsonSchema = { input: () => given, output: () => given }
  const validate = (value: unknown): { value: unknown } => ({ value })
  const input = { '~standard': { version: 1 as const, vendor: 'another', validate, jsonSchema } }
  const made = tool({ name: 'look_up', description: 'Looks something up', input, execute: () => 1 })
  expect(made.spec.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string', enum: ['x'] } } })
  expect(given).toEqual({ $schema: 'x', type: 'object', properties: { a: { enum: ['x'] } } })
  expect(Object.isFrozen(given.properties.a)).toBe(false)
})

test('a schema is asked once, frozen or not, and nobody sees what was remembered of it', () => {
  const made = (input: z.ZodObject): JsonObject | undefined =>
    tool({ name: 'look_up', description: 'Looks a name up', input, execute: () => '' }).spec.inputSchema
  const given = z.object({ name: z.string() })
  const keys = [...Object.keys(given), ...Object.getOwnPropertySymbols(given)]
  const first = made(given)
  expect(made(given)).toBe(first)
  expect([...Object.keys(given), ...Object.getOwnPropertySymbols({ ...given })]).toEqual(keys)
  const heir = Object.create(given, { '~standard': { value: z.object({ age: z.number() })['~standard'] } })
  expect(made(heir)?.properties).toEqual({ age: { type: 'number' } })
  const used = z.object({ name: z.string() })
  expect(used['~standard'].vendor).toBe('zod')
  const frozen = Object.freeze(used)
  expect(made(frozen)).toBe(made(frozen))
  expect(() => made(Object.freeze(z.object({ name: z.string() })))).toThrow(ToolwireError)
})
