// Several models as one: which failures move on to the next model, and when it is too late for that.
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { type ErrorCode, errorCodes, ToolwireError } from '../../src/errors/error.js'
import { fallback, type Message, type Model } from '../../src/index.js'
import { scriptedModel } from '../../src/testing/index.js'

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]

/** A model that fails with a code, and counts how often it is asked. */
function failing(code: ErrorCode): { readonly model: Model; readonly asked: () => number } {
  let asked = 0
  const model = scriptedModel(() => {
    asked += 1
    throw new ToolwireError(code, 'it failed')
  })
  return { model, asked: () => asked }
}
const answering = (text: string): Model => scriptedModel(() => text)

async function streamText(model: Model): Promise<string> {
  let text = ''
  for await (const event of model.stream({ messages })) if (event.type === 'text_delta') text += event.text
  return text
}

const movingOn: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'overloaded',
  'server_error',
  'network',
  'timeout',
  'truncated',
  'malformed_response',
  'authentication',
  'permission',
  'not_found',
]

describe.each(Object.keys(errorCodes) as ErrorCode[])('a first model that fails with %s', (code) => {
  const moves = movingOn.includes(code)

  test(moves ? 'is followed by the next' : 'is not followed by another', async () => {
    for (const ask of [(model: Model) => model.complete({ messages }).then(({ text }) => text), streamText]) {
      const { model, asked } = failing(code)
      const told: unknown[] = []
      const onFallback = (from: Model, to: Model, error: ToolwireError): void => {
        told.push([from === model, to === second, error.code])
      }
      const second = answering('from the second')
      const both = fallback([model, second], { onFallback })
      if (moves) expect(await ask(both)).toBe('from the second')
      else await expect(ask(both)).rejects.toMatchObject({ code })
      expect(asked()).toBe(1)
      expect(told).toEqual(moves ? [[true, true, code]] : [])
    }
  })
})

describe('fallback', () => {
  test('asks only the first when that answers', async () => {
    const { model, asked } = failing('network')
    expect((await fallback([answering('a'), model]).complete({ messages })).text).toBe('a')
    expect(await streamText(fallback([answering('a'), model]))).toBe('a')
    expect(asked()).toBe(0)
  })

  test('ends with the error of the last when all fail', async () => {
    const models = [failing('network'), failing('overloaded'), failing('timeout')]
    await expect(fallback(models.map(({ model }) => model)).complete({ messages })).rejects.toMatchObject({
      code: 'timeout',
    })
    expect(models.map(({ asked }) => asked())).toEqual([1, 1, 1])
  })

  test('moves on for the given codes only', async () => {
    const on = ['content_filtered'] as const
    expect(
      (await fallback([failing('content_filtered').model, answering('b')], { on }).complete({ messages })).text,
    ).toBe('b')
    await expect(
      fallback([failing('network').model, answering('b')], { on }).complete({ messages }),
    ).rejects.toMatchObject({
      code: 'network',
    })
  })

  test('does not move on for an error that is none of toolwire', async () => {
    const odd: Model = { ...answering(''), complete: () => Promise.reject(new TypeError('a mistake')) }
    await expect(fallback([odd, answering('b')]).complete({ messages })).rejects.toThrow('a mistake')
  })

  test('stays with a model that has begun to answer, but not with one that has only reported losses', async () => {
    const first = (event: CompletionEvent): Model => ({
      ...answering(''),
      stream: () =>
        (async function* () {
          yield event
          throw new ToolwireError('network', 'it broke off')
        })() as never,
    })
    const loss = { code: 'max_tokens_default', path: '', kind: 'repaired', message: '' }
    expect(await streamText(fallback([first({ type: 'loss', loss } as CompletionEvent), answering('b')]))).toBe('b')
    await expect(
      streamText(fallback([first({ type: 'text_delta', part: 0, text: 'a' }), answering('b')])),
    ).rejects.toMatchObject({ code: 'network' })
  })

  test('is called like its models, and can what the first can', () => {
    const first: Model = { ...answering('a'), name: 'one:m', id: 'm' }
    const both = fallback([first, { ...answering('b'), name: 'two:n', id: 'n' }])
    expect([both.name, both.id, both.capabilities]).toEqual(['one:m → two:n', 'm', first.capabilities])
  })

  test('needs a model', () => {
    expect(() => fallback([])).toThrow(expect.objectContaining({ code: 'misuse' }))
  })
})
