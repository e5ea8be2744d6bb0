import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawSpans, renameKeys, spanFinder } from '../../src/json/spans.js'
import type { Json } from '../../src/json/types.js'

const text = ` {
  "id": "a", "content": [ {"type":"text","text":"\\"input\\":{]"},
    {"type":"tool_use", "input" : { "n": 12345678901234567890 , "x":[1, 2] } , "after":{"input":1}},
    {"\\u0069nput":1.50} ], "input": null }`

/** The value that JSON.parse has at a pointer of plain keys. */
function valueAt(value: unknown, pointer: string): unknown {
  let current = value
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    current = (current as { readonly [key: string]: unknown })[key]
  }
  return current
}

/** Every pointer of a value, the root included. */
function pointersOf(value: unknown, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [pointer]
  const below = Object.entries(value).flatMap(([key, member]) =>
    pointersOf(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return [pointer, ...below]
}

describe('rawSpans', () => {
  it('gives the raw text at every match, without outer white space', () => {
    expect([...rawSpans(text, ['/content/*/input', '/input', '/missing'])]).toEqual([
      ['/content/1/input', '{ "n": 12345678901234567890 , "x":[1, 2] }'],
      ['/content/2/input', '1.50'],
      ['/input', 'null'],
    ])
  })

  it('takes an index, the root, and patterns inside one another', () => {
    expect(rawSpans(text, ['/content/2/input']).get('/content/2/input')).toBe('1.50')
    expect(rawSpans(text, ['']).get('')).toBe(text.trim())
    const spans = rawSpans('[[1,[2]],[3]]', ['/*', '/*/1', '/*/1/*'])
    expect(Object.fromEntries(spans)).toEqual({ '/0': '[1,[2]]', '/0/1': '[2]', '/0/1/0': '2', '/1': '[3]' })
    expect([...rawSpans('[[1],[2]]', ['/0', '/*/0'])]).toEqual([
      ['/0', '[1]'],
      ['/1/0', '2'],
    ])
  })

  it('takes * for indexes only, and indexes as keys of objects too', () => {
    expect(rawSpans('{"a":1,"*":2}', ['/*']).size).toBe(0)
    expect([...rawSpans('{"0":1}', ['/0'])]).toEqual([['/0', '1']])
  })

  it('takes the last of repeated keys, with all that is below it', () => {
    expect([...rawSpans('{"a":1,"a":2}', ['/a'])]).toEqual([['/a', '2']])
    expect(rawSpans('{"a":{"input":1},"\\u0061":{}}', ['/a/input']).size).toBe(0)
    expect([...rawSpans('{"a":[{"b":1},{"b":2}],"a":[{"b":3}]}', ['/a/*/b'])]).toEqual([['/a/0/b', '3']])
  })

  it('agrees with JSON.parse on every document and every pointer', () => {
    const indent = fc.constantFrom(undefined, 2, '\t')
    fc.assert(
      fc.property(fc.jsonValue(), indent, (generated, space) => {
        const document = JSON.stringify(generated, undefined, space)
        const parsed: unknown = JSON.parse(document)
        const pointers = pointersOf(parsed)
        if (pointers.some((pointer) => pointer.split('/').includes('*'))) return
        const spans = rawSpans(document, pointers)
        expect([...spans.keys()].sort()).toEqual([...new Set(pointers)].sort())
        for (const [pointer, raw] of spans) {
          expect(raw).toBe(raw.trim())
          expect(JSON.parse(raw)).toEqual(valueAt(parsed, pointer))
        }
      }),
    )
  })

  it('finds keys however they are escaped', () => {
    const escaped = (key: string): string =>
      `"${[...Array(key.length).keys()].map((index) => `\\u${key.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }).filter((key) => key !== '*'),
        (key) => {
          const pattern = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
          expect(rawSpans(`{${escaped(key)}:1}`, [pattern]).get(pattern)).toBe('1')
          expect(rawSpans(`{${JSON.stringify(key)}:1}`, [pattern]).get(pattern)).toBe('1')
        },
      ),
    )
  })

  it('ends on text that is not JSON, and in linear time', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '1', ' ')
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
        const garbage = tokens.join('')
        expect(rawSpans(garbage, ['/a', '/*', '/*/a', '/a/*']).size).toBeLessThanOrEqual(garbage.length)
        expect(renameKeys(garbage, new Map([['zz', 'b']]))).toBe(garbage)
      }),
    )
    const started = performance.now()
    rawSpans(`{"a":${'['.repeat(1_000_000)}`, ['/a'])
    rawSpans(`{"a":"${'\\'.repeat(1_000_000)}`, ['/a', '/b'])
    rawSpans(`[${'"\\\\",'.repeat(200_000)}1]`, ['/*/a'])
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('renameKeys', () => {
  it('renames top-level keys only and leaves the rest byte for byte', () => {
    const source = ' { "a" : {"a": 12345678901234567890} ,\n"\\u0062":1.0, "c":"a", "a":[ "b" ] } '
    const renamed = ' { "x\\"y" : {"a": 12345678901234567890} ,\n"B":1.0, "c":"a", "x\\"y":[ "b" ] } '
    expect(
      renameKeys(
        source,
        new Map([
          ['a', 'x"y'],
          ['b', 'B'],
        ]),
      ),
    ).toBe(renamed)
  })

  it('leaves text without such keys, or without an object, as it is', () => {
    for (const source of ['{}', '[{"a":1}]', '"a"', '', ' {"b":{"a":1}} ']) {
      expect(renameKeys(source, new Map([['a', 'x']]))).toBe(source)
    }
  })

  it('renames as a rename of the parsed entries would', () => {
    const keys = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5, noNullPrototype: true })
    fc.assert(
      fc.property(keys, fc.constantFrom(undefined, 2), (value, space) => {
        const rename = new Map(Object.keys(value).map((key, index) => [key, `new ${index} "${key}"`]))
        const expected = Object.fromEntries(
          Object.entries(value).map(([key, member]) => [rename.get(key) ?? key, member]),
        )
        expect(renameKeys(JSON.stringify(value, undefined, space), rename)).toBe(
          JSON.stringify(expected, undefined, space),
        )
      }),
    )
  })
})

/** Members of an object in any order, keys spelt in any way, some repeated, containers between them. */
const members = fc.array(
  fc.tuple(
    fc.constantFrom('"model"', '"\\u006dodel"', '"mode\\u006c"', '"other"', '"models"'),
    fc.constantFrom('1', '"model"', '{"model":1}', '[{"model":"\\u006d"}]', '[]', '"\\\\u006d"', '{"a":[]}'),
  ),
  { maxLength: 6 },
)
const objectText = (list: readonly (readonly [string, string])[]): string =>
  `{${list.map(([key, value]) => `${key}:${value}`).join(', ')}}`

describe('a key of the whole text, wherever it stands', () => {
  it('is found as JSON.parse finds it', () => {
    fc.assert(
      fc.property(members, (list) => {
        const found = rawSpans(objectText(list), ['/model', '/stream']).get('/model')
        const { model } = JSON.parse(objectText(list)) as { readonly model?: unknown }
        expect(found === undefined ? undefined : JSON.parse(found)).toEqual(model)
      }),
    )
  })
})

/** JSON texts in which keys are repeated, nested and spelt in any way, and long texts stand beside short ones. */
const documents = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(
      fc.tuple(
        fc.constantFrom('"args"', '"\\u0061rgs"', '"arg\\u0073"', '"x"', '"a_b"'),
        fc.constantFrom(':', ' : '),
        tie('value'),
      ),
      { maxLength: 4 },
    )
    .map((list) => `{${list.map((member) => member.join('')).join(', ')}}`),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1.50', '"args"', '"\\"args\\":"', '"a{]\\\\"', '"\\u0041"', '[]', '12345678901234567890'),
    fc.integer({ min: 0, max: 60 }).map((count) => JSON.stringify('a "b"\\\n'.repeat(count))),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }).map((list) => `[${list.join(' ,')}]`),
  ),
})).object

describe('a member whose value is parsed already', () => {
  it('is the very text that going through the document finds', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const parsed: unknown = JSON.parse(document)
        const pointers = pointersOf(parsed).slice(1)
        const spans = rawSpans(document, pointers)
        for (const pointer of pointers) {
          const find = spanFinder([pointer])(document)
          expect(find(pointer, valueAt(parsed, pointer) as Json)).toBe(spans.get(pointer))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('is the same where all members of its name are told of', () => {
    const lists = fc.array(documents, { maxLength: 3 }).map((list) => `{"calls":[${list.join(' ,')}]}`)
    fc.assert(
      fc.property(lists, (document) => {
        const { calls } = JSON.parse(document) as { readonly calls: readonly { readonly args?: Json }[] }
        const all = calls.flatMap(({ args }) => (args === undefined ? [] : [args]))
        const spans = rawSpans(document, ['/calls/*/args'])
        const find = spanFinder(['/calls/*/args'])(document, all)
        for (const [index, { args }] of calls.entries())
          expect(find(`/calls/${index}/args`, args)).toBe(spans.get(`/calls/${index}/args`))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is found where it is nearly all of the text', () => {
    const value = { path: 'a', content: 'say "}" and "{"\\\n'.repeat(1_000) }
    const raw = JSON.stringify(value)
    for (const rest of ['', ',"done":false', ',"done":[{"a":"}"},[]]']) {
      const document = `{"message":{"calls":[{"args":${raw}}]}${rest}}`
      expect(spanFinder(['/message/calls/*/args'])(document)('/message/calls/0/args', value)).toBe(raw)
    }
  })
})
