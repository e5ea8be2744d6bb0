import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { growingCalls } from '../../src/conversation/growing-calls.js'
import { run } from '../../src/loop/run.js'
import { openai } from '../../src/model/factories.js'
import { providerServer } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'

const delta = (part: number, text: string): CompletionEvent => ({
  type: 'tool_call_delta',
  part,
  id: `call_${part}`,
  name: 'write',
  text,
})

describe('growing calls', () => {
  test('what is there so far is shown after each fragment, calls side by side apart', () => {
    const calls = growingCalls()
    const shown = (part: number, text: string): string => JSON.stringify(calls.push(delta(part, text))?.arguments)
    expect(shown(0, '{"te')).toBe('{}')
    expect(shown(1, '{"rows":[1,')).toBe('{"rows":[1]}')
    expect(shown(0, 'xt":"a\\"b')).toBe('{"text":"a\\"b"}')
    expect(shown(1, '2')).toBe('{"rows":[1]}')
    expect(shown(1, ',{"__proto__":"x')).toBe('{"rows":[1,2,{"__proto__":"x"}]}')
    expect(calls.push(delta(0, '"}'))).toMatchObject({ id: 'call_0', name: 'write', isBroken: false })
  })

  test('at its end a text is shown as what it says, wherever it was cut and whatever its keys are', () => {
    const keys = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', 'toString', '"\\/\b\f\n\r\t'),
    )
    const value = fc.dictionary(keys, fc.jsonValue({ stringUnit: 'binary' }))
    fc.assert(
      fc.property(value, fc.array(fc.nat()), (object, cuts) => {
        const text = JSON.stringify(object).replaceAll('é', '\\u00E9').replaceAll('/', '\\/')
        const places = cuts.map((cut) => cut % text.length).toSorted((a, b) => a - b)
        const pieces = [...places, text.length].map((end, n) => text.slice(places[n - 1] ?? 0, end))
        const calls = growingCalls()
        const shown = pieces.map((piece) => calls.push(delta(0, piece))).at(-1)
        expect(shown?.arguments).toEqual(JSON.parse(text))
        expect(shown?.isBroken).toBe(false)
      }),
    )
  })

  test('text that cannot become JSON is told, and the next answer starts anew', () => {
    const calls = growingCalls()
    expect(calls.push(delta(0, '{"a":1,!'))).toMatchObject({ arguments: { a: 1 }, isBroken: true })
    expect(calls.push(delta(0, '"b":2}'))?.isBroken).toBe(true)
    calls.push({ type: 'start', id: 'next', model: 'm' })
    expect(calls.push(delta(0, '{"c":3}'))).toMatchObject({ arguments: { c: 3 }, isBroken: false })
  })

  test('only a fragment gives a call', () => {
    const calls = growingCalls()
    expect(calls.push({ type: 'text_delta', part: 0, text: '{' })).toBeUndefined()
    expect(calls.push({ type: 'finish', reason: 'stop' })).toBeUndefined()
  })

  test('a run tells fragments when it is asked to, and only then', async () => {
    const args = { path: 'a.txt', text: 'one two three' }
    const server = await providerServer({ script: [{ calls: [{ name: 'write', args }] }, 'Done.', 'Done.'] })
    const write = tool({
      name: 'write',
      description: 'Writes a file',
      input: { type: 'object' },
      execute: () => 'written',
    })
    const model = openai('m', { baseUrl: server.url, apiKey: 'none' })
    const calls = growingCalls()
    let last: unknown
    for await (const event of run.stream({ model, tools: [write], prompt: 'go', deltas: true })) {
      if (event.type === 'tool_call_delta') last = calls.push(event)?.arguments
    }
    expect(last).toEqual(args)
    for await (const event of run.stream({ model, tools: [write], prompt: 'go' })) {
      expect(event.type).not.toBe('tool_call_delta')
    }
    await server.close()
  })
})
