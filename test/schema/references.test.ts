// References across the documents in one schema: how they are read, bundled, imported, and written for a provider.
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/types.js'
import { parametersOf } from '../../src/offline/parameters.js'
import { bundleSchema } from '../../src/schema/bundle.js'
import { restrict } from '../../src/schema/restrict/restrict.js'
import { upgradeSchema } from '../../src/schema/upgrade.js'
import { compileSchema } from '../../src/schema/validate.js'
import { importTool } from '../../src/tools/import-tool.js'

/** The same pointer means different things inside and outside of the embedded document. */
const embedded: JsonObject = {
  type: 'object',
  properties: { inner: { $ref: 'https://example.com/inner' }, outer: { $ref: '#/$defs/value' } },
  $defs: {
    value: { type: 'string' },
    inner: {
      $id: 'https://example.com/inner',
      type: 'object',
      properties: { value: { $ref: '#/$defs/value' } },
      $defs: { value: { type: 'integer' } },
    },
  },
}

const draft7: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/properties/pair/items/0' }], additionalItems: false },
    again: { $ref: '#/dependencies/pair', description: 'kept', maxProperties: 1 },
  },
  dependencies: { pair: { type: 'object', required: ['again'] }, again: ['pair'] },
}

describe('a schema is read with the base of each reference', () => {
  test('a pointer starts at the document it stands in', () => {
    const check = compileSchema(embedded)
    expect(check({ inner: { value: 1 }, outer: 'a' }).ok).toBe(true)
    expect(check({ inner: { value: 'a' }, outer: 'a' }).ok).toBe(false)
    expect(check({ inner: { value: 1 }, outer: 1 }).ok).toBe(false)
  })

  test('the same document twice is one, two different documents with one URI are none', () => {
    const twice = (second: JsonObject): JsonObject => ({
      $ref: 'same',
      $defs: { a: { $id: 'same', type: 'string' }, b: { $id: 'same', ...second } },
    })
    expect(compileSchema(twice({ type: 'string' }))('a').ok).toBe(true)
    expect(() => compileSchema(twice({ type: 'number' }))).toThrow('the reference "same" leads nowhere')
  })

  test('an unknown keyword named id does not change the base', () => {
    const schema = { properties: { a: { id: 'elsewhere', $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }
    expect(compileSchema(schema)({ a: 1 }).ok).toBe(false)
  })

  test('draft 7 ignores what stands beside a reference, and keywords that came later', () => {
    const schema: JsonObject = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        a: { $ref: '#/definitions/a', type: 'string' },
        b: { prefixItems: [false], dependentRequired: {} },
      },
      definitions: { a: { type: 'integer' } },
    }
    expect(compileSchema(schema)({ a: 1, b: [1] }).ok).toBe(true)
  })

  test('dependencies hold in every draft, together with their successors', () => {
    const schema: JsonObject = {
      dependencies: { a: ['b'], c: { required: ['d'] } },
      dependentRequired: { a: ['e'] },
      dependentSchemas: { c: { required: ['f'] } },
    }
    const pathsOf = (value: unknown): unknown => {
      const checked = compileSchema(schema)(value)
      return checked.ok ? [] : checked.issues.map(({ path }) => path)
    }
    expect(pathsOf({ a: 1 })).toEqual(['/e', '/b'])
    expect(pathsOf({ c: 1 })).toEqual(['/f', '/d'])
    expect(pathsOf({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })).toEqual([])
  })
})

describe('a schema is written again with plain references', () => {
  test('most schemas are returned as they are', () => {
    const schema: JsonObject = { $schema: 'http://json-schema.org/draft-07/schema#', ...plain }
    expect(upgradeSchema(schema).schema).toBe(schema)
  })
  const plain: JsonObject = { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }

  test('references into documents become pointers', () => {
    expect(upgradeSchema(embedded).schema).toEqual({
      type: 'object',
      properties: { inner: { $ref: '#/$defs/inner' }, outer: { $ref: '#/$defs/value' } },
      $defs: {
        value: { type: 'string' },
        inner: {
          type: 'object',
          properties: { value: { $ref: '#/$defs/inner/$defs/value' } },
          $defs: { value: { type: 'integer' } },
        },
      },
    })
  })

  test('an import moves keywords of draft 7 together with the references into them, and says so', () => {
    const { tool, notes } = importTool({ name: 'a', inputSchema: draft7 })
    expect(tool.spec.inputSchema).toEqual({
      type: 'object',
      properties: {
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { $ref: '#/properties/pair/prefixItems/0' }],
          items: false,
        },
        again: { $ref: '#/dependentSchemas/pair', description: 'kept' },
      },
      dependentRequired: { again: ['pair'] },
      dependentSchemas: { pair: { type: 'object', required: ['again'] } },
    })
    expect(notes.map(({ path, message }) => `${path} ${message}`)).toMatchInlineSnapshot(`
      [
        "/dependencies dependencies is read as dependentRequired and dependentSchemas",
        "/$schema $schema "http://json-schema.org/draft-07/schema#" is dropped: the schema is written in draft 2020-12",
        "/properties/pair/items a list of items is read as prefixItems",
        "/properties/pair/additionalItems additionalItems is read as items",
        "/properties/again/maxProperties maxProperties is dropped: draft 7 ignores the keywords beside $ref",
        "/properties/pair/prefixItems/1/$ref the reference "#/properties/pair/items/0" is written as "#/properties/pair/prefixItems/0"",
        "/properties/again/$ref the reference "#/dependencies/pair" is written as "#/dependentSchemas/pair"",
      ]
    `)
  })

  test('a reference to a place for nothing known is kept under $defs', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/x/y' } },
      x: { y: { type: 'array', items: [{ type: 'string' }] } },
    }
    const { tool } = importTool({ name: 'a', inputSchema: schema })
    expect(tool.spec.inputSchema).toMatchObject({
      properties: { a: { $ref: '#/$defs/y' } },
      $defs: { y: { type: 'array', prefixItems: [{ type: 'string' }] } },
    })
  })

  test('a reference through a keyword with another spelling keeps its target', () => {
    const schema = {
      type: 'OBJECT',
      properties: { a: { any_of: [{ type: 'STRING' }] }, b: { $ref: '#/properties/a/any_of/0' } },
    }
    const { tool } = importTool({ name: 'a', inputSchema: schema })
    expect(tool.spec.inputSchema).toMatchObject({
      properties: { a: { anyOf: [{ type: 'string' }] }, b: { $ref: '#/$defs/0' } },
      $defs: { '0': { type: 'string' } },
    })
  })

  test('a provider gets each document as what it means', () => {
    const { schema } = restrict(embedded, 'openai_strict')
    expect(JSON.stringify(schema)).not.toContain('$id')
    const check = compileSchema(schema)
    expect(check({ inner: { value: 1 }, outer: 'a' }).ok).toBe(true)
    expect(check({ inner: { value: 'a' }, outer: 'a' }).ok).toBe(false)
    expect(check({ inner: { value: 1 }, outer: 1 }).ok).toBe(false)
    const parameters = parametersOf({ name: 'a', inputSchema: embedded })
    expect(parameters.map(({ type, members }) => [type, members?.map((member) => member.type)])).toEqual([
      ['object', ['integer']],
      ['string', undefined],
    ])
  })
})

describe('a schema is bundled with the documents it refers to', () => {
  const documents = {
    'https://example.com/city': { type: 'object', properties: { name: { $ref: 'text#/$defs/short' } } },
    'https://example.com/text': { $defs: { short: { type: 'string', maxLength: 3 } } },
    'https://example.com/moved': { $id: 'https://example.com/home', type: 'boolean' },
    'https://example.com/never': { type: 'null' },
  } satisfies Readonly<Record<string, JsonObject>>

  test('documents of documents come with it, and those that nothing refers to do not', () => {
    const bundle = bundleSchema(
      { type: 'object', properties: { city: { $ref: 'https://example.com/city' } } },
      documents,
    )
    expect(Object.keys(bundle.$defs as JsonObject)).toEqual(['https://example.com/city', 'https://example.com/text'])
    expect(compileSchema(bundle)({ city: { name: 'Rom' } }).ok).toBe(true)
    expect(compileSchema(bundle)({ city: { name: 'Rome' } }).ok).toBe(false)
  })

  test('a document is found by where it was and by its own name', () => {
    const schema = { $ref: 'https://example.com/moved' }
    expect(compileSchema(bundleSchema(schema, documents))(1).ok).toBe(false)
    expect(compileSchema(bundleSchema(schema, documents))(true).ok).toBe(true)
  })

  test('a relative name works without any base', () => {
    expect(compileSchema(bundleSchema({ $ref: 'a.json' }, { 'a.json': false }))(1).ok).toBe(false)
  })

  test('what is not supplied stays, and a bundle that is too large is refused', () => {
    const schema = { $ref: 'https://example.com/other' }
    expect(bundleSchema(schema, documents)).toEqual(schema)
    const large = {
      properties: Object.fromEntries(Array.from({ length: 1_490 }, (_, index) => [`p${index}`, { type: 'string' }])),
    }
    expect(() => bundleSchema({ allOf: [{ $ref: 'a' }, { $ref: 'b' }] }, { a: large, b: large })).toThrow(
      'the schema together with the documents it refers to is too large',
    )
  })
})
