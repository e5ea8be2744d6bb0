import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolExecutionError } from '../../src/conversation/tool-error.js'
import { ToolwireError } from '../../src/errors/error.js'
import { isJsonObject } from '../../src/json/parse.js'
import { importTool } from '../../src/tools/import-tool.js'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const name = 'Get.Weather-v2'
const description = 'Now'

function ruleOf(definition: unknown): unknown {
  try {
    importTool(definition)
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'invalid_tool_spec') return error.detail?.rule
    throw error
  }
  return undefined
}

describe('the same tool from every API', () => {
  const dialects: Readonly<Record<string, unknown>> = {
    'OpenAI Chat': { type: 'function', function: { name, description, parameters: schema } },
    'OpenAI Responses': { type: 'function', name, description, parameters: schema },
    Anthropic: { name, description, input_schema: schema, cache_control: { type: 'ephemeral' } },
    'Anthropic custom': { type: 'custom', name, description, input_schema: schema },
    'Gemini parametersJsonSchema': { name, description, parametersJsonSchema: schema },
    'Gemini parameters': {
      functionDeclarations: [
        {
          name,
          description,
          parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
        },
      ],
    },
    MCP: { name, description, inputSchema: schema, annotations: { readOnlyHint: true } },
    canonical: { name, description, inputSchema: schema },
    leaderboard: {
      name,
      description,
      parameters: { type: 'dict', properties: { city: { type: 'String' } }, required: ['city'] },
    },
  }
  const expected = importTool(dialects.canonical).tool
  for (const [dialect, definition] of Object.entries(dialects)) {
    test(dialect, () => {
      const { tool } = importTool(definition)
      expect(tool.spec).toEqual({ name, description, inputSchema: schema })
      expect(tool.digest).toBe(expected.digest)
      expect(tool.source).toBe('imported')
      expect(tool.checkInput({ city: 'Boston' })).toEqual({ ok: true, value: { city: 'Boston' } })
      expect(tool.checkInput({})).toEqual({ ok: false, issues: [{ path: '/city', message: 'is required' }] })
    })
  }

  test('strict, annotations, options and the lack of an implementation', () => {
    const { tool, annotations } = importTool(
      { ...(dialects.MCP as object), strict: true },
      { source: 'mcp:x', name: 'other', timeoutMs: 5 },
    )
    expect(annotations).toEqual({ readOnlyHint: true })
    expect(tool).toMatchObject({ name: 'other', source: 'mcp:x', timeoutMs: 5, spec: { name: 'other', strict: true } })
    expect(() => tool.execute({}, {} as never)).toThrow(ToolExecutionError)
    expect(importTool(dialects.MCP, { execute: () => 'ran' }).tool.execute({}, {} as never)).toBe('ran')
  })
})

describe('dialects of schemas', () => {
  const property = (written: unknown): unknown => {
    const { tool } = importTool({ name, parameters: { type: 'object', properties: { a: written } } })
    const properties = tool.spec.inputSchema?.properties
    return isJsonObject(properties) ? properties.a : undefined
  }
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    [
      'language type names',
      { type: 'ArrayList', items: { type: 'double' } },
      { type: 'array', items: { type: 'number' } },
    ],
    ['tuple', { type: 'tuple', items: { type: 'float' } }, { type: 'array', items: { type: 'number' } }],
    ['any is no type', { type: 'any', description: 'x' }, { description: 'x' }],
    ['an unknown type is no type', { type: 'widget' }, {}],
    ['upper case', { type: 'INTEGER', format: 'int32' }, { type: 'integer', format: 'int32' }],
    ['nullable', { type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
    ['nullable enum', { type: 'STRING', enum: ['x'], nullable: true }, { type: ['string', 'null'], enum: ['x', null] }],
    ['limits as text', { type: 'ARRAY', minItems: '1' }, { type: 'array', minItems: 1 }],
    ['limits that are none', { type: 'string', minLength: 'few' }, { type: 'string' }],
    ['snake case', { any_of: [{ type: 'STRING' }] }, { anyOf: [{ type: 'string' }] }],
    [
      'draft 4 bounds',
      { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 3 },
    ],
    [
      'draft 7 tuples',
      { items: [{ type: 'string' }], additionalItems: false },
      { prefixItems: [{ type: 'string' }], items: false },
    ],
    [
      'dependencies',
      { dependencies: { a: ['b'], c: { type: 'object' } } },
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { type: 'object' } } },
    ],
    [
      'optional members',
      { type: 'dict', properties: { b: { type: 'int', optional: true } }, required: ['b'] },
      { type: 'object', properties: { b: { type: 'integer' } } },
    ],
    [
      'draft 3 required',
      { properties: { b: { required: true }, c: { required: false } } },
      { properties: { b: {}, c: {} }, required: ['b'] },
    ],
    ['a type name as a schema', 'string', { type: 'string' }],
    ['null in a list of types', { type: ['string', null] }, { type: ['string', 'null'] }],
    ['an empty enum', { type: 'string', enum: [] }, { type: 'string' }],
    ['properties as a list', { type: 'object', properties: [] }, { type: 'object' }],
  ]
  for (const [title, written, expected] of rows) {
    test(title, () => {
      expect(property(written)).toEqual(expected)
    })
  }

  test('every change is noted with its place', () => {
    const { notes } = importTool({ name, parameters: { properties: { a: { type: 'dict' } } } })
    expect(notes).toEqual([
      { path: '/properties/a/type', message: 'type "dict" is read as "object"' },
      { path: '/type', message: 'the root has no type: arguments are an object, so it is read as "object"' },
    ])
    expect(importTool({ name, parameters: schema }).notes).toEqual([])
  })

  test('what is not checked is noted, and refuses nothing', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(?=x)' }, b: { not: { pattern: '^(?!y)' } } },
      patternProperties: { '^(?!a)': { type: 'number' } },
      additionalProperties: false,
    }
    const { tool, notes } = importTool({ name, parameters })
    expect(notes.map((note) => note.path)).toEqual(['', '/properties/a', '/properties/b/not'])
    expect(tool.checkInput({ a: 'q', b: 'z', c: 'text' })).toMatchObject({ ok: true })
    expect(tool.checkInput({ a: 1 })).toMatchObject({ ok: false })
  })

  test('a large schema is checked whole', () => {
    const properties = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`p${index}`, { type: 'string' }]))
    const { tool, notes } = importTool({ name, parameters: { type: 'object', properties, not: { required: ['x'] } } })
    expect(notes).toEqual([])
    expect(tool.checkInput({ p0: 1 })).toMatchObject({ ok: false })
    expect(tool.checkInput({ p399: 1 })).toMatchObject({ ok: false })
    expect(tool.checkInput({ x: 1 })).toMatchObject({ ok: false })
    expect(tool.checkInput({ p399: 'a' })).toMatchObject({ ok: true })
  })
})

describe('definitions without a tool in them', () => {
  const rows: readonly (readonly [string, unknown, string])[] = [
    ['no object', 'x', 'definition_kind'],
    ['null', null, 'definition_kind'],
    ['a list', [], 'definition_kind'],
    ['no name', { parameters: schema }, 'name_missing'],
    ['an empty name', { name: '', parameters: schema }, 'name_missing'],
    ['a built-in tool', { type: 'web_search_20250305', name: 'web_search' }, 'definition_kind'],
    ['two declarations', { functionDeclarations: [{ name }, { name }] }, 'definition_kind'],
    ['a schema that is text', { name, parameters: 'none' }, 'schema_not_json'],
    ['a root that is a list', { name, parameters: { type: 'array' } }, 'root_type'],
    ['a reference elsewhere', { name, parameters: { $ref: 'https://example.com/a.json' } }, 'ref_unresolved'],
    ['a reference to itself', { name, parameters: { $ref: '#' } }, 'ref_cycle'],
    ['functions inside', { name, parameters: { type: 'object', x: () => 1 } }, 'schema_not_json'],
  ]
  for (const [title, definition, rule] of rows) {
    test(title, () => {
      expect(ruleOf(definition)).toBe(rule)
    })
  }

  test('a definition without a schema takes no parameters', () => {
    expect(importTool({ name, parameters: null }).tool.spec.inputSchema).toEqual({ type: 'object', properties: {} })
  })

  test('anything at all gives a tool or a typed error', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'required',
      'enum',
      '$ref',
      'anyOf',
      'nullable',
      '__proto__',
      'minimum',
      'exclusiveMinimum',
      'not',
      'if',
      '$defs',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>('object', 'dict', '#', '#/properties/a', true, 1, null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('tree'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(tree, fc.jsonValue(), (parameters, value) => {
        try {
          const { tool } = importTool({ name, parameters })
          void tool.checkInput({ a: value as never })
        } catch (error) {
          expect(ToolwireError.is(error) && error.code).toBe('invalid_tool_spec')
        }
        expect(({} as { type?: unknown }).type).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })
})

describe('definitions met in the wild', () => {
  const path = fileURLToPath(new URL('../../../shared/corpus/tools.jsonl', import.meta.url))
  test('each gives a tool that checks, or a typed error', () => {
    if (!existsSync(path)) {
      console.log('corpus not found, skipped')
      return
    }
    const counts = new Map<string, number>()
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    for (const line of lines) {
      const record = JSON.parse(line)
      const rule = ruleOf(record)
      const key = `${record.kind}/${record.dialect}: ${rule === undefined ? 'tool' : `refused, ${rule}`}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (rule !== undefined) continue
      expect(importTool(record).tool.checkInput([] as never)).toMatchObject({ ok: false })
    }
    console.log(
      [...counts]
        .sort()
        .map(([key, count]) => `${key} ${count}`)
        .join('\n'),
    )
    expect(lines.length).toBe(2291)
    expect([...counts.keys()].filter((key) => key.startsWith('tool/') && !key.endsWith(': tool'))).toEqual([])
  })
})
