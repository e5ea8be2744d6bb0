import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold, partialOf } from '../../src/conversation/fold.js'
import { unfold } from '../../src/conversation/unfold.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { ModelRequest } from '../../src/model/model.js'
import { scriptedModel } from '../../src/testing/index.js'
import { conversationArbitraries } from '../arbitraries/conversation.js'

const request: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] }

async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => expect.unreachable('did not fail'),
    (error: unknown) => error,
  )
}

describe('scriptedModel', () => {
  test('plays texts, calls, broken calls and reasoning with ids of its own', async () => {
    const model = scriptedModel([
      {
        reasoning: 'Hm.',
        text: 'Let me see.',
        calls: [
          { name: 'a', args: { n: 12345678901234567890n } },
          { name: 'b', id: 'mine' },
          { name: 'c', args: '{"x":' },
        ],
        brokenCalls: [{ name: 'd', arguments: '{', reason: 'truncated' }],
        usage: { input: 1, output: 2, total: 3 },
      },
      'Done.',
    ])
    const first = await model.complete(request)
    expect(first.message.content).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_call', id: 'call_1_1', name: 'a', arguments: '{"n":12345678901234567890}' },
      { type: 'tool_call', id: 'mine', name: 'b', arguments: '{}' },
      { type: 'broken_call', id: 'call_1_3', name: 'c', arguments: '{"x":', reason: 'malformed' },
      { type: 'broken_call', id: 'call_1_4', name: 'd', arguments: '{', reason: 'truncated' },
    ])
    expect(first).toMatchObject({
      id: 'response_1',
      finishReason: 'tool_calls',
      usage: { total: 3 },
      requiresToolExecution: true,
    })
    expect(await model.complete(request)).toMatchObject({ id: 'response_2', text: 'Done.', finishReason: 'stop' })
  })

  test('streams in small deltas that add up to the same response, and never cuts a character', async () => {
    const turn = { text: 'A long answer with 👩‍👩‍👧 in it, in pieces.', calls: [{ name: 'a' }] }
    const stream = scriptedModel([turn]).stream(request)
    const events: CompletionEvent[] = []
    for await (const event of stream) events.push(event)
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.every((text) => text.isWellFormed())).toBe(true)
    const whole = await scriptedModel([turn]).complete(request)
    expect(fold(events)).toEqual(whole)
    expect(await stream).toEqual(whole)
    expect(await scriptedModel([turn]).stream(request)).toEqual(whole)
  })

  test('records what it was asked, as a frozen copy', async () => {
    const model = scriptedModel(['a', 'b'])
    const messages = [...request.messages]
    await model.complete({ messages, temperature: 0 })
    messages.length = 0
    expect(model.requests).toEqual([{ messages: request.messages, temperature: 0 }])
    expect(Object.isFrozen(model.requests[0]?.messages)).toBe(true)
  })

  test('a function makes each turn from the request and its index', async () => {
    const model = scriptedModel(async (asked, index) => `${index}: ${asked.messages.length}`)
    expect((await model.complete(request)).text).toBe('0: 1')
    expect((await model.complete({ messages: [] })).text).toBe('1: 0')
  })

  test('errors are thrown as they are, and typed ones carry what came before', async () => {
    expect(await failureOf(scriptedModel([{ error: undefined }]).complete(request))).toBe(undefined)
    expect(await failureOf(scriptedModel([{ error: 'text' }]).stream(request))).toBe('text')
    const busy = new ToolwireError('overloaded', 'busy')
    const error = await failureOf(scriptedModel([{ text: '12345678abc', error: busy, cutAfter: 2 }]).complete(request))
    expect(error).toMatchObject({ code: 'overloaded' })
    expect(ToolwireError.is(error) && partialOf(error)?.text).toBe('12345678')
  })

  test('an answer that is cut is truncated', async () => {
    const error = await failureOf(scriptedModel([{ text: '12345678abc', cutAfter: 2 }]).stream(request))
    expect(error).toMatchObject({ code: 'truncated' })
    expect(ToolwireError.is(error) && partialOf(error)?.text).toBe('12345678')
  })

  test('a script that is over says so', async () => {
    expect(await failureOf(scriptedModel([]).complete(request))).toMatchObject({ code: 'misuse' })
  })

  test('hanging and waiting end with the signal', async () => {
    for (const turn of [{ hang: true }, { text: 'x', delayMs: 60_000 }]) {
      const controller = new AbortController()
      const pending = failureOf(scriptedModel([turn]).complete(request, { signal: controller.signal }))
      setTimeout(() => controller.abort(), 5)
      expect(await pending).toMatchObject({ code: 'aborted' })
    }
    expect(await failureOf(scriptedModel(['x']).complete(request, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
    })
  })

  test('leaving its stream makes the response fail as aborted', async () => {
    const stream = scriptedModel(['A long answer.']).stream(request)
    for await (const _ of stream) break
    expect(await failureOf(stream)).toMatchObject({ code: 'aborted' })
  })

  test('a delay is waited for', async () => {
    const start = performance.now()
    await scriptedModel([{ text: 'x', delayMs: 20 }]).complete(request)
    expect(performance.now() - start).toBeGreaterThanOrEqual(15)
  })
})

test('unfold gives events that fold back to any response, split or whole', () => {
  const { assistant } = conversationArbitraries()
  fc.assert(
    fc.property(assistant, fc.boolean(), (message, split) => {
      const response = fold(
        unfold({
          id: 'r',
          model: 'm',
          message,
          finishReason: 'stop',
          losses: [],
          metadata: { gemini: { a: 1 } },
          text: '',
          toolCalls: [],
          brokenCalls: [],
          requiresToolExecution: false,
        }),
      )
      expect(isDeepStrictEqual(response.message, message)).toBe(true)
      const again = fold(unfold(response, split ? (text) => text.match(/.{1,3}/gsu) ?? [text] : undefined))
      expect(isDeepStrictEqual(again, response)).toBe(true)
    }),
  )
})
