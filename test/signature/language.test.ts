// The signature language: what it reads, what it refuses and how it says so, and that its text loses nothing.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolwireError } from '../../src/errors/error.js'
import { parseSignature } from '../../src/signature/parse.js'
import { printSignature } from '../../src/signature/print.js'
import { signature } from '../../src/signature/signature.js'
import { params } from '../../src/tools/params.js'
import { anySignature } from './arbitrary-signature.js'
import invalid from './invalid-signatures.json' with { type: 'json' }
import { validSignatures } from './valid-signatures.js'

test.each(validSignatures)('reads %j', (text, printed) => {
  const read = signature(text as string)
  expect(read.toString()).toBe(printed)
  expect(signature(printed as string)).toEqual(read)
})

test('there are at least sixty signatures that are read and sixty that are refused', () => {
  expect(new Set(validSignatures.map(([text]) => text)).size).toBeGreaterThanOrEqual(60)
  expect(new Set(invalid.map(({ text }) => text)).size).toBeGreaterThanOrEqual(60)
})

test.each(invalid)('refuses $text', ({ text, message }) => {
  const error = failure(() => signature(text))
  expect(error.code).toBe('misuse')
  expect(error.message).toBe(message)
  const caret = message.split('\n').at(-1)?.indexOf('^') ?? -1
  const shown = message.split('\n').at(-2)?.slice(2) ?? ''
  // The caret stands below the character at the position.
  expect(shown[caret - 2]).toBe(
    text[Number(error.detail?.position)] === '\n' ? undefined : text[Number(error.detail?.position)],
  )
})

test('reading what was printed gives the same signature', () => {
  fc.assert(
    fc.property(anySignature, (data) => {
      expect(parseSignature(printSignature(data))).toEqual(data)
    }),
    { numRuns: 500 },
  )
})

test('any text is read or refused with a coded error', () => {
  const pieces = fc.constantFrom(
    'a',
    'b?',
    '->',
    ':',
    'string',
    '[]',
    '(',
    ')',
    '{',
    '}',
    '"',
    '\\',
    ',',
    'class',
    'object',
    'min 1',
    '\n',
    '!',
    'tools',
    'é',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(text, (given) => {
      try {
        const read = parseSignature(given)
        expect(parseSignature(printSignature(read))).toEqual(read)
      } catch (error) {
        if (!ToolwireError.is(error)) throw error
        expect(error.code).toBe('misuse')
        expect(error.message).toContain('\n  ')
      }
    }),
    { numRuns: 1000 },
  )
})

test('a text that is far too long is refused', () => {
  expect(failure(() => signature('a, '.repeat(50_000) as string)).message).toContain('more than 100000 characters')
})

describe('the same signature', () => {
  const text =
    '"Judge it." review: string "as written", tags?: string[](min 1) -> mood: class "good, bad", score: number(min 0, max 1), place: object{ city: string, zip?: string } "where", scratch!: string'

  test('comes from the builder', () => {
    const built = signature
      .build('Judge it.')
      .input('review', 'string', { description: 'as written' })
      .input('tags', 'string[](min 1)', { optional: true })
      .output('mood', 'class "good, bad"')
      .output('score', 'number(min 0, max 1)')
      .output('place', 'object{ city: string, zip?: string }', { description: 'where' })
      .output('scratch', 'string', { internal: true })
      .done()
    expect(built).toEqual(signature(text))
    expect(built.toString()).toBe(signature(text).toString())
  })

  test('comes from Standard Schemas and params', () => {
    const built = signature
      .build()
      .instruction('Judge it.')
      .input('review', z.string(), { description: 'as written' })
      .input('tags', z.array(z.string()).min(1), { optional: true })
      .output('mood', z.enum(['good', 'bad']))
      .output('score', params.number({ minimum: 0, maximum: 1 }))
      .output('place', z.object({ city: z.string(), zip: z.string().optional() }), { description: 'where' })
      .output('scratch', params.string(), { internal: true })
      .done()
    expect(built).toEqual(signature(text))
  })

  test('keeps a schema that fields cannot say as it is', () => {
    const built = signature
      .build()
      .input('a')
      .output('b', z.union([z.string(), z.number()]))
      .done()
    expect(built.outputs[0]?.type).toEqual({ kind: 'schema', schema: { type: ['string', 'number'] } })
    expect(signature(built.toString() as string)).toEqual(built)
  })

  test('takes its instruction from the text or beside it, not from both', () => {
    expect(signature('a -> b', 'Do it.')).toEqual(signature('"Do it." a -> b'))
    expect(failure(() => signature('"Do it." a -> b', 'Do that.')).message).toBe(
      'the signature has an instruction in its text and a second one; keep one of them',
    )
  })
})

test.each([
  [
    () => signature.build().output('a').done(),
    'the signature cannot be built: there is no input field; add one with input()',
  ],
  [
    () => signature.build().input('a').done(),
    'the signature cannot be built: there is no output field; add one with output()',
  ],
  [
    () => signature.build().input('a b'),
    'the signature cannot be built: the field name "a b" does not begin with a letter',
  ],
  [
    () => signature.build().input('a').output('a').done(),
    'the signature cannot be built: "a" is both an input and an output; give each field a name of its own',
  ],
  [
    () => signature.build().input('a').output('b', z.date()).done(),
    /^the schema of the field "b" cannot be used: the zod schema has no JSON Schema/,
  ],
  [() => signature.build().input('a', 'strng'), /there is no type "strng"; did you mean string\?/],
  [() => signature(5 as never), 'a signature is written as a text; or use signature.build()'],
])('the builder refuses what makes no sense: %#', (build, message) => {
  const error = failure(build)
  expect(error.code).toBe('misuse')
  if (typeof message === 'string') expect(error.message).toBe(message)
  else expect(error.message).toMatch(message)
})

function failure(attempt: () => unknown): ToolwireError {
  try {
    attempt()
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
  throw new Error('was not refused')
}
