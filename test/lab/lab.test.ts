// Twenty-eight things real servers and tools do wrong, each with our loop: what must happen happens, and nothing else runs.
import { describe, expect, test } from 'vitest'
import { isCall } from '../../src/conversation/messages.js'
import type { ChatDefect, ScriptedTurn } from '../../src/testing/index.js'
import { argsOf } from '../../src/tools/arguments.js'
import { expectPaired } from '../loop/paired.js'
import { type Outcome, perform } from './laboratory.js'

const addition = (a: number | bigint, b: number | bigint) => ({ name: 'add', args: { a, b } })
const one: ScriptedTurn = { calls: [addition(1, 2)] }
const two: ScriptedTurn = { calls: [addition(1, 2), addition(30, 4)] }
const flawed = (chat: readonly ChatDefect[]) => ({ wrong: { chat } })

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

describe('the lab table', () => {
  test.each<[string, readonly ChatDefect[]]>([
    ['1: two calls in fragments', ['fragments']],
    ['1: two calls, their fragments in turn', ['interleaved']],
    ['2: two calls, both with index 0, distinct ids', ['index_zero']],
    ['3: the index is absent', ['index_absent']],
    ['4: both calls in one chunk without an index', ['one_chunk', 'index_absent']],
    ['6: the id is absent, two calls', ['id_absent']],
    ['6: the id is empty, two calls', ['id_empty']],
    ['7: the same id on two calls', ['id_repeated']],
    ['13: complete calls, finish reason stop', ['finish_stop']],
    ['15: id and name on every fragment', ['head_repeated']],
    ['16: empty id and name on the fragments that go on', ['head_empty']],
  ])('row %s', async (_, chat) => {
    expectBoth(await perform({ first: two, ...flawed(chat) }))
  })

  test('row 5: the id is absent, one call', async () => {
    const outcome = await perform({ first: one, ...flawed(['id_absent']) })
    expectOne(outcome)
    expect(outcome.results[0]?.callId).toMatch(/^call_/)
  })

  test('row 8: empty arguments for a tool without parameters', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'now' }] }, ...flawed(['arguments_empty']) })
    expect(outcome.ran).toEqual([{}])
    expect(outcome.texts).toEqual(['noon'])
    expectAnswered(outcome.result, outcome.requests.length, 2)
  })

  test('row 9: arguments as an object', async () => {
    expectBoth(await perform({ first: two, ...flawed(['arguments_object']) }))
  })

  test.each<[string, readonly ChatDefect[], RegExp]>([
    ['10: arguments cut, finish reason length', ['arguments_cut', 'finish_length'], /cut it off/],
    ['11: arguments cut, but finish reason tool_calls', ['arguments_cut'], /not valid JSON/],
  ])('row %s: nothing runs, and the model reads why', async (_, chat, why) => {
    const outcome = await perform({ first: one, ...flawed(chat) })
    expect(outcome.ran).toEqual([])
    expect(outcome.results).toMatchObject([{ isError: true, error: { category: 'invalid_arguments' } }])
    expect(outcome.texts[0]).toMatch(why)
    expectAnswered(outcome.result, outcome.requests.length, 2)
    expectPaired(outcome.result.messages)
  })

  test('row 12: the first call complete, the second cut: only the first runs', async () => {
    const outcome = await perform({ first: two, ...flawed(['arguments_cut', 'finish_length']) })
    expect(outcome.ran).toEqual([{ a: 1, b: 2 }])
    expect(outcome.results).toMatchObject([{ isError: false }, { isError: true }])
    expectAnswered(outcome.result, outcome.requests.length, 2)
    expectPaired(outcome.result.messages)
  })

  test('row 14: neither a finish chunk nor the closing marker is a typed error, and nothing runs', async () => {
    const outcome = await perform({ first: two, ...flawed(['no_finish', 'no_done']) })
    expect(outcome.result.stop).toMatchObject({ reason: 'error', error: { code: 'truncated' } })
    expect(outcome.ran).toEqual([])
    expect(outcome.requests).toHaveLength(1)
  })

  test('row 14: no finish chunk before the closing marker is a whole answer, and is reported', async () => {
    const outcome = await perform({ first: two, ...flawed(['no_finish']) })
    expectBoth(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'finish_reason_missing' }])
  })

  test('row 17: the arguments again in full are left out and reported; the call runs once', async () => {
    const outcome = await perform({ first: one, ...flawed(['arguments_again']) })
    expectOne(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'arguments_repeated' }])
  })

  test('row 18: a call leaked into the text is text, and nothing runs', async () => {
    const outcome = await perform({ first: one, ...flawed(['call_in_text']) })
    expect(outcome.ran).toEqual([])
    expect(outcome.result.stop).toEqual({ reason: 'answer' })
    expect(outcome.result.text).toContain('<tool_call>')
    expect(outcome.requests).toHaveLength(1)
  })

  test('row 18: with textCalls it is made, once, and labelled', async () => {
    const outcome = await perform({ first: one, ...flawed(['call_in_text']), modelOptions: { textCalls: 'recover' } })
    expectOne(outcome)
    expect(outcome.result.losses).toMatchObject([{ code: 'text_call_recovered' }])
    const [, answer] = outcome.result.messages
    const calls = answer?.role === 'assistant' ? answer.content.filter(isCall) : []
    expect(calls).toMatchObject([{ name: 'add', recovered: true }])
  })

  test('row 19: an unknown tool is an error that lists the tools', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'subtract', args: { a: 1 } }] } })
    expect(outcome.results).toMatchObject([{ isError: true }])
    expect(outcome.texts[0]).toContain('add')
    expectAnswered(outcome.result, outcome.requests.length, 2)
  })

  test('row 20: text where numbers should be is not run, and the model is told why', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'add', args: { a: '1', b: '2' } }] } })
    expect(outcome.ran).toEqual([])
    expect(outcome.results).toMatchObject([{ isError: true, error: { category: 'invalid_arguments' } }])
    expect(outcome.texts[0]).toMatch(/integer/)
    expectAnswered(outcome.result, outcome.requests.length, 2)
  })

  test('row 21: text and a call in the same delta: both arrive', async () => {
    const outcome = await perform({ first: { ...one, text: 'Adding.' }, ...flawed(['text_with_call']) })
    expectOne(outcome)
    expect(outcome.result.messages[1]?.role === 'assistant' && outcome.result.messages[1].content[0]).toMatchObject({
      type: 'text',
      text: 'Adding.',
    })
  })

  test('row 22: an integer above 2^53 is exact in the handler, in the history and on the wire', async () => {
    const outcome = await perform({ first: { calls: [addition(9007199254740993n, 1234567890123456789012n)] } })
    expect(outcome.ran).toEqual([{ a: 9007199254740993n, b: 1234567890123456789012n }])
    expect(outcome.texts).toEqual([String(9007199254740993n + 1234567890123456789012n)])
    const call = outcome.result.messages
      .flatMap((message) => (message.role === 'assistant' ? message.content.filter(isCall) : []))
      .find((part) => part.type === 'tool_call')
    expect(call && argsOf(call)).toEqual({ a: 9007199254740993n, b: 1234567890123456789012n })
    expect(outcome.requests[1]?.raw.body).toContain('9007199254740993')
    expect(outcome.requests[1]?.raw.body).toContain('1234567890123456789012')
  })

  test('row 23: an error in the middle of the arguments is a typed error, and no second request is sent', async () => {
    const outcome = await perform({ first: two, wrong: { errorAfterEvents: 3 } })
    expect(outcome.result.stop).toMatchObject({ reason: 'error', error: { code: 'overloaded' } })
    expect(outcome.ran).toEqual([])
    expect(outcome.requests).toHaveLength(1)
    expectPaired(outcome.result.messages)
  })

  test('row 24: a file whose content was cut is not written', async () => {
    const first = {
      calls: [{ name: 'write_file', args: { path: 'a.txt', content: 'A long text that goes on and on.' } }],
    }
    const outcome = await perform({ first, ...flawed(['arguments_cut', 'finish_length']) })
    expect(outcome.ran).toEqual([])
    expect(outcome.results).toMatchObject([{ isError: true }])
  })

  test('row 25: a tool that throws is a result, and the run goes on', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'login' }, addition(1, 2)] } })
    expect(outcome.results).toMatchObject([{ isError: true }, { isError: false }])
    expectAnswered(outcome.result, outcome.requests.length, 2)
  })

  test('row 26: a secret in the message of an error does not reach the model', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'login' }] } })
    expect(outcome.results).toMatchObject([{ isError: true }])
    expect(outcome.requests[1]?.raw.body).not.toContain('hunter22')
    expect(JSON.stringify(outcome.result.messages)).not.toContain('hunter22')
  })

  test('row 27: a tool that never ends is answered when its time is over', async () => {
    const outcome = await perform({ first: { calls: [{ name: 'hang' }] } })
    expect(outcome.results).toMatchObject([{ isError: true, error: { category: 'execution_timeout' } }])
    expect(outcome.tookMs).toBeGreaterThanOrEqual(290)
    expect(outcome.tookMs).toBeLessThan(3000)
    expectAnswered(outcome.result, outcome.requests.length, 2)
  })

  test('row 28: two calls run at the same time, and are answered in their order', async () => {
    const first = {
      calls: [
        { name: 'rest', args: { ms: 400 } },
        { name: 'rest', args: { ms: 100 } },
      ],
    }
    const outcome = await perform({ first })
    expect(outcome.ran).toEqual(['begin 400', 'begin 100', 'end 100', 'end 400'])
    expect(outcome.texts).toEqual(['rested 400', 'rested 100'])
  })
})
