import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { RunOptions } from '../../src/loop/options.js'
import type { RunEvent, RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { type ScriptedTurn, scriptedModel } from '../../src/testing/index.js'
import { argumentText, conversationArbitraries, unicodeText } from '../arbitraries/conversation.js'
import { expectPaired } from './paired.js'
import { echo, fail, hang } from './sample-tools.js'

const name = fc.constantFrom('echo', 'echo', 'fail', 'hang', 'nope', '', '__proto__', 'constructor')
const call = fc.record(
  {
    name,
    args: fc.oneof(argumentText, unicodeText),
    id: fc.constantFrom('a', 'b', '', '__proto__'),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
)
const brokenCall = fc.record(
  {
    name,
    arguments: unicodeText,
    reason: fc.constantFrom('truncated' as const, 'malformed' as const, 'no_name' as const),
  },
  { requiredKeys: ['name', 'arguments'], noNullPrototype: true },
)
const thrown = fc.constantFrom<unknown>(
  undefined,
  null,
  'text',
  new Error('boom'),
  new ToolwireError('overloaded', 'busy'),
  {},
)
const turn: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    text: unicodeText,
    reasoning: unicodeText,
    calls: fc.oneof(fc.array(call, { maxLength: 4 }), fc.array(call, { minLength: 70, maxLength: 80 })),
    brokenCalls: fc.array(brokenCall, { maxLength: 2 }),
    finishReason: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error'),
    usage: fc.record({ input: fc.nat(50), output: fc.nat(50) }, { noNullPrototype: true }),
    error: thrown,
    delayMs: fc.nat(2),
    cutAfter: fc.nat(6),
    hang: fc.constant(true),
  },
  { requiredKeys: [], noNullPrototype: true },
)
/** Most turns of a script say or call something; failures are the exception, or no run would get far. */
const plain: fc.Arbitrary<ScriptedTurn> = fc.record(
  { text: unicodeText, calls: fc.array(call, { minLength: 1, maxLength: 4 }) },
  { requiredKeys: ['calls'], noNullPrototype: true },
)
const script = fc.array(fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: turn }), { maxLength: 6 })
const settings: fc.Arbitrary<Partial<RunOptions>> = fc.record(
  {
    maxTurns: fc.integer({ min: 1, max: 4 }),
    maxTokensTotal: fc.integer({ min: 1, max: 200 }),
    maxIdenticalCalls: fc.integer({ min: 1, max: 3 }),
    timeoutMs: fc.integer({ min: 1, max: 20 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
    approve: fc.constantFrom<RunOptions['approve']>(
      () => 'pause',
      (asked) => (asked.id === 'a' ? 'pause' : 'allow'),
      () => ({ deny: 'no' }),
      () => Promise.reject(undefined),
    ),
    onTurn: fc.constantFrom<RunOptions['onTurn']>(
      () => undefined,
      ({ turn: number }) => (number > 1 ? Promise.reject(undefined) : undefined),
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const reasons = ['answer', 'max_turns', 'budget', 'aborted', 'needs_approval', 'error']

function expectSound(result: RunResult, given: number): void {
  expect(reasons).toContain(result.stop.reason)
  expect(result.stop.error === undefined || ToolwireError.is(result.stop.error)).toBe(true)
  expect(result.stop.reason !== 'error' || ToolwireError.is(result.stop.error)).toBe(true)
  expect(result.state !== undefined).toBe(result.stop.reason === 'needs_approval')
  expectPaired(result.messages.slice(given))
  JSON.stringify(result)
}

test('the loop returns a sound result for any script and any limits, aborted at any time', async () => {
  await fc.assert(
    fc.asyncProperty(script, settings, fc.nat(20), fc.boolean(), async (turns, options, abortMs, streamed) => {
      const signal = AbortSignal.timeout(abortMs + 5)
      const all = {
        model: scriptedModel(turns),
        tools: [echo, fail, hang],
        toolTimeoutMs: 5,
        prompt: 'go',
        ...options,
        signal,
      }
      const result = await (streamed ? run.stream(all) : run(all))
      expectSound(result, 1)
    }),
    { numRuns: 200 },
  )
})

test('a run goes on from any history, and pairs what it adds', async () => {
  await fc.assert(
    fc.asyncProperty(conversationArbitraries().messages, plain, async (messages, next) => {
      const result = await run({
        model: scriptedModel([next, 'ok']),
        tools: [echo],
        messages,
        prompt: 'go',
        maxTurns: 2,
      })
      expect(result.messages.slice(-1)).toMatchObject([
        { role: result.stop.reason === 'answer' ? 'assistant' : 'tool' },
      ])
      const start = result.messages.findLastIndex((message) => message.role === 'user')
      expectSound(result, start)
    }),
  )
})

test('leaving the events anywhere gives a sound result', async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.nat(40), async (turns, leaveAfter) => {
      const stream = run.stream({
        model: scriptedModel(turns),
        tools: [echo, fail, hang],
        toolTimeoutMs: 5,
        prompt: 'go',
        timeoutMs: 50,
      })
      const events: RunEvent[] = []
      for await (const event of stream) {
        events.push(event)
        if (events.length > leaveAfter) break
      }
      expectSound(await stream, 1)
    }),
    { numRuns: 100 },
  )
})

test('a paused run, stored and resumed until nothing waits, runs each approved call once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 3 }), async (turns) => {
      const renamed = turns.map((item, index) => ({
        ...item,
        calls:
          item.calls?.map(({ args }, ordinal) => ({ name: 'echo', args: args ?? '{}', id: `${index}_${ordinal}` })) ??
          [],
      }))
      const model = scriptedModel([...renamed, 'ok'])
      const ran: string[] = []
      const counted = { ...echo, execute: (_: unknown, { call: { id } }: { call: { id: string } }) => ran.push(id) }
      const options = { model, tools: [counted], maxIdenticalCalls: 100 }
      let result = await run({ ...options, prompt: 'go', approve: () => 'pause' })
      while (result.state !== undefined) {
        const resume = JSON.parse(JSON.stringify(result.state)) as typeof result.state
        const approvals = Object.fromEntries(resume.pending.map((item) => [item.callId, 'allow' as const]))
        result = await run({ ...options, resume, approvals, approve: () => 'pause' })
      }
      expect(result.stop.reason).toBe('answer')
      expectPaired(result.messages)
      expect(new Set(ran).size).toBe(ran.length)
      expect(model.requests).toHaveLength(turns.length + 1)
    }),
    { numRuns: 60 },
  )
})
