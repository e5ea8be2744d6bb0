import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isFrozen } from '../../src/conversation/freeze.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { Json, JsonObject, ValueObject } from '../../src/json/types.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'
import { type SpecRule, specRules } from '../../src/tools/spec-rules.js'
import type { AnyTool } from '../../src/tools/tool.js'

const good = { name: 'get_weather', description: 'Current weather for a city', execute: () => 1 }
const city = { type: 'object', properties: { city: { type: 'string' } } }

/** A definition as untyped callers write it. */
function define(changes: object): AnyTool {
  return Reflect.apply(tool, undefined, [{ ...good, input: city, ...changes }])
}
const input = (schema: unknown): object => ({ input: schema })
const property = (schema: Json): object => input({ type: 'object', properties: { a: schema } })

/** Objects in objects, `count` levels of properties in all. */
function levels(count: number, between: (schema: JsonObject) => JsonObject = (schema) => schema): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < count; level++) schema = { type: 'object', properties: { a: between(schema) } }
  return schema
}

const standardOnly = { '~standard': { version: 1, vendor: 'plain', validate: (value: unknown) => ({ value }) } }

/** Every rule of the table: a definition that breaks it, and the exact words. */
const cases: Readonly<Record<SpecRule, { changes: object; message: string; path?: string; tool?: string }>> = {
  definition_kind: { changes: {}, message: 'the definition is not an object', tool: '' },
  name_missing: { changes: { name: undefined }, message: 'it has no name', tool: '' },
  name_style: {
    changes: { name: 'getWeather' },
    message: 'the name is not snake_case starting with a lower-case letter',
    tool: 'getWeather',
  },
  name_length: { changes: { name: 'a'.repeat(65) }, message: 'the name has 65 characters', tool: 'a'.repeat(65) },
  description_missing: { changes: { description: undefined }, message: 'it has no description' },
  description_length: { changes: { description: 'Weather' }, message: 'the description has 7 characters' },
  input_missing: { changes: { input: undefined }, message: 'it has no input schema' },
  execute_missing: { changes: { execute: undefined }, message: 'it has no execute function' },
  capability_unknown: { changes: { capabilities: ['gpu'] }, message: 'the capability "gpu" is not known' },
  limit_value: { changes: { timeoutMs: 0 }, message: 'timeoutMs is 0' },
  flag_value: { changes: { repeatable: 'yes' }, message: 'repeatable is yes' },
  formats_value: { changes: { formats: { date: true } }, message: 'formats is not an object of functions' },
  schema_not_json: {
    changes: property(Symbol.iterator as never),
    message: 'the schema is not made of plain JSON values, or is far too large',
  },
  schema_too_large: {
    changes: input({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
    }),
    message: 'the schema has more than 3000 values or 1000000 characters, or nests deeper than 100 levels',
  },
  schema_depth: {
    changes: input(levels(11)),
    message: 'the schema nests more than 10 levels of properties',
    path: '/properties/a'.repeat(10),
  },
  root_type: {
    changes: input({ type: 'array' }),
    message: 'the root of the schema has the type "array", not "object"',
    path: '/type',
  },
  unknown_type: {
    changes: property({ type: 'strin' }),
    message: 'the type "strin" is not a JSON Schema type',
    path: '/properties/a/type',
  },
  enum_values: { changes: property({ enum: [] }), message: 'the enum is empty', path: '/properties/a/enum' },
  properties_map: {
    changes: input({ type: 'object', properties: ['a'] }),
    message: 'properties is a list, not a map of names to schemas',
    path: '/properties',
  },
  subschema_kind: {
    changes: property('string'),
    message: 'a string stands where a schema belongs',
    path: '/properties/a',
  },
  keyword_value: {
    changes: property({ type: 'string', minLength: '1' }),
    message: 'minLength must be a whole number from 0',
    path: '/properties/a/minLength',
  },
  required_list: {
    changes: input({ type: 'object', properties: {}, required: true }),
    message: 'required is a boolean, not a list of names',
    path: '/required',
  },
  required_unknown: {
    changes: input({ type: 'object', properties: {}, required: ['toString'] }),
    message: 'the required name "toString" is not in properties',
    path: '/required',
  },
  ref_unresolved: {
    changes: property({ $ref: '#/$defs/missing' }),
    message: 'the reference "#/$defs/missing" leads nowhere in the schema',
  },
  dialect_unknown: {
    changes: input({ ...city, $schema: 'https://example.com/dialect' }),
    message: '$schema names the dialect "https://example.com/dialect"',
    path: '/$schema',
  },
  ref_cycle: {
    changes: input({
      ...city,
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      allOf: [{ $ref: '#/$defs/a' }],
    }),
    message: 'the reference "#/$defs/a" leads only back to itself',
  },
  pattern_unsupported: {
    changes: property({ type: 'string', pattern: '^(?!x)' }),
    message: 'the pattern "^(?!x)" cannot be matched in linear time',
    path: '/properties/a',
  },
  json_schema_missing: { changes: input(standardOnly), message: 'the plain schema cannot say its JSON Schema' },
  json_schema_failed: {
    changes: input(z.object({ at: z.date() })),
    message: 'the zod schema has no JSON Schema: Date cannot be represented in JSON Schema',
  },
}

function thrown(action: () => unknown): ToolwireError {
  try {
    action()
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('rules of a tool definition', () => {
  for (const rule of Object.keys(specRules) as SpecRule[]) {
    test(`${rule} is refused with the tool, the rule and the remedy`, () => {
      const { changes, message, path, tool: named = 'get_weather' } = cases[rule]
      const error = thrown(() => (rule === 'definition_kind' ? Reflect.apply(tool, undefined, ['x']) : define(changes)))
      const place = path === undefined ? '' : ` at ${path}`
      expect(error.code).toBe('invalid_tool_spec')
      expect(error.message).toBe(`tool "${named}" breaks the rule ${rule}: ${message}${place}; ${specRules[rule]}`)
      expect(error.detail).toEqual({ tool: named, rule, ...(path === undefined ? {} : { path }) })
    })
  }

  test('limits are taken at their edges', () => {
    expect(define({ name: 'a'.repeat(64) }).name).toHaveLength(64)
    expect(define({ description: 'x'.repeat(10) }).description).toHaveLength(10)
    expect(define({ description: '😀'.repeat(500) }).description).toHaveLength(1000)
    expect(thrown(() => define({ description: 'x'.repeat(501) })).detail?.rule).toBe('description_length')
    expect(define(input(levels(10))).spec.inputSchema).toEqual(levels(10))
    expect(define(input(levels(10, (items) => ({ type: 'array', items })))).name).toBe('get_weather')
    const deep = levels(11, (schema) => ({ anyOf: [{ type: 'null' }, { type: 'array', items: schema }] }))
    expect(thrown(() => define(input(deep))).detail?.rule).toBe('schema_depth')
    for (const name of ['_a', '1a', 'a-b', 'a.b', 'A', 'é']) {
      expect(thrown(() => define({ name })).detail?.rule).toBe('name_style')
    }
  })

  test('a cyclic schema object is refused', () => {
    const cyclic: { [key: string]: unknown } = { type: 'object' }
    cyclic.properties = { self: cyclic }
    expect(thrown(() => define(input(cyclic))).detail?.rule).toBe('schema_not_json')
  })

  test('a valibot schema as it is says how to get a JSON Schema', () => {
    const error = thrown(() => define(input(v.object({ city: v.string() }))))
    expect(error.message).toContain('toStandardJsonSchema of @valibot/to-json-schema')
  })
})

describe('one tool, however it is described', () => {
  const { name, description } = good
  const execute = (): string => 'sunny'
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'City' },
      days: { type: 'integer' },
      unit: { type: 'string', enum: ['c', 'f'] },
    },
    required: ['city', 'days'],
  } as const
  const ways: Readonly<Record<string, AnyTool>> = {
    'JSON Schema': tool({ name, description, input: schema, execute }),
    params: tool({
      name,
      description,
      input: params.object({
        city: params.string({ description: 'City' }),
        days: params.integer(),
        unit: params.optional(params.string({ enum: ['c', 'f'] })),
      }),
      execute,
    }),
    builder: tool
      .build(name)
      .describe(description)
      .param('city', 'string', { description: 'City' })
      .param('days', 'integer')
      .param('unit', 'string', { enum: ['c', 'f'], optional: true })
      .execute(execute),
    zod: tool({
      name,
      description,
      input: z.object({ city: z.string().describe('City'), days: z.int(), unit: z.enum(['c', 'f']).optional() }),
      execute,
    }),
    valibot: tool({
      name,
      description,
      input: toStandardJsonSchema(
        v.object({
          city: v.pipe(v.string(), v.description('City')),
          days: v.pipe(v.number(), v.integer()),
          unit: v.optional(v.picklist(['c', 'f'])),
        }),
      ),
      execute,
    }),
    arktype: tool({
      name,
      description,
      input: type({ city: type.string.describe('City'), days: 'number.integer', 'unit?': "'c'|'f'" }),
      execute,
    }),
  }

  for (const [way, made] of Object.entries(ways)) {
    test(`${way}: the same spec, digest and checks`, async () => {
      expect(made.spec).toEqual({ name, description, inputSchema: schema })
      expect(made.digest).toBe(ways['JSON Schema']?.digest)
      expect(isFrozen(made.spec)).toBe(true)
      expect(Object.isFrozen(made.spec.inputSchema)).toBe(true)
      expect(await made.checkInput({ city: 'Boston', days: 2 })).toEqual({
        ok: true,
        value: { city: 'Boston', days: 2 },
      })
      const bad = await made.checkInput({ city: 1, days: 1.5, unit: 'k' })
      expect(bad.ok).toBe(false)
      expect(bad.ok ? [] : bad.issues.map((issue) => issue.path).sort()).toEqual(['/city', '/days', '/unit'])
    })
  }

  test('a changed definition has another digest', () => {
    const digests = [
      define({}),
      define({ name: 'b' }),
      define({ description: 'Another description' }),
      define(property({ type: 'number' })),
    ].map((made) => made.digest)
    expect(new Set(digests).size).toBe(4)
    expect(define({}).digest).toBe(define({ timeoutMs: 5 }).digest)
  })

  test('the schema of the caller is neither frozen nor followed', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const first = define(input(schema))
    schema.properties.a.type = 'number'
    const second = define(input(schema))
    expect(first.spec.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(second.spec.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'number' } } })
    expect(first.checkInput({ a: 'x' })).toMatchObject({ ok: true })
    expect(second.checkInput({ a: 'x' })).toMatchObject({ ok: false })
  })
})

describe('checks of a tool', () => {
  test('defaults are filled in where they are valid, and the handler gets its own copy', () => {
    const made = define(
      input({
        type: 'object',
        properties: { n: { type: 'integer', default: 3 }, bad: { type: 'integer' }, list: { type: 'array' } },
      }),
    )
    const args: ValueObject = Object.freeze({ list: Object.freeze([1]) })
    const checked = made.checkInput(args)
    expect(checked).toEqual({ ok: true, value: { n: 3, list: [1] } })
    const wrong = define(input({ type: 'object', properties: { n: { type: 'integer', default: 'None' } } }))
    expect(wrong.checkInput({})).toEqual({ ok: true, value: {} })
  })

  test('zod defaults, transforms and asynchronous checks apply', async () => {
    const made = define(
      input(
        z.object({
          n: z.number().default(3),
          s: z.string().transform((text) => text.length),
          a: z.string().refine(async (text) => text === 'ok'),
        }),
      ),
    )
    expect(await made.checkInput({ s: 'four', a: 'ok' })).toEqual({ ok: true, value: { n: 3, s: 4, a: 'ok' } })
    expect(await made.checkInput({ s: 'four', a: 'no' })).toMatchObject({ ok: false, issues: [{ path: '/a' }] })
  })

  test('a schema whose own check throws gives an issue', async () => {
    const boom = {
      '~standard': {
        ...params.object({})['~standard'],
        validate: () => {
          throw new Error('secret')
        },
      },
    }
    expect(define(input(boom)).checkInput({})).toEqual({
      ok: false,
      issues: [{ path: '', message: 'could not be checked: the schema itself failed' }],
    })
  })

  test('an output schema is checked, whatever its root', async () => {
    const made = define({ outputSchema: { type: 'number', minimum: 0 } })
    expect(await made.checkOutput?.(4)).toEqual({ ok: true, value: 4 })
    expect(await made.checkOutput?.(-1)).toEqual({ ok: false, issues: [{ path: '', message: 'must be 0 or more' }] })
    expect(define({}).checkOutput).toBeUndefined()
  })

  test('options and builder options reach the tool', () => {
    const options = {
      capabilities: ['network', 'network'],
      timeoutMs: 5,
      concurrency: 2,
      rateLimit: { calls: 1, perMs: 2 },
      repeatable: true,
      strict: true,
    } as const
    const expected = { ...options, capabilities: ['network'], source: 'local', spec: { strict: true } }
    const { strict, ...flat } = expected
    expect(define(options)).toMatchObject(flat)
    expect(tool.build('get_weather').describe(good.description).with(options).execute(good.execute)).toMatchObject(flat)
    expect(strict).toBe(true)
  })
})
