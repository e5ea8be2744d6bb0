// The laws of the schema compiler, for any schema: what it gives is valid in its dialect, is left as it is the second time, and
// every value of the original crosses and comes back.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { dialectNames } from '../../src/schema/restrict/dialects.js'
import { type Restricted, restrict } from '../../src/schema/restrict/restrict.js'
import { mapBack, mapForward } from '../../src/schema/restrict/value-map.js'
import { compileSchema } from '../../src/schema/validate.js'
import { oracles } from '../../src/testing/schema-oracles.js'
import { recursive, type Sample, samples } from '../arbitraries/schemas.js'
import { expectStrict } from '../schema/openai-helper.js'

const schemas: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 20, arbitrary: samples },
  { weight: 1, arbitrary: fc.constant(recursive) },
)
const plain: fc.Arbitrary<JsonObject> = schemas.map(({ schema }) => schema)
const valued: fc.Arbitrary<readonly [JsonObject, Json]> = schemas.chain(({ schema, value }) =>
  value.map((given) => [schema, given] as const),
)
const runs = { numRuns: 400 }

describe.each(dialectNames)('%s', (dialect) => {
  test('a lowered schema is one of the dialect, or refused with a reason', () => {
    fc.assert(
      fc.property(plain, (schema) => {
        const { schema: lowered, refused } = restrict(schema, dialect)
        if (refused !== undefined) expect(refused).not.toBe('')
        else expect(oracles[dialect](lowered)).toEqual([])
      }),
      runs,
    )
  })

  test('lowering is deterministic, and changes nothing the second time', () => {
    fc.assert(
      fc.property(plain, (schema) => {
        const result = restrict(schema, dialect)
        expect(restrict(schema, dialect)).toEqual(result)
        expect(restrict(structuredClone(schema) as JsonObject, dialect)).toEqual(result)
        if (result.refused !== undefined) return
        expect(restrict(result.schema, dialect)).toEqual({ schema: result.schema, losses: [] })
        const copy = structuredClone(result.schema) as JsonObject
        expect(restrict(copy, dialect).schema).toEqual(result.schema)
      }),
      runs,
    )
  })

  test('every value has an image that the lowered schema takes and that comes back as the value', () => {
    fc.assert(
      fc.property(valued, ([schema, value]) => {
        const result = restrict(schema, dialect)
        if (result.refused !== undefined) return
        const image = imageOf(value, result)
        expect(compileSchema(result.schema)(JSON.parse(image))).toMatchObject({ ok: true })
        const back = JSON.parse(backOf(image, result)) as Json
        expect(compileSchema(schema)(back)).toMatchObject({ ok: true })
        const isBlurred = result.losses.some((loss) => loss.kind === 'narrowed')
        if (!isBlurred) expect(back).toEqual(value)
        else expect(withoutNulls(back)).toEqual(withoutNulls(value))
      }),
      { ...runs, numRuns: 800 },
    )
  })

  test('whatever a model answers comes back as JSON, and nothing throws', () => {
    fc.assert(
      fc.property(plain, fc.jsonValue({ maxDepth: 4 }), (schema, answer) => {
        const result = restrict(schema, dialect)
        const back = backOf(JSON.stringify(answer), result)
        expect(() => JSON.parse(back)).not.toThrow()
        expect(typeof compileSchema(schema)(JSON.parse(back)).ok).toBe('boolean')
      }),
      runs,
    )
  })
})

test('openai_strict: the openai package has nothing to change in a lowered schema', () => {
  fc.assert(
    fc.property(plain, (schema) => {
      const { schema: lowered, refused } = restrict(schema, 'openai_strict')
      if (refused === undefined) expectStrict(lowered)
    }),
    runs,
  )
})

function imageOf(value: Json, { mapping }: Restricted): string {
  const text = JSON.stringify(value)
  return mapping === undefined ? text : mapForward(text, mapping)
}

function backOf(text: string, { mapping }: Restricted): string {
  return mapping === undefined ? text : mapBack(text, mapping)
}

/** Where absence and null cannot be told apart, they are taken for the same. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}
