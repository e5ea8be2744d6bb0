// Twice the stream, the arguments or the history costs about twice as much, on every wire. Ratios within one process, no times.
import { expect, test } from 'vitest'
import type { Message } from '../../src/conversation/messages.js'
import { bodyBytes, utf8 } from '../../src/frames/body.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import { responseOf } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import type { Transport } from '../../src/transport/transport.js'
import type { Codec } from '../../src/wire/codec.js'
import { codecs } from '../../src/wire/index.js'
import { growthOf, linear } from './processor-time.js'
import { callEvents, envOf, read, textEvents, written } from './sample-streams.js'

const each = Object.values(codecs)

test.each(each)('$wire: reading a stream grows with its deltas', async (codec) => {
  const growth = await growthOf(2_000, (deltas) => {
    const bytes = written(codec, textEvents(deltas))
    expect(read(codec, bytes).text).toMatch(/^ word0 .* word\d+$/)
    return () => read(codec, bytes)
  })
  expect(growth).toBeLessThan(linear)
})

test.each(each)('$wire: writing a stream grows with its deltas', async (codec) => {
  const growth = await growthOf(2_000, (deltas) => {
    const events = textEvents(deltas)
    return () => written(codec, events)
  })
  expect(growth).toBeLessThan(linear)
})

test.each(each)('$wire: reading a call grows with its arguments', async (codec) => {
  const growth = await growthOf(60_000, (characters) => {
    const bytes = written(codec, callEvents(characters))
    expect(read(codec, bytes).toolCalls[0]?.arguments.length).toBeGreaterThan(characters * 0.9)
    return () => read(codec, bytes)
  })
  expect(growth).toBeLessThan(linear)
})

/** Messages of the caller's own, not frozen: nothing may be remembered of them. */
function history(rounds: number): readonly Message[] {
  const turns = Array.from({ length: rounds }, (_, index): readonly Message[] => {
    const call = {
      type: 'tool_call',
      id: `call_${index}`,
      name: 'read_file',
      arguments: `{"path":"src/${index}.ts"}`,
    } as const
    const content = [{ type: 'text', text: `export const value = ${index}\n`.repeat(5) }] as const
    return [
      { role: 'assistant', content: [{ type: 'text', text: `Reading file ${index}.` }, call] },
      { role: 'tool', results: [{ callId: call.id, name: call.name, isError: false, content }] },
    ]
  })
  return [{ role: 'user', content: [{ type: 'text', text: 'Read the files.' }] }, ...turns.flat()]
}

test.each(each)('$wire: writing and reading a request grows with its history', async (codec) => {
  const growth = await growthOf(200, (rounds) => {
    const request = { model: 'm', messages: history(rounds) }
    return () => {
      const { http } = codec.request.encode(request, { stream: false }, envOf(codec))
      return codec.request.decode({ ...http, body: bodyBytes(http.body) }, envOf(codec))
    }
  })
  expect(growth).toBeLessThan(linear)
})

const look = tool({
  name: 'look',
  description: 'Looks something up',
  input: { type: 'object', properties: {} },
  execute: () => 'found',
})

/** A provider in this process that asks for a call `rounds` times and then answers. Each answer was written before. */
function provider(codec: Codec, rounds: number): () => Transport {
  const turns = [
    ...Array.from({ length: rounds }, (_, n) => ({ calls: [{ name: 'look', args: { n } }] })),
    { text: 'done' },
  ]
  const exchange = { wire: codec.wire, model: 'm', stream: false }
  const answers = turns.map((turn, index) => {
    const { http } = codec.response.encode(responseOf(turn, index, 'm'), exchange, envOf(codec))
    return { ...http, body: utf8(http.body) }
  })
  return () => {
    const left = answers.values()
    return async () => {
      const { value = { status: 500, headers: {}, body: utf8('') } } = left.next()
      return { ...value, body: only(value.body) }
    }
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test.each(each)('$wire: a run grows with its rounds', async (codec) => {
  const growth = await growthOf(40, (rounds) => {
    const transport = provider(codec, rounds)
    return async () => {
      const where = { wire: codec.wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm', retries: 0 } as const
      const model = compatible({ ...where, transport: transport(), capabilities: { tools: 'yes' } })
      const { text, calls } = await run({ model, tools: [look], prompt: 'Go', maxTurns: rounds + 1 })
      expect([text, calls]).toEqual(['done', rounds])
    }
  })
  expect(growth).toBeLessThan(linear)
})
