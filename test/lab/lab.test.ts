// Things real servers and tools do wrong (rows.json), each with our loop: what must happen happens, and nothing else runs. The same rows
// are played with other libraries by bench/lab.
import { describe, expect, test } from 'vitest'
import { isCall } from '../../src/conversation/messages.js'
import { argsOf } from '../../src/tools/arguments.js'
import { expectPaired } from '../loop/paired.js'
import { type Outcome, perform, type Row, rows } from './laboratory.js'

/** Both calls ran once, were answered in order under ids of their own, and the run went on to its answer. */
function expectBoth({ result, ran, results, texts, requests }: Outcome): void {
  expect(ran).toEqual([
    { a: 1, b: 2 },
    { a: 30, b: 4 },
  ])
  expect(texts).toEqual(['3', '34'])
  expect(new Set(results.map((one) => one.callId)).size).toBe(2)
  expectAnswered(result, requests.length, 2)
  expectPaired(result.messages)
}

function expectOne({ result, ran, texts, requests }: Outcome): void {
  expect(ran).toEqual([{ a: 1, b: 2 }])
  expect(texts).toEqual(['3'])
  expectAnswered(result, requests.length, 2)
}

function expectAnswered(result: Outcome['result'], asked: number, times: number): void {
  expect(result.stop).toEqual({ reason: 'answer' })
  expect(result.text).toBe('done')
  expect(asked).toBe(times)
}

/** Nothing ran, and the model reads why. */
function expectRefused({ result, ran, results, texts, requests }: Outcome, why: RegExp): void {
  expect(ran).toEqual([])
  expect(results).toMatchObject([{ isError: true, error: { category: 'invalid_arguments' } }])
  expect(texts[0]).toMatch(why)
  expectAnswered(result, requests.length, 2)
  expectPaired(result.messages)
}

/** What must happen in each row. */
const expectations: Readonly<Record<string, (outcome: Outcome) => void>> = {
  '1a': expectBoth,
  '1b': expectBoth,
  '2': expectBoth,
  '3': expectBoth,
  '4': expectBoth,
  '5': (outcome) => {
    expectOne(outcome)
    expect(outcome.results[0]?.callId).toMatch(/^call_/)
  },
  '6a': expectBoth,
  '6b': expectBoth,
  '7': expectBoth,
  '8': ({ result, ran, texts, requests }) => {
    expect(ran).toEqual([{}])
    expect(texts).toEqual(['noon'])
    expectAnswered(result, requests.length, 2)
  },
  '9': expectBoth,
  '10': (outcome) => expectRefused(outcome, /cut it off/),
  '11': (outcome) => expectRefused(outcome, /not valid JSON/),
  // Only the first runs.
  '12': ({ result, ran, results, requests }) => {
    expect(ran).toEqual([{ a: 1, b: 2 }])
    expect(results).toMatchObject([{ isError: false }, { isError: true }])
    expectAnswered(result, requests.length, 2)
    expectPaired(result.messages)
  },
  '13': expectBoth,
  // A typed error, and nothing runs.
  '14a': ({ result, ran, requests }) => {
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'truncated' } })
    expect(ran).toEqual([])
    expect(requests).toHaveLength(1)
  },
  // A whole answer, and reported.
  '14b': (outcome) => {
    expectBoth(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'finish_reason_missing' }])
  },
  '15': expectBoth,
  '16': expectBoth,
  // The repetition is left out and reported; the call runs once.
  '17': (outcome) => {
    expectOne(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'arguments_repeated' }])
  },
  // It is text, and nothing runs.
  '18': ({ result, ran, requests }) => {
    expect(ran).toEqual([])
    expect(result.stop).toEqual({ reason: 'answer' })
    expect(result.text).toContain('<tool_call>')
    expect(requests).toHaveLength(1)
  },
  // An error that lists the tools.
  '19': ({ result, results, texts, requests }) => {
    expect(results).toMatchObject([{ isError: true }])
    expect(texts[0]).toContain('add')
    expectAnswered(result, requests.length, 2)
  },
  '20': (outcome) => expectRefused(outcome, /integer/),
  // Both arrive.
  '21': (outcome) => {
    expectOne(outcome)
    const [, answer] = outcome.result.messages
    expect(answer?.role === 'assistant' && answer.content[0]).toMatchObject({ type: 'text', text: 'Adding.' })
  },
  // Exact in the handler, in the history and on the wire.
  '22': ({ result, ran, texts, requests }) => {
    const given = { a: 9007199254740993n, b: 1234567890123456789012n }
    expect(ran).toEqual([given])
    expect(texts).toEqual([String(given.a + given.b)])
    const call = result.messages
      .flatMap((message) => (message.role === 'assistant' ? message.content.filter(isCall) : []))
      .find((part) => part.type === 'tool_call')
    expect(call && argsOf(call)).toEqual(given)
    expect(requests[1]?.raw.body).toContain('9007199254740993')
    expect(requests[1]?.raw.body).toContain('1234567890123456789012')
  },
  // A typed error, and no second request is sent.
  '23': ({ result, ran, requests }) => {
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'overloaded' } })
    expect(ran).toEqual([])
    expect(requests).toHaveLength(1)
    expectPaired(result.messages)
  },
  // It is not written.
  '24': ({ ran, results }) => {
    expect(ran).toEqual([])
    expect(results).toMatchObject([{ isError: true }])
  },
  // The error is a result, and the run goes on.
  '25': ({ result, results, requests }) => {
    expect(results).toMatchObject([{ isError: true }, { isError: false }])
    expectAnswered(result, requests.length, 2)
  },
  // It does not reach the model.
  '26': ({ result, results, requests }) => {
    expect(results).toMatchObject([{ isError: true }])
    expect(requests[1]?.raw.body).not.toContain('hunter22')
    expect(JSON.stringify(result.messages)).not.toContain('hunter22')
  },
  // It is answered when its time is over.
  '27': ({ result, results, requests, tookMs }) => {
    expect(results).toMatchObject([{ isError: true, error: { category: 'execution_timeout' } }])
    expect(tookMs).toBeGreaterThanOrEqual(290)
    expect(tookMs).toBeLessThan(3000)
    expectAnswered(result, requests.length, 2)
  },
  // At the same time, and answered in their order.
  '28': ({ ran, texts }) => {
    expect(ran).toEqual(['begin 400', 'begin 100', 'end 100', 'end 400'])
    expect(texts).toEqual(['rested 400', 'rested 100'])
  },
}

describe('the lab table', () => {
  test.each(rows.map((row): [string, string, Row] => [row.id, row.defect, row]))(
    'row %s: %s',
    async (_id, _defect, row) => {
      const expectation = expectations[row.id]
      if (expectation === undefined) throw new Error(`row ${row.id} has no expectation`)
      expectation(await perform(row))
    },
  )

  test('row 18 with textCalls: the call is made, once, and labelled', async () => {
    const leaked = rows.find(({ id }) => id === '18')
    if (leaked === undefined) throw new Error('there is no row 18')
    const outcome = await perform({ ...leaked, modelOptions: { textCalls: 'recover' } })
    expectOne(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'text_call_recovered' }])
    const [, answer] = outcome.result.messages
    const calls = answer?.role === 'assistant' ? answer.content.filter(isCall) : []
    expect(calls).toMatchObject([{ name: 'add', recovered: true }])
  })
})
