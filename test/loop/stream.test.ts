import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { expectPaired } from './paired.js'
import { echo } from './sample-tools.js'

const script = [{ text: 'Looking it up now.', calls: [{ name: 'echo', args: { a: 1 } }] }, 'Here it is, all of it.']

describe('run.stream', () => {
  test('gives the events of the model and of the loop in order, and the result both ways', async () => {
    const stream = run.stream({ model: scriptedModel(script), tools: [echo], prompt: 'go' })
    const events: RunEvent[] = []
    for await (const event of stream) events.push(event)
    const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1])
    expect(types).toEqual([
      'turn_start',
      'start',
      'text_delta',
      'tool_call',
      'finish',
      'tool_start',
      'tool_result',
      'turn_end',
      'turn_start',
      'start',
      'text_delta',
      'finish',
      'turn_end',
      'done',
    ])
    const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
    expect(text).toBe('Looking it up now.Here it is, all of it.')
    expect(events.every((event) => event.type === 'done' || event.turn >= 1)).toBe(true)
    const last = events.at(-1)
    expect(last?.type === 'done' && last.result).toBe(await stream)
  })

  test('awaited, it gives the same as run', async () => {
    const streamed = await run.stream({ runId: 'r1', model: scriptedModel(script), tools: [echo], prompt: 'go' })
    const whole = await run({ runId: 'r1', model: scriptedModel(script), tools: [echo], prompt: 'go' })
    expect(JSON.stringify(streamed)).toBe(JSON.stringify(whole))
  })

  test('starts nothing before it is used, and can be iterated once', async () => {
    const model = scriptedModel(['ok', 'ok'])
    const stream = run.stream({ model, prompt: 'go' })
    await Promise.resolve()
    expect(model.requests).toHaveLength(0)
    for await (const _ of stream);
    expect(() => stream[Symbol.asyncIterator]()).toThrow('being read already')
    expect((await stream).text).toBe('ok')
    expect(model.requests).toHaveLength(1)
  })

  test('a model that cannot stream is asked for the whole answer, and the events are the same kind', async () => {
    const model = scriptedModel(['One two three four.'], { capabilities: { streaming: 'no' } })
    const texts: string[] = []
    for await (const event of run.stream({ model, prompt: 'go' }))
      if (event.type === 'text_delta') texts.push(event.text)
    expect(texts).toEqual(['One two three four.'])
  })

  test('the model is read at the pace of the reader', async () => {
    const model = scriptedModel([{ text: 'x'.repeat(800) }])
    let sent = 0
    const counting = {
      ...model,
      stream: (...args: Parameters<typeof model.stream>) =>
        (async function* () {
          for await (const event of model.stream(...args)) {
            sent += 1
            yield event
          }
        })() as never,
    }
    let taken = 0
    for await (const _ of run.stream({ model: counting, prompt: 'go' })) {
      taken += 1
      await new Promise((resolve) => setImmediate(resolve))
      expect(sent).toBeLessThanOrEqual(taken + 2)
    }
    expect(sent).toBeGreaterThan(100)
  })

  test('leaving the iteration stops the run and its tools, and the result says so', async () => {
    let stopped = 0
    const slow = tool({
      name: 'slow',
      description: 'Runs until it is told to stop',
      input: { type: 'object' },
      execute: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped += 1
            reject(signal.reason)
          })
        }),
    })
    const model = scriptedModel([{ calls: [{ name: 'slow' }, { name: 'slow' }] }, 'never said'])
    const stream = run.stream({ model, tools: [slow], prompt: 'go' })
    for await (const event of stream) {
      if (event.type !== 'tool_start') continue
      await new Promise((resolve) => setTimeout(resolve, 5)) // let both begin
      break
    }
    expect(stopped).toBe(2)
    const result = await stream
    expect(result.stop.reason).toBe('aborted')
    expect(model.requests).toHaveLength(1)
    expectPaired(result.messages)
  })

  test('leaving while the model streams closes its stream', async () => {
    const stream = run.stream({ model: scriptedModel([{ text: 'x'.repeat(100) }]), prompt: 'go' })
    for await (const event of stream) if (event.type === 'text_delta') break
    expect(await stream).toMatchObject({ stop: { reason: 'aborted' }, messages: [{ role: 'user' }] })
  })

  test('leaving while an event is on its way settles it', async () => {
    const iterator = run.stream({ model: scriptedModel([{ hang: true }]), prompt: 'go' })[Symbol.asyncIterator]()
    expect((await iterator.next()).value).toMatchObject({ type: 'turn_start' })
    const pending = iterator.next()
    await iterator.return?.()
    await pending
    expect((await iterator.next()).done).toBe(true)
  })

  test('leaving before the first event starts nothing', async () => {
    const model = scriptedModel(['ok'])
    const stream = run.stream({ model, prompt: 'go' })
    await stream[Symbol.asyncIterator]().return?.()
    expect((await stream).stop.reason).toBe('aborted')
    expect(model.requests).toHaveLength(0)
  })

  test('leaving at the last event keeps the answer', async () => {
    const stream = run.stream({ model: scriptedModel(['ok']), prompt: 'go' })
    for await (const event of stream) if (event.type === 'done') break
    expect((await stream).stop.reason).toBe('answer')
  })
})
