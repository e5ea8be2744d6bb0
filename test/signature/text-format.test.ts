// What models write around and instead of the form they were asked for, and that what an adapter writes it reads back.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/conversation/messages.js'
import type { Adapter } from '../../src/signature/adapter.js'
import { chatAdapter } from '../../src/signature/chat-adapter.js'
import type { Field, FieldType, SignatureData } from '../../src/signature/field.js'
import { jsonAdapter } from '../../src/signature/json-adapter.js'
import { signature } from '../../src/signature/signature.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { anySignature } from './arbitrary-signature.js'
import { anyValue } from './arbitrary-value.js'
import { failureOf } from './failure.js'

const read = async (adapter: Adapter, text: string, answer: string): Promise<unknown> => {
  const parsed = await adapter.parse(signature(text), responseOf({ text: answer }, 0, 'm'))
  return Object.fromEntries(parsed.outputs)
}

const two = 'q -> answer: string, score: number'
const chatTable: readonly (readonly [what: string, signature: string, text: string, outputs: object])[] = [
  [
    'the form asked for',
    two,
    '[[ ## answer ## ]]\nParis\n\n[[ ## score ## ]]\n0.5\n\n[[ ## completed ## ]]',
    { answer: 'Paris', score: 0.5 },
  ],
  [
    'values on the lines of their markers',
    two,
    '[[ ## answer ## ]] Paris\n[[ ## score ## ]] 1',
    { answer: 'Paris', score: 1 },
  ],
  ['fields in another order', two, '[[ ## score ## ]]\n1\n[[ ## answer ## ]]\nParis', { answer: 'Paris', score: 1 }],
  ['no end marker', two, '[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1', { answer: 'Paris', score: 1 }],
  [
    'a preamble',
    two,
    'Sure! Here it is:\n\n[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1',
    { answer: 'Paris', score: 1 },
  ],
  [
    'text behind the end',
    two,
    '[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1\n[[ ## completed ## ]]\nBye! [[ ## score ## ]] 2',
    { answer: 'Paris', score: 1 },
  ],
  [
    'line ends of Windows',
    two,
    '[[ ## answer ## ]]\r\nParis\r\nand Rome\r\n\r\n[[ ## score ## ]]\r\n1\r\n',
    { answer: 'Paris\r\nand Rome', score: 1 },
  ],
  [
    'a code fence around everything',
    two,
    '```\n[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1\n```',
    { answer: 'Paris', score: 1 },
  ],
  [
    'a code fence with a language around everything',
    two,
    '```text\n[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1\n```\n',
    { answer: 'Paris', score: 1 },
  ],
  [
    'a code fence in a text value stays',
    'q -> answer',
    '[[ ## answer ## ]]\n```js\nf()\n```',
    { answer: '```js\nf()\n```' },
  ],
  [
    'a code fence around a JSON value',
    'q -> list: number[]',
    '[[ ## list ## ]]\n```json\n[1, 2]\n```',
    { list: [1, 2] },
  ],
  ['words before a JSON value', 'q -> list: number[]', '[[ ## list ## ]]\nThe list: [1, 2].', { list: [1, 2] }],
  ['markers with other spaces', two, '  [[## answer ##]]\nParis\n[[ ##score## ]]\n1', { answer: 'Paris', score: 1 }],
  [
    'the echoed inputs',
    two,
    '[[ ## q ## ]]\nwhat?\n[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\n1',
    { answer: 'Paris', score: 1 },
  ],
  [
    'a repeated field: the first counts',
    two,
    '[[ ## answer ## ]]\nParis\n[[ ## answer ## ]]\nRome\n[[ ## score ## ]]\n1',
    { answer: 'Paris', score: 1 },
  ],
  [
    'a marker within a line is text',
    'q -> answer',
    '[[ ## answer ## ]]\nWrite [[ ## answer ## ]] first.',
    { answer: 'Write [[ ## answer ## ]] first.' },
  ],
  [
    'a marker of another name is text',
    'q -> answer',
    '[[ ## answer ## ]]\nLike so:\n[[ ## note ## ]]\nhm',
    { answer: 'Like so:\n[[ ## note ## ]]\nhm' },
  ],
  [
    'a marker behind a backslash is text',
    'q -> answer',
    '[[ ## answer ## ]]\n\\[[ ## answer ## ]]\n\\\\[[ ## answer ## ]]',
    { answer: '[[ ## answer ## ]]\n\\[[ ## answer ## ]]' },
  ],
  ['no marker, one text field', 'q -> answer', ' Paris.\n', { answer: 'Paris.' }],
  ['no marker, a JSON object', two, '{"answer": "Paris", "score": 1}', { answer: 'Paris', score: 1 }],
  [
    'no marker, a fenced JSON object behind words',
    two,
    'Here:\n```json\n{"answer": "Paris", "score": 1}\n```',
    { answer: 'Paris', score: 1 },
  ],
  ['unicode', 'q -> answer', '[[ ## answer ## ]]\n日本 😀 é\u2028x', { answer: '日本 😀 é\u2028x' }],
  ['an empty text', 'q -> answer', '[[ ## answer ## ]]\n\n[[ ## completed ## ]]', { answer: '' }],
  [
    'an empty optional field is absent',
    'q -> answer?, score?: number',
    '[[ ## answer ## ]]\n\n[[ ## score ## ]]\n',
    {},
  ],
  ['a class in quotes', 'q -> mood: class "good, bad"', '[[ ## mood ## ]]\n"good"', { mood: 'good' }],
  ['a boolean in capitals', 'q -> ok: boolean', '[[ ## ok ## ]]\nTrue', { ok: true }],
  ['a quoted date', 'q -> day: date', "[[ ## day ## ]]\n'2026-02-28'", { day: '2026-02-28' }],
  [
    'a large integer, every digit',
    'q -> id: integer',
    '[[ ## id ## ]]\n12345678901234567890',
    { id: 12345678901234567890n },
  ],
  [
    'null for an optional member',
    'q -> p: object{ a: string, b?: string }',
    '[[ ## p ## ]]\n{"a":"x","b":null}',
    { p: { a: 'x' } },
  ],
  [
    'a dangerous key stays an own key',
    'q -> o: json',
    '[[ ## o ## ]]\n{"__proto__":{"x":1}}',
    { o: JSON.parse('{"__proto__":{"x":1}}') as object },
  ],
]
const jsonTable: typeof chatTable = [
  ['the form asked for', two, '{"answer":"Paris","score":0.5}', { answer: 'Paris', score: 0.5 }],
  ['a code fence', two, '```json\n{"answer":"Paris","score":1}\n```', { answer: 'Paris', score: 1 }],
  ['a preamble', two, 'Sure: {"answer":"Paris","score":1} Done.', { answer: 'Paris', score: 1 }],
  ['a preamble with brackets', two, 'As [asked] {so}: {"answer":"Paris","score":1}', { answer: 'Paris', score: 1 }],
  ['line ends of Windows', two, '{\r\n"answer": "Paris",\r\n"score": 1\r\n}\r\n', { answer: 'Paris', score: 1 }],
  ['unicode and escapes', 'q -> answer', '{"answer":"日本 \\ud83d\\ude00 \\n é"}', { answer: '日本 😀 \n é' }],
  [
    'markers in values',
    'q -> answer',
    '{"answer":"[[ ## answer ## ]]\\n```x```"}',
    { answer: '[[ ## answer ## ]]\n```x```' },
  ],
  ['keys nobody asked for', two, '{"answer":"Paris","score":1,"extra":true}', { answer: 'Paris', score: 1 }],
  ['null for an optional field', 'q -> answer, note?: string', '{"answer":"Paris","note":null}', { answer: 'Paris' }],
  ['a large integer, every digit', 'q -> id: integer', '{"id":12345678901234567890}', { id: 12345678901234567890n }],
]
test.each(chatTable)('chat: reads %s', async (_what, text, answer, outputs) => {
  expect(await read(chatAdapter, text, answer)).toEqual(outputs)
})
test.each(jsonTable)('json: reads %s', async (_what, text, answer, outputs) => {
  expect(await read(jsonAdapter, text, answer)).toEqual(outputs)
})

const refusals: readonly (readonly [Adapter, string, string, string, string, string])[] = [
  [chatAdapter, two, 'Paris', 'missing_required_output', 'answer', 'the answer lacks "answer", "score"'],
  [chatAdapter, two, '[[ ## answer ## ]]\nParis', 'missing_required_output', 'score', 'the answer lacks "score"'],
  [chatAdapter, two, '', 'missing_required_output', 'answer', 'the answer lacks "answer", "score"'],
  [
    chatAdapter,
    two,
    '[[ ## answer ## ]]\nParis\n[[ ## score ## ]]\nhigh',
    'malformed_response',
    'score',
    'the answer has outputs of the wrong kind: "score" must be a number',
  ],
  [
    chatAdapter,
    'q -> n: integer(min 1, max 5)',
    '[[ ## n ## ]]\n9',
    'malformed_response',
    'n',
    'the answer has outputs of the wrong kind: "n" must be at most 5',
  ],
  [
    chatAdapter,
    'q -> n: integer',
    '[[ ## n ## ]]\n1.5',
    'malformed_response',
    'n',
    'the answer has outputs of the wrong kind: "n" must be a whole number',
  ],
  [
    chatAdapter,
    'q -> m: class "a, b"',
    '[[ ## m ## ]]\nc',
    'malformed_response',
    'm',
    'the answer has outputs of the wrong kind: "m" must be one of "a", "b"',
  ],
  [
    chatAdapter,
    'q -> d: date',
    '[[ ## d ## ]]\n2026-02-30',
    'malformed_response',
    'd',
    'the answer has outputs of the wrong kind: "d" must be a date as text, YYYY-MM-DD',
  ],
  [
    chatAdapter,
    'q -> d: datetime',
    '[[ ## d ## ]]\n2026-02-03 10:00',
    'malformed_response',
    'd',
    'the answer has outputs of the wrong kind: "d" must be a date and time as text, like 2026-01-31T09:30:00Z',
  ],
  [
    chatAdapter,
    'q -> s: string(format email)',
    '[[ ## s ## ]]\nme',
    'malformed_response',
    's',
    'the answer has outputs of the wrong kind: "s" must be an e-mail address',
  ],
  [
    chatAdapter,
    'q -> s: string(pattern "^a")',
    '[[ ## s ## ]]\nb',
    'malformed_response',
    's',
    'the answer has outputs of the wrong kind: "s" must match the pattern ^a',
  ],
  [
    chatAdapter,
    'q -> s: string[](min 2)',
    '[[ ## s ## ]]\n["a"]',
    'malformed_response',
    's',
    'the answer has outputs of the wrong kind: "s" must have at least 2 items',
  ],
  [jsonAdapter, two, 'Paris', 'malformed_response', 'answer', 'the answer has no JSON object in it'],
  [jsonAdapter, two, '{"answer":"Paris"', 'malformed_response', 'answer', 'the answer has no JSON object in it'],
  [jsonAdapter, two, '', 'missing_required_output', 'answer', 'the answer lacks "answer", "score"'],
  [
    jsonAdapter,
    two,
    '{"answer":1,"score":"x"}',
    'malformed_response',
    'answer',
    'the answer has outputs of the wrong kind: "answer" must be a string; "score" must be a number',
  ],
  [
    jsonAdapter,
    'q -> p: object{ a: object{ b: date }[] }',
    '{"p":{"a":[{"b":"x"}],"c":1}}',
    'malformed_response',
    'p',
    'the answer has outputs of the wrong kind: "p" /a/0/b must be a date as text, YYYY-MM-DD; /c is not a member of the object',
  ],
  [
    jsonAdapter,
    'q -> s: schema "{\\"type\\":[\\"string\\",\\"null\\"]}"',
    '{"s":5}',
    'malformed_response',
    's',
    'the answer has outputs of the wrong kind: "s" must be string or null',
  ],
]
test.each(refusals)(
  '%#: an answer that cannot be used is told by its field',
  async (adapter, text, answer, code, field, message) => {
    const error = await failureOf(read(adapter, text, answer))
    expect({ code: error.code, field: error.detail?.field, message: error.message }).toEqual({ code, field, message })
  },
)

test('an answer that was cut or withheld says so', async () => {
  const cut = await failureOf(
    chatAdapter.parse(signature(two), responseOf({ text: '[[ ## answer ## ]]\nPar', finishReason: 'length' }, 0, 'm')),
  )
  expect(cut.message).toBe('the answer lacks "score"; it was cut at the token limit: raise maxTokens')
  const withheld = await failureOf(
    jsonAdapter.parse(signature(two), responseOf({ text: '', finishReason: 'content_filter' }, 0, 'm')),
  )
  expect(withheld.code).toBe('content_filtered')
})

/** Signatures whose outputs have values, with values for all of them. */
const examples = anySignature
  .map((data): SignatureData => ({ ...data, outputs: data.outputs.map(writable) }))
  .chain((data) => fc.tuple(fc.constant(data), valuesOf(data.outputs.filter(({ type }) => type.kind !== 'tool_calls'))))

/** Bounds and patterns would only make values hard to find; they are not what is tested. */
function writable(field: Field): Field {
  return { ...field, type: free(field.type) }
}
function free(type: FieldType): FieldType {
  if (type.kind === 'list') return { kind: 'list', items: free(type.items) }
  if (type.kind === 'object' && type.fields !== undefined) return { kind: 'object', fields: type.fields.map(writable) }
  return type.kind === 'string' || type.kind === 'number' || type.kind === 'integer' ? { kind: type.kind } : type
}
function valuesOf(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, anyValue(type)])))
}

describe.each([chatAdapter, jsonAdapter])('$name', (adapter) => {
  test('what is written as an example is read back to the same values', async () => {
    await fc.assert(
      fc.asyncProperty(examples, async ([data, values]) => {
        const plain = {
          ...data,
          inputs: signature('q -> x').inputs,
          outputs: data.outputs.filter(({ type }) => type.kind !== 'tool_calls'),
        }
        const { request } = adapter.format(plain, { q: 'now' }, { demos: [{ q: 'then', ...values }] })
        const written = request.messages.find(({ role }) => role === 'assistant')
        const text = written?.role === 'assistant' ? textOf(written.content) : ''
        const parsed = await adapter.parse(plain, responseOf({ text }, 0, 'm'))
        expect(Object.fromEntries(parsed.outputs)).toEqual(values)
      }),
      { numRuns: 150 },
    )
  })

  test('calls that are written as an example are read back to the same calls', async () => {
    const calls = fc.uniqueArray(
      fc.record({
        id: fc.stringMatching(/^[a-z0-9]{1,8}$/),
        name: fc.string({ minLength: 1 }),
        args: fc.dictionary(fc.string(), anyValue({ kind: 'json' })),
      }),
      { minLength: 1, maxLength: 3, selector: (call) => call.id },
    )
    const asked = signature('q, t: tools -> calls: tool_calls')
    await fc.assert(
      fc.asyncProperty(calls, async (given) => {
        const demos = [{ q: 'then', calls: given }]
        const { request } = adapter.format(asked, { q: 'now', t: [{ name: 'x' }] }, { demos, toolMode: 'prompted' })
        const written = request.messages.find(({ role }) => role === 'assistant')
        const text = written?.role === 'assistant' ? textOf(written.content) : ''
        const parsed = await adapter.parse(asked, responseOf({ text }, 0, 'm'), { mode: 'prompted' })
        expect(parsed).toMatchObject({ kind: 'calls' })
        expect(parsed.kind === 'calls' ? parsed.calls : []).toEqual(given)
      }),
    )
  })

  test('the deltas of a text field add up to its value, however the text is cut', async () => {
    const texts = fc.oneof(
      anyValue({ kind: 'string' }),
      fc
        .array(fc.constantFrom('[[ ## a ## ]]', '[', '\\', '\n', ' ', '\r\n', '[[ ##', 'x', '"', '😀', '\u2028'), {
          maxLength: 12,
        })
        .map((parts) => parts.join('')),
    )
    const data = signature('q -> a, b: number[], c')
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.array(fc.nat(6), { minLength: 1 }), async (a, c, sizes) => {
        const values = { a, b: [1, 2], c }
        const { request } = adapter.format(data, { q: 'now' }, { demos: [{ q: 'then', ...values }] })
        const written = request.messages.find(({ role }) => role === 'assistant')
        const text = written?.role === 'assistant' ? textOf(written.content) : ''
        const reader = adapter.readFields?.(data.outputs)
        const told = { a: '', b: '', c: '' }
        const pieces = cut(text, sizes)
        for (const { field, text: part } of [
          ...pieces.flatMap((piece) => reader?.push(piece) ?? []),
          ...(reader?.end() ?? []),
        ]) {
          told[field as 'a'] += part
        }
        expect(told).toEqual({ a, b: '', c })
      }),
      { numRuns: 500 },
    )
  })
})

function cut(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = []
  for (let index = 0, turn = 0; index < text.length; turn += 1) {
    const size = 1 + (sizes[turn % sizes.length] ?? 0)
    pieces.push(text.slice(index, index + size))
    index += size
  }
  return pieces
}
