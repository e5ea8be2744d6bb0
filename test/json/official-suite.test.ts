// Every case of the JSON parsing test suite against every reader here that says whether a text is JSON.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { exactText, parseExact } from '../../src/json/exact.js'
import { growingValue } from '../../src/json/growing.js'
import { checkBody, parseBody, parseJson } from '../../src/json/parse.js'
import { argsOf, decodeArguments } from '../../src/tools/arguments.js'

const folder = new URL('../../../shared/suites/json-parsing/test_parsing/', import.meta.url)
const isFound = existsSync(folder)
if (!isFound) console.info('JSON parsing test suite not found, skipped')

/** As text arrives from a provider: bytes that are not UTF-8 become U+FFFD. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
/** As a request arrives at the gateway: bytes that are not UTF-8 are refused, and a byte order mark is skipped. */
const strict = new TextDecoder('utf-8', { fatal: true })

interface Case {
  readonly name: string
  readonly bytes: Uint8Array
  readonly text: string
}

const cases: readonly Case[] = (isFound ? readdirSync(folder) : []).toSorted().map((name) => {
  const bytes = readFileSync(join(fileURLToPath(folder), name))
  return { name, bytes, text: lenient.decode(bytes) }
})
const casesOf = (kind: string): readonly Case[] => cases.filter(({ name }) => name.startsWith(kind))

const call = (text: string) => ({ type: 'tool_call', id: 'a', name: 'a', arguments: text }) as const

/** A value that is no object is read as a member, because arguments are always an object. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseBody,
  parseJson,
  checkBody,
  parseExact,
  argsOf: (text) => argsOf(call(`{"value":${text}}`)).value,
  decodeArguments: (text) =>
    (decodeArguments(call(`{"value":${text}}`), { type: 'object' }) as { readonly value?: unknown }).value,
}

function outcomeOf(read: (text: string) => unknown, text: string): string {
  try {
    read(text)
    return 'accepted'
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    return error.code
  }
}

describe.skipIf(!isFound)('the JSON parsing test suite', () => {
  for (const [name, read] of Object.entries(readers)) {
    test(`${name}: every valid text is accepted, and no other`, () => {
      const wrong = [...casesOf('y_'), ...casesOf('n_')].flatMap((one) => {
        const isAccepted = outcomeOf(read, one.text) === 'accepted'
        return isAccepted === one.name.startsWith('y_') ? [] : [one.name]
      })
      expect(wrong).toEqual([])
      expect(casesOf('y_').length + casesOf('n_').length).toBe(283)
    })
  }

  test('every reader gives the value that the platform gives', () => {
    for (const { name, text } of casesOf('y_')) {
      const value: unknown = JSON.parse(text)
      expect([name, parseBody(text), checkBody(text), parseJson(text)]).toEqual([name, value, value, value])
      expect([name, JSON.parse(exactText(parseExact(text)))]).toEqual([name, value])
    }
  })

  test('a valid text that is still arriving is never called broken, and ends in its value', () => {
    for (const { name, text } of casesOf('y_')) {
      const growing = growingValue()
      expect([name, Array.from(text, (character) => growing.push(character)).includes(false)]).toEqual([name, false])
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null) expect([name, growing.value]).toEqual([name, value])
    }
  })

  test('where the standard leaves the choice, all readers make the same', () => {
    const found = Object.fromEntries(
      casesOf('i_').map(({ name, bytes, text }) => {
        const outcomes = new Set(
          ['parseBody', 'parseJson', 'checkBody', 'parseExact'].map((reader) =>
            outcomeOf(readers[reader] ?? parseBody, text),
          ),
        )
        return [name.slice(2, -5), [...outcomes, outcomeOfBytes(bytes)].join(' | ')]
      }),
    )
    expect(found).toMatchInlineSnapshot(`
      {
        "number_double_huge_neg_exp": "accepted | accepted",
        "number_huge_exp": "accepted | accepted",
        "number_neg_int_huge_exp": "accepted | accepted",
        "number_pos_double_huge_exp": "accepted | accepted",
        "number_real_neg_overflow": "accepted | accepted",
        "number_real_pos_overflow": "accepted | accepted",
        "number_real_underflow": "accepted | accepted",
        "number_too_big_neg_int": "accepted | accepted",
        "number_too_big_pos_int": "accepted | accepted",
        "number_very_big_negative_int": "accepted | accepted",
        "object_key_lone_2nd_surrogate": "accepted | accepted",
        "string_1st_surrogate_but_2nd_missing": "accepted | accepted",
        "string_1st_valid_surrogate_2nd_invalid": "accepted | accepted",
        "string_UTF-16LE_with_BOM": "malformed_response | not UTF-8",
        "string_UTF-8_invalid_sequence": "accepted | not UTF-8",
        "string_UTF8_surrogate_U+D800": "accepted | not UTF-8",
        "string_incomplete_surrogate_and_escape_valid": "accepted | accepted",
        "string_incomplete_surrogate_pair": "accepted | accepted",
        "string_incomplete_surrogates_escape_valid": "accepted | accepted",
        "string_invalid_lonely_surrogate": "accepted | accepted",
        "string_invalid_surrogate": "accepted | accepted",
        "string_invalid_utf-8": "accepted | not UTF-8",
        "string_inverted_surrogates_U+1D11E": "accepted | accepted",
        "string_iso_latin_1": "accepted | not UTF-8",
        "string_lone_second_surrogate": "accepted | accepted",
        "string_lone_utf8_continuation_byte": "accepted | not UTF-8",
        "string_not_in_unicode_range": "accepted | not UTF-8",
        "string_overlong_sequence_2_bytes": "accepted | not UTF-8",
        "string_overlong_sequence_6_bytes": "accepted | not UTF-8",
        "string_overlong_sequence_6_bytes_null": "accepted | not UTF-8",
        "string_truncated-utf-8": "accepted | not UTF-8",
        "string_utf16BE_no_BOM": "malformed_response | not UTF-8",
        "string_utf16LE_no_BOM": "malformed_response | not UTF-8",
        "structure_500_nested_arrays": "accepted | accepted",
        "structure_UTF-8_BOM_empty_object": "malformed_response | accepted",
      }
    `)
  })
})

/** What a request with these bytes comes to. */
function outcomeOfBytes(bytes: Uint8Array): string {
  try {
    strict.decode(bytes)
  } catch {
    return 'not UTF-8'
  }
  return outcomeOf(parseBody, strict.decode(bytes))
}
