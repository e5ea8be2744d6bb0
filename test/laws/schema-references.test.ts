// References in any document: a verdict or a typed error, and the same verdict once the references are written as plain pointers.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { plainCopy } from '../../src/schema/plain.js'
import { checkSize } from '../../src/schema/size.js'
import { upgradeSchema } from '../../src/schema/upgrade.js'
import { compileSchema } from '../../src/schema/validate.js'
import { importTool } from '../../src/tools/import-tool.js'

const uris = ['a', 'b', 'https://example.com/a', 'dir/c', 'urn:example:a']
const references = fc.constantFrom(
  '#',
  '#z',
  '#/$defs/a',
  '#/$defs/b',
  '#/$defs/b',
  '#/unknown/a',
  'a',
  'a#z',
  'root#/$defs/b',
)
const drafts = fc.constantFrom(
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
)

const { document } = fc.letrec<{ schema: Json; plain: Json; embedded: Json; document: JsonObject }>((tie) => {
  const keywords = {
    $ref: references,
    $anchor: fc.constantFrom('x', 'y'),
    type: fc.constantFrom('string', 'integer', 'object', 'array'),
    minLength: fc.constantFrom(0, 2),
    properties: fc.dictionary(fc.constantFrom('p', 'q'), tie('schema'), { maxKeys: 2 }),
    items: fc.oneof(tie('schema'), fc.array(tie('schema'), { minLength: 1, maxLength: 2 })),
    additionalItems: tie('schema'),
    prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    dependencies: fc.dictionary(fc.constantFrom('p', 'q'), fc.oneof(tie('schema'), fc.constant(['q'])), { maxKeys: 2 }),
    allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    unevaluatedProperties: tie('schema'),
  }
  // Where references can point, so that most of them point somewhere.
  const targets = {
    $defs: fc.record({ a: tie('schema'), b: fc.record({ $anchor: fc.constant('z'), type: keywords.type }) }),
    unknown: fc.record({ a: tie('schema') }),
  }
  const few = fc
    .shuffledSubarray(Object.entries<fc.Arbitrary<unknown>>(keywords), { maxLength: 2 })
    .chain((entries) => fc.record(Object.fromEntries(entries))) as fc.Arbitrary<JsonObject>
  const around = fc.record(
    { ...targets, $schema: drafts },
    { requiredKeys: ['$defs', 'unknown'] },
  ) as fc.Arbitrary<JsonObject>
  return {
    schema: fc.oneof({ maxDepth: 3 }, fc.constant(true), tie('plain'), tie('embedded')),
    plain: few,
    embedded: fc.tuple(fc.constantFrom(...uris), around, few).map(([$id, known, rest]) => ({ $id, ...known, ...rest })),
    document: fc.tuple(around, few).map(([known, rest]) => ({ $id: 'https://example.com/root', ...known, ...rest })),
  }
})
const values: readonly Json[] = [
  'a',
  'abc',
  1,
  {},
  { p: 1 },
  { p: 'abc', q: {} },
  [],
  ['a', 1, {}],
  [['abc'], { p: [] }],
  null,
]

/** Verdicts of every value, or the rule that refuses the schema. */
function verdictsOf(given: JsonObject): readonly unknown[] | string {
  try {
    const check = compileSchema(given)
    return values.map((value) => {
      const checked = check(value)
      return checked.ok ? true : (checked.limit ?? false)
    })
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    return String((error.detail as { readonly rule?: string }).rule)
  }
}

test('a document gives the same verdicts when it is written with plain references', () => {
  let compared = 0
  fc.assert(
    fc.property(document, (given) => {
      const root = plainCopy(given)
      if (
        typeof root !== 'object' ||
        root === null ||
        Array.isArray(root) ||
        checkSize(root as JsonObject) !== undefined
      )
        return
      const verdicts = verdictsOf(root as JsonObject)
      const { schema: upgraded, isDynamic } = upgradeSchema(root as JsonObject)
      if (isDynamic || typeof verdicts === 'string') return
      const again = verdictsOf(upgraded)
      // A reference to itself ends in the limit `depth`, later or earlier, or is refused at once.
      if (again === 'ref_cycle') return
      const isLimited = verdicts.map((verdict, index) => [verdict, again[index]].some((one) => typeof one === 'string'))
      const known = (list: readonly unknown[]): unknown => list.filter((_, index) => !isLimited[index])
      if (upgraded !== root) compared += 1
      expect({ root, verdicts: known(typeof again === 'string' ? [again] : again) }).toEqual({
        root,
        verdicts: known(verdicts),
      })
    }),
    { numRuns: 1_500 },
  )
  expect(compared).toBeGreaterThan(100)
})

test('an import of any document gives a tool or a typed error', () => {
  fc.assert(
    fc.property(document, (given) => {
      try {
        importTool({ name: 'any', inputSchema: { type: 'object', properties: { value: given } } })
      } catch (error) {
        expect(ToolwireError.is(error)).toBe(true)
      }
    }),
  )
})
