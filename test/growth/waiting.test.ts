// What a stream holds while it waits for its next piece: nothing of the last one. With a thousand streams at once that is most of their memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ndjsonFrames } from '../../src/frames/ndjson.js'
import { sseFrames } from '../../src/frames/sse.js'
import { type CompletionStream, compatible } from '../../src/index.js'
import { oneByOne } from '../../src/model/awaitable.js'
import { batchesOf } from '../../src/model/batches.js'
import { Told } from '../../src/transport/told.js'
import type { Transport } from '../../src/transport/transport.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** A reference is kept alive until the turn of the loop is over. */
async function collected(...things: readonly WeakRef<object>[]): Promise<boolean> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  return things.every((thing) => thing.deref() === undefined)
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const chunk = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hello' } }] }
const greeting = `data: ${JSON.stringify(chunk)}\n\n`

function streamOf(body: AsyncIterable<Uint8Array>): CompletionStream {
  const transport: Transport = async () => ({ status: 200, headers: {}, body })
  const model = compatible({ wire: 'openai-chat', baseUrl: 'http://127.0.0.1:1', model: 'm', apiKey: 'x', transport })
  return model.stream({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] })
}

test.each([
  ['server-sent events', sseFrames, 'data: {"a":1}\n\n'],
  ['lines', ndjsonFrames, '{"a":1}\n{"a":2}\n'],
] as const)('a reader of %s holds no frame that it gave', async (_, open, text) => {
  const framer = open()
  const given = new WeakRef(framer.push(bytes(text)))
  expect(await collected(given)).toBe(true)
  expect(framer.push(bytes(text)).length).toBeGreaterThan(0)
})

test('a stream that waits holds neither the events it gave nor the bytes they came in', async () => {
  let waiting = (): void => {}
  const waits = new Promise<void>((resolve) => {
    waiting = resolve
  })
  let piece: WeakRef<Uint8Array> | undefined
  async function* body(): AsyncGenerator<Uint8Array> {
    yield sent()
    waiting()
    await new Promise(() => {})
  }
  function sent(): Uint8Array {
    const made = bytes(greeting)
    piece = new WeakRef(made)
    return made
  }
  const events = streamOf(body())[Symbol.asyncIterator]()
  const start = new WeakRef((await events.next()).value)
  const text = new WeakRef((await events.next()).value)
  expect(text.deref()).toMatchObject({ type: 'text_delta', text: 'Hello' })
  events.next().catch(() => {})
  await waits
  expect(piece).toBeDefined()
  expect(await collected(start, text, piece as WeakRef<Uint8Array>)).toBe(true)
})

test('a promise that outlives what it told keeps nothing of it', async () => {
  const kept: Promise<unknown>[] = []
  const keep = <T>(promise: Promise<T>): Promise<T> => {
    kept.push(promise)
    return promise
  }
  const given: WeakRef<object>[] = []
  const noted = <T extends object>(value: T): T => {
    given.push(new WeakRef(value))
    return value
  }
  const pieces = [greeting, greeting]
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const piece = pieces.shift()
    return piece === undefined ? new Promise(() => {}) : new Told(noted(bytes(piece)))
  }
  const batches = batchesOf(streamOf({ [Symbol.asyncIterator]: () => ({ next: () => keep(next()) }) }))
  const events = oneByOne({
    ...batches,
    next() {
      const promise = keep(batches.next())
      promise.then((told) => told.done !== true && noted(told.value)).catch(() => {})
      return promise
    },
  })
  for (const type of ['start', 'text_delta', 'text_delta']) expect((await events.next()).value).toMatchObject({ type })
  events.next().catch(() => {})
  expect(given).toHaveLength(4)
  expect(await collected(...given)).toBe(true)
  expect(kept.length).toBeGreaterThan(4)
})
