// Formats: every test of the official suite, that they are only checked where they are asked for, and that no text takes long.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { formats } from '../../src/schema/formats/index.js'
import { decodePunycode, encodePunycode } from '../../src/schema/formats/punycode.js'
import { compileSchema } from '../../src/schema/validate.js'
import { defineTool } from '../../src/tools/definition.js'
import { importTool } from '../../src/tools/import-tool.js'
import { formatParts } from './format-texts.js'
import { isSuiteFound, readGroups } from './official-suite.js'

describe.skipIf(!isSuiteFound)('the optional format tests of the official suite', () => {
  for (const [draft, count] of [
    ['draft2020-12', 764],
    ['draft7', 676],
  ] as const) {
    test(`${draft}: every verdict is right`, () => {
      const wrong: string[] = []
      let passed = 0
      for (const { title, schema, tests } of readGroups(draft, 'optional/format')) {
        const check = compileSchema(schema as JsonObject, 'whole', formats)
        for (const { description, data, valid } of tests) {
          if (check(data).ok === valid) passed += 1
          else wrong.push(`${title}: ${description}`)
        }
      }
      console.info(`${draft}, formats: ${passed} passed, ${wrong.length} wrong`)
      expect({ wrong, passed }).toEqual({ wrong: [], passed: count })
    })
  }
})

const meeting = {
  name: 'book_meeting',
  description: 'Books a meeting on a day',
  input: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  execute: () => 'booked',
} as const

describe('formats are checked where they are asked for', () => {
  test('by default a format is an annotation', async () => {
    expect((await defineTool(meeting).checkInput({ date: 'tomorrow' })).ok).toBe(true)
  })

  test('a tool with formats refuses a text in another format, and says which it wants', async () => {
    const checked = await defineTool({ ...meeting, formats }).checkInput({ date: 'tomorrow' })
    expect(checked).toEqual({ ok: false, issues: [{ path: '/date', message: 'must be in the format "date"' }] })
    expect((await defineTool({ ...meeting, formats }).checkInput({ date: '2026-02-28' })).ok).toBe(true)
  })

  test('an imported tool checks them too, and results are checked as arguments are', async () => {
    const { tool } = importTool({ name: 'book', inputSchema: meeting.input }, { formats })
    expect((await tool.checkInput({ date: '2026-02-30' })).ok).toBe(false)
    const told = defineTool({ ...meeting, formats, outputSchema: { type: 'string', format: 'uuid' } as const })
    expect((await told.checkOutput?.('booked'))?.ok).toBe(false)
  })

  test('a program may check some, and formats of its own', async () => {
    const own = { plate: (text: string) => text.startsWith('B-') }
    const input: JsonObject = {
      type: 'object',
      properties: { plate: { format: 'plate' }, date: { format: 'date' }, toString: { format: 'toString' } },
    }
    const { tool } = importTool({ name: 'park', inputSchema: input }, { formats: own })
    expect((await tool.checkInput({ plate: 'B-1', date: 'x', toString: 'x' })).ok).toBe(true)
    expect((await tool.checkInput({ plate: 'C-1' })).ok).toBe(false)
    expect((await tool.checkInput({ plate: 1 })).ok).toBe(true)
  })

  test('the same schema is checked with and without them', () => {
    const schema = { format: 'date' }
    expect(compileSchema(schema)('x').ok).toBe(true)
    expect(compileSchema(schema, 'whole', formats)('x').ok).toBe(false)
    expect(compileSchema(schema)('x').ok).toBe(true)
  })
})

describe('no text takes long', () => {
  test('a text that is too long to be checked ends in the limit', () => {
    const checked = compileSchema({ format: 'uri' }, 'whole', formats)(`https://${'a'.repeat(1_000_000)}`)
    expect(checked).toMatchObject({ ok: false, limit: 'work' })
  })

  test('no text makes a format throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...formatParts)).map((list) => list.join('')),
        ),
        (text) => {
          for (const isFit of Object.values(formats)) expect(typeof isFit(text)).toBe('boolean')
        },
      ),
    )
  })
})

test('Punycode comes back as it was', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.integer({ min: 0x80, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
        minLength: 1,
        maxLength: 20,
      }),
      (text) => {
        expect(decodePunycode(encodePunycode(text))).toBe(text)
      },
    ),
  )
})

test('formats that are no functions are refused with the rule', () => {
  try {
    defineTool({ ...meeting, formats: { date: /x/ } as never })
    expect.unreachable()
  } catch (error) {
    expect(ToolwireError.is(error) && error.detail).toMatchObject({ rule: 'formats_value' })
  }
})
