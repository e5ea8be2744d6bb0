// JSON Schemas with values that match them, for the laws of the schema compiler.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/json/types.js'

export interface Sample {
  readonly schema: JsonObject
  readonly value: fc.Arbitrary<Json>
}

const keys = [
  'a',
  'b',
  'city name',
  'naïve',
  '__proto__',
  'constructor',
  'toString',
  'key',
  'value',
  'item_1',
  'additional_properties',
]
const key = fc.constantFrom(...keys)
const text = fc.string({ maxLength: 6 })

const scalar: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
  { schema: { type: 'string' }, value: text },
  { schema: { type: 'string', minLength: 1, description: 'words' }, value: fc.string({ minLength: 1, maxLength: 5 }) },
  { schema: { type: 'string', format: 'hostname' }, value: fc.constant('example.org') },
  { schema: { type: 'integer', minimum: 0, maximum: 9 }, value: fc.integer({ min: 0, max: 9 }) },
  { schema: { type: 'number', exclusiveMinimum: 0 }, value: fc.constantFrom(0.5, 1, 1e21) },
  { schema: { type: 'boolean' }, value: fc.boolean() },
  { schema: { type: 'null' }, value: fc.constant(null) },
  { schema: { type: ['string', 'null'] }, value: fc.option(text) },
  { schema: { type: ['integer', 'boolean'] }, value: fc.oneof(fc.nat(9), fc.boolean()) },
  { schema: { enum: ['x', 'y'] }, value: fc.constantFrom('x', 'y') },
  { schema: { enum: [1, 'one', null, true] }, value: fc.constantFrom<Json>(1, 'one', null, true) },
  { schema: { enum: [{ a: 1 }, [2]] }, value: fc.constantFrom<Json>({ a: 1 }, [2]) },
  { schema: { type: 'integer', enum: [1, 2] }, value: fc.constantFrom(1, 2) },
  { schema: { const: 'only' }, value: fc.constant('only') },
  { schema: { const: 7, description: 'a lucky number' }, value: fc.constant(7) },
  { schema: {}, value: fc.constantFrom<Json>(null, 1, 'x', [], { a: [1] }, '{"not":"parsed"}') },
)

function listOf(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc
    .tuple(item, fc.constantFrom({}, { minItems: 1 }, { minItems: 2, uniqueItems: false }))
    .map(([{ schema, value }, more]) => ({
      schema: { type: 'array', items: schema, ...more },
      value: fc.array(value, { minLength: 2, maxLength: 3 }),
    }))
}

function tupleOf(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc
    .tuple(fc.array(item, { minLength: 1, maxLength: 3 }), fc.option(item, { nil: undefined }))
    .map(([items, rest]) => ({
      schema: {
        type: 'array',
        prefixItems: items.map(({ schema }) => schema),
        items: rest === undefined ? false : rest.schema,
        minItems: items.length,
      },
      value: fc
        .tuple(
          fc.tuple(...items.map(({ value }) => value)),
          rest === undefined ? fc.constant([]) : fc.array(rest.value, { maxLength: 2 }),
        )
        .map(([first, more]) => [...first, ...more]),
    }))
}

function objectOf(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const members = fc.uniqueArray(fc.tuple(key, item, fc.boolean()), { maxLength: 3, selector: ([name]) => name })
  return fc.tuple(members, fc.option(item, { nil: undefined, freq: 3 })).map(([properties, more]) => {
    const required = properties.filter(([, , isRequired]) => isRequired).map(([name]) => name)
    const declared = fc.tuple(
      ...properties.map(([name, { value }, isRequired]) =>
        (isRequired ? value : fc.option(value, { nil: undefined })).map((given) => [name, given] as const),
      ),
    )
    const others = keys.filter((name) => !properties.some(([known]) => known === name))
    const undeclared =
      more === undefined
        ? fc.constant([])
        : fc.uniqueArray(fc.tuple(fc.constantFrom(...others), more.value), { maxLength: 2, selector: ([name]) => name })
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(properties.map(([name, { schema }]) => [name, schema])),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: more === undefined ? false : more.schema,
      },
      value: fc
        .tuple(declared, undeclared)
        .map(([known, extra]) =>
          Object.fromEntries(
            [...known, ...extra].filter((member): member is [string, Json] => member[1] !== undefined),
          ),
        ),
    }
  })
}

function anyOf(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(fc.array(item, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([options, nullable]) => ({
    schema: { anyOf: [...options.map(({ schema }) => schema), ...(nullable ? [{ type: 'null' }] : [])] },
    value: fc.oneof(...options.map(({ value }) => value), ...(nullable ? [fc.constant(null)] : [])),
  }))
}

function allOf(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return item.map(({ schema, value }) => ({ schema: { description: 'joined', allOf: [schema, {}] }, value }))
}

export const samples: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schemas' },
    scalar,
    listOf(tie('any')),
    tupleOf(tie('any')),
    objectOf(tie('any')),
    objectOf(tie('any')),
    anyOf(tie('any')),
    allOf(tie('any')),
  ),
})).any

/** Trees: a schema that contains itself, by way of an optional property, a list or a map. */
const tree = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 8, depthIdentifier: 'trees' },
    fc.record({ name: fc.constant('leaf') }),
    fc.record({ name: text, children: fc.array(tie('node'), { maxLength: 2 }) }),
    fc.record({ name: text, next: tie('node') }),
  ),
})).node

export const recursive: Sample = {
  schema: {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' }, label: { $ref: '#/$defs/label' } },
    required: ['root'],
    additionalProperties: false,
    $defs: {
      label: { type: 'string' },
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
          next: { $ref: '#/$defs/node' },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
  },
  value: tree.map((root) => ({ root })),
}
