// Each keyword at its edge: the last value that passes, the first one that does not, and the sentence a model reads about it.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import { surveySchema } from '../../src/schema/survey.js'
import { compileSchema } from '../../src/schema/validate.js'
import { tool } from '../../src/tools/define.js'

const issuesOf = (schema: JsonObject, value: unknown): readonly (readonly [string, string])[] => {
  const checked = compileSchema(schema)(value)
  return checked.ok ? [] : checked.issues.map(({ path, message }) => [path, message] as const)
}

type Row = readonly [
  keyword: JsonObject,
  passing: readonly Json[],
  failing: readonly Json[],
  message: string,
  path?: string,
]

const conditional: JsonObject = Object.fromEntries([
  ['if', { type: 'number' }],
  ['then', { minimum: 1 }],
  ['else', { type: 'string' }],
])

const rows: readonly Row[] = [
  [{ minimum: 2 }, [2, 2.5, 'x'], [1.999, 1, -3], 'must be 2 or more'],
  [{ maximum: 2 }, [2, -1, 'x'], [2.001, 3], 'must be 2 or less'],
  [{ exclusiveMinimum: 2 }, [2.001, 3, 'x'], [2, 1], 'must be more than 2'],
  [{ exclusiveMaximum: 2 }, [1.999, 'x'], [2, 3], 'must be less than 2'],
  [{ multipleOf: 0.1 }, [0, 0.3, -1.1, 'x'], [0.25, 1.05], 'must be a multiple of 0.1'],
  [{ minLength: 2 }, ['ab', 'abc', 7], ['', 'a', '😀'], 'must have at least 2 characters'],
  [{ maxLength: 2 }, ['', 'ab', '😀😀', 7], ['abc', '😀😀😀'], 'must have at most 2 characters'],
  [{ pattern: '^a' }, ['a', 'ab', 7], ['', 'ba'], 'must match the pattern "^a"'],
  [{ minItems: 2 }, [[1, 2], [1, 2, 3], 'x'], [[], [1]], 'must have at least 2 items'],
  [{ maxItems: 2 }, [[], [1, 2], 'xyz'], [[1, 2, 3]], 'must have at most 2 items'],
  [
    { uniqueItems: true },
    [[], [1], [1, 2], [1, '1'], [[], {}]],
    [
      [1, 1],
      [{ a: [1] }, 2, { a: [1] }],
    ],
    'must not have the same item twice',
  ],
  [{ minProperties: 2 }, [{ a: 1, b: 2 }, []], [{}, { a: 1 }], 'must have at least 2 properties'],
  [{ maxProperties: 2 }, [{}, { a: 1, b: 1 }, [1, 2, 3]], [{ a: 1, b: 2, c: 3 }], 'must have at most 2 properties'],
  [{ const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, { a: [null, 1] }, null], 'must be {"a":[1,null]}'],
  [{ enum: ['a', 1, null] }, ['a', 1, null], ['b', '1', 0, [], {}], 'must be one of "a", 1, null'],
  [{ required: ['a'] }, [{ a: null }, [], 'x'], [{}, { b: 1 }], 'is required', '/a'],
  [
    { additionalProperties: false, properties: { a: {} } },
    [{}, { a: 1 }],
    [{ b: 1 }, { a: 1, b: 1 }],
    'is not a known property',
    '/b',
  ],
  [
    { dependentRequired: { a: ['b'] } },
    [{}, { b: 1 }, { a: 1, b: 1 }],
    [{ a: 1 }, { a: 1, c: 1 }],
    'is required',
    '/b',
  ],
  [{ items: { type: 'string' } }, [[], ['a'], 'x'], [[1], [null]], 'must be string', '/0'],
  [
    { prefixItems: [{}, { type: 'string' }] },
    [[], [1], [1, 'a', 3]],
    [
      [1, 2],
      ['a', 2, 'c'],
    ],
    'must be string',
    '/1',
  ],
  [
    { prefixItems: [{}], items: { type: 'null' } },
    [[], [1], [1, null]],
    [
      [1, 2],
      [null, 'x', null],
    ],
    'must be null',
    '/1',
  ],
  [{ propertyNames: { maxLength: 1 } }, [{}, { a: 1 }, ['ab']], [{ ab: 1 }], 'is not an allowed property name', '/ab'],
  [
    { patternProperties: { '^n_': { type: 'number' } } },
    [{}, { n_a: 1 }, { a: 'x' }],
    [{ n_a: 'x' }],
    'must be number',
    '/n_a',
  ],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }], 'is required', '/b'],
  [conditional, [1, 2, 'x'], [0, -1], 'must be 1 or more'],
  [conditional, ['x'], [null, [], {}], 'must be string'],
]

describe('a keyword at its edge', () => {
  test.each(rows.map((row) => ({ row, name: JSON.stringify(row[0]) })))('$name', ({ row }) => {
    const [schema, passing, failing, message, path = ''] = row
    for (const value of passing) expect([value, issuesOf(schema, value)]).toEqual([value, []])
    for (const value of failing) expect([value, issuesOf(schema, value)]).toEqual([value, [[path, message]]])
  })

  test.each<[Json, readonly Json[], readonly Json[]]>([
    ['string', ['', 'a'], [1, null, true, [], {}]],
    ['number', [0, -1.5], ['1', null, true, [], {}]],
    ['integer', [0, -3, 2.0], [1.5, '1', null, true]],
    ['boolean', [true, false], [0, 1, 'true', null]],
    ['null', [null], [0, '', false, [], {}]],
    ['object', [{}, { a: 1 }], [null, [], 'x', 1]],
    ['array', [[], [1]], [null, {}, 'x', 1]],
  ])('the type %s', (type, passing, failing) => {
    for (const value of passing) expect([value, issuesOf({ type }, value)]).toEqual([value, []])
    for (const value of failing)
      expect([value, issuesOf({ type }, value)]).toEqual([value, [['', `must be ${String(type)}`]]])
  })

  test.each<[string, JsonObject, readonly Json[], readonly Json[]]>([
    ['contains', { contains: { type: 'number' } }, [[1], ['a', 1], 'x'], [[], ['a']]],
    [
      'contains at least two',
      { contains: { const: 1 }, minContains: 2 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[], [1], [2, 2]],
    ],
    ['contains at most one', { contains: { const: 1 }, maxContains: 1 }, [[1], [1, 2]], [[], [1, 1]]],
    [
      'contains none is fine from zero',
      { contains: { const: 1 }, minContains: 0, maxContains: 1 },
      [[], [1]],
      [[1, 1]],
    ],
    ['not', { not: { type: 'string' } }, [1, null], ['x']],
    ['oneOf', { oneOf: [{ minimum: 5 }, { maximum: 7 }] }, [8, 4], [5, 6, 7]],
    ['allOf', { allOf: [{ minimum: 5 }, { maximum: 7 }] }, [5, 7], [4, 8]],
    ['unevaluatedItems', { prefixItems: [{}], unevaluatedItems: false }, [[], [1]], [[1, 2]]],
    [
      'unevaluatedProperties',
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    ['true and false', { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  ])('%s', (_, schema, passing, failing) => {
    for (const value of passing) expect([value, issuesOf(schema, value)]).toEqual([value, []])
    for (const value of failing) expect([value, issuesOf(schema, value).length]).toEqual([value, 1])
  })
})

describe('issues name what is wrong, in bounds', () => {
  test('more than twenty allowed values are cut and counted', () => {
    const values = Array.from({ length: 25 }, (_, index) => `v${index}`)
    const [issue] = issuesOf({ enum: values }, 'x')
    expect(issue?.[1]).toContain('"v19" and 5 more')
    expect(issue?.[1]).not.toContain('"v20"')
    expect(issuesOf({ enum: values.slice(0, 20) }, 'x')[0]?.[1]).toMatch(/"v19"$/)
  })

  test('an allowed value of more than eighty characters is cut', () => {
    expect(issuesOf({ const: 'a'.repeat(78) }, 1)).toEqual([['', `must be "${'a'.repeat(78)}"`]])
    expect(issuesOf({ const: 'a'.repeat(79) }, 1)).toEqual([['', `must be "${'a'.repeat(79)}…`]])
  })

  test('up to twenty issues are all there, without a count', () => {
    const issues = issuesOf(
      { items: { type: 'string' } },
      Array.from({ length: 20 }, () => 1),
    )
    expect(issues).toHaveLength(20)
    expect(issues.at(-1)).toEqual(['/19', 'must be string'])
  })

  test('keys are written as pointers', () => {
    expect(issuesOf({ properties: { 'a/b~c': { items: { type: 'null' } } } }, { 'a/b~c': [null, 1] })).toEqual([
      ['/a~1b~0c/1', 'must be null'],
    ])
  })

  test('what an alternative explains below is not repeated above it', () => {
    const schema: JsonObject = {
      anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { a: { type: 'null' } } }],
    }
    expect(issuesOf(schema, { a: 1 })).toEqual([['/a', 'must be string or null']])
  })
})

describe('a keyword that holds the wrong thing', () => {
  const wrong: readonly (readonly [keyword: string, values: readonly Json[], rule: string, message: string])[] = [
    ...[
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minContains',
      'maxContains',
      'minProperties',
      'maxProperties',
    ].map(
      (keyword) =>
        [keyword, [-1, 1.5, '1', null], 'keyword_value', `${keyword} must be a whole number from 0`] as const,
    ),
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
      (keyword) => [keyword, ['1', true, null], 'keyword_value', `${keyword} must be a number`] as const,
    ),
    ['multipleOf', [0, -1, '1'], 'keyword_value', 'multipleOf must be a number above 0'],
    ['uniqueItems', [0, 'true', null], 'keyword_value', 'uniqueItems must be true or false'],
    ...['pattern', 'description', 'title', '$ref'].map(
      (keyword) => [keyword, [1, null, []], 'keyword_value', `${keyword} must be a string`] as const,
    ),
    [
      'dependentRequired',
      [[], { a: 'b' }, { a: [1] }],
      'keyword_value',
      'dependentRequired must be a map of names to lists of names',
    ],
    ['type', ['strin'], 'unknown_type', 'the type "strin" is not a JSON Schema type'],
    ['type', [['string', 'int']], 'unknown_type', 'the type "int" is not a JSON Schema type'],
    ['type', [[]], 'unknown_type', 'the type is an empty list'],
    ['enum', [[]], 'enum_values', 'the enum is empty'],
    ['enum', ['a'], 'enum_values', 'the enum is a string, not a list'],
    ['enum', [{}], 'enum_values', 'the enum is an object, not a list'],
    ['required', ['a'], 'required_list', 'required is a string, not a list of names'],
    ['required', [null], 'required_list', 'required is null, not a list of names'],
    ['required', [[1]], 'required_list', 'required is a list, not a list of names'],
    ['properties', [[]], 'properties_map', 'properties is a list, not a map of names to schemas'],
    ['$defs', ['x'], 'properties_map', '$defs is a string, not a map of names to schemas'],
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map(
      (keyword) =>
        [keyword, [[], {}, 'x'], 'keyword_value', `${keyword} must be a list of at least one schema`] as const,
    ),
    ...['items', 'not', 'contains', 'propertyNames', 'additionalProperties', 'if'].map(
      (keyword) => [keyword, ['x', 7, null], 'subschema_kind', ''] as const,
    ),
  ]

  test.each(wrong)('%s: %j breaks the rule %s', (keyword, values, rule, message) => {
    for (const value of values) {
      const { problem } = surveySchema({ type: 'object', properties: { a: { [keyword]: value } } })
      expect([value, problem?.rule, problem?.path]).toEqual([value, rule, `/properties/a/${keyword}`])
      if (message !== '') expect(problem?.message).toBe(message)
      const input = { type: 'object', properties: { a: { [keyword]: value } } }
      const define = () => tool({ name: 'a_tool', description: 'Does something useful', input, execute: () => 1 })
      expect(define).toThrow(expect.objectContaining({ code: 'invalid_tool_spec' }))
    }
  })
})
