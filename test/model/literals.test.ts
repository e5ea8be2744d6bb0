// Literals of models that do not write JSON: Python's and Gemma's, as JSON text with the same meaning, or refused.
import { describe, expect, test } from 'vitest'
import { literalAt, membersAt } from '../../src/model/text-calls/literals.js'

const read = (text: string) => literalAt(text, 0)

describe('a literal becomes JSON', () => {
  test.each<[string, string]>([
    ['True', 'true'],
    ['true', 'true'],
    ['False', 'false'],
    ['false', 'false'],
    ['None', 'null'],
    ['null', 'null'],
    ['0', '0'],
    ['-12.50', '-12.50'],
    ['1e5', '1e5'],
    ['1E+05', '1E+05'],
    ['12345678901234567890', '12345678901234567890'],
    ["'it'", '"it"'],
    ['"it"', '"it"'],
    [`'say "hi"'`, '"say \\"hi\\""'],
    [`"it's"`, `"it's"`],
    [String.raw`'a\'b'`, `"a'b"`],
    [String.raw`'a\\b'`, String.raw`"a\\b"`],
    [String.raw`'\n\t\r\b\f'`, String.raw`"\n\t\r\b\f"`],
    [String.raw`'\u00e9\x41'`, '"éA"'],
    [String.raw`'\q'`, String.raw`"\\q"`],
    [String.raw`'\/'`, '"/"'],
    ["'two\\\nlines'", '"twolines"'],
    ["'constructor\\constructor'", String.raw`"constructor\\constructor"`],
    ['<|"|>it "is"<|"|>', '"it \\"is\\""'],
    ['<escape>a\\n<escape>', String.raw`"a\\n"`],
    ['[]', '[]'],
    ['[1, "a", None]', '[1, "a", null]'],
    ["[ 'a' , [ True ] , ]", '["a", [true]]'],
    ['{}', '{}'],
    ["{'a': 1, \"b\": [2], c: 'd'}", '{"a": 1, "b": [2], "c": "d"}'],
    ['{a-b: {$c: None,},}', '{"a-b": {"$c": null}}'],
  ])('%s', (text, json) => {
    expect(read(text)).toEqual({ json, end: text.length })
    expect(literalAt(`xx \n${text} yy`, 2)).toEqual({ json, end: 4 + text.length })
    JSON.parse(json)
  })
})

describe('what is no literal is refused', () => {
  test.each([
    '',
    'yes',
    'Trueish',
    'None_',
    '01',
    '1.',
    '.5',
    '1_000',
    '12px',
    '+1',
    "'open",
    '"open\\"',
    '<escape>open',
    '[1',
    '[1 2]',
    '[1,,2]',
    '[,]',
    '{1: 2}',
    "{'a'}",
    "{'a': }",
    "{'a': 1 'b': 2}",
    "{'a': 1, 'a': 2}",
    "{'a': 1, a: 2}",
    "{'a' = 1}",
    '(1)',
    '['.repeat(600),
  ])('%s', (text) => {
    expect(read(text)).toBeUndefined()
  })
})

describe('arguments of a call', () => {
  const args = { separator: '=', close: ')' } as const

  test.each<[string, string | undefined]>([
    [')', '{}'],
    ["city='Paris', days=2)", '{"city": "Paris", "days": 2}'],
    ["city = 'Paris' ,)", '{"city": "Paris"}'],
    ["options={'a': [1]})", '{"options": {"a": [1]}}'],
    ["city: 'Paris')", undefined],
    ["city='Paris'}", undefined],
    ["city='Paris', city='Rome')", undefined],
    ["'Paris')", undefined],
    ['city=)', undefined],
    ["city='Paris'", undefined],
  ])('%s', (text, json) => {
    expect(membersAt(text, 0, args)?.json).toBe(json)
  })
})
