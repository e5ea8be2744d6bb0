import { describe, expect, it } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import type { Framer } from '../../src/frames/framer.js'
import { jsonArrayFrames } from '../../src/frames/json-array.js'
import { defaultLimits, type Limits } from '../../src/frames/limits.js'
import { ndjsonFrames } from '../../src/frames/ndjson.js'
import { sseFrames } from '../../src/frames/sse.js'
import { bytesOf, framesOf } from './cuts.js'

const limits: Limits = { lineBytes: 20, totalBytes: 100 }
const framers: readonly (readonly [string, (limits?: Limits) => Framer<unknown>, (size: number) => string])[] = [
  ['sse', sseFrames, (size) => `data: ${'x'.repeat(size)}\n\n`],
  ['ndjson', ndjsonFrames, (size) => `"${'x'.repeat(size)}"\n`],
  ['json array', jsonArrayFrames, (size) => `["${'x'.repeat(size)}"]`],
]

/** The cap that stops the action, or undefined when none does. */
function stoppedBy(action: () => unknown): unknown {
  try {
    action()
    return undefined
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'limit_exceeded') return error.detail?.limit
    throw error
  }
}

describe.each(framers)('%s', (_name, make, frame) => {
  it('refuses a frame over the cap, whole or in pieces', () => {
    const bytes = bytesOf(frame(30))
    expect(stoppedBy(() => framesOf(make(limits), bytes))).toBe('lineBytes')
    expect(stoppedBy(() => framesOf(make(limits), bytes, [...bytes.keys()]))).toBe('lineBytes')
  })

  it('refuses a line that never ends', () => {
    const framer = make(limits)
    expect(
      stoppedBy(() => {
        framer.push(bytesOf(frame(30).slice(0, 9)))
        for (let count = 0; count < 30; count += 1) framer.push(bytesOf('x'))
      }),
    ).toBe('lineBytes')
  })

  it('refuses an answer over the cap', () => {
    const framer = make(limits)
    expect(
      stoppedBy(() => {
        for (let count = 0; count < 20; count += 1) framer.push(bytesOf(frame(8)))
      }),
    ).toBe('totalBytes')
  })

  it('has caps by default: 8 MiB for a frame', () => {
    expect(defaultLimits).toEqual({ lineBytes: 8 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 })
    expect(framesOf(make(), bytesOf(frame(8_000_000)))).toHaveLength(1)
    expect(stoppedBy(() => framesOf(make(), bytesOf(frame(8 * 1024 * 1024 + 1))))).toBe('lineBytes')
  })

  it('takes a long frame in small pieces in linear time', () => {
    const bytes = bytesOf(frame(2_000_000))
    const cuts = Array.from({ length: 100_000 }, (_, index) => index * 20)
    const started = performance.now()
    expect(framesOf(make(), bytes, cuts)).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

it('ndjson takes lines of escaped quotes in linear time', () => {
  const started = performance.now()
  expect(framesOf(ndjsonFrames(), bytesOf('\\"\n'.repeat(200_000)))).toHaveLength(200_000)
  expect(performance.now() - started).toBeLessThan(2_000)
})

describe('frames that grow over several lines', () => {
  it('counts all data lines of an event', () => {
    expect(stoppedBy(() => framesOf(sseFrames(limits), bytesOf('data: 12345678\n'.repeat(4))))).toBe('lineBytes')
  })

  it('counts all lines of a pretty-printed object', () => {
    expect(stoppedBy(() => framesOf(ndjsonFrames(limits), bytesOf(`{\n${'"a": 1,\n'.repeat(6)}`)))).toBe('lineBytes')
  })

  it('does not add up comments and keep-alives', () => {
    const bytes = bytesOf(`${': ping\n'.repeat(10)}data: a\n\n`)
    expect(framesOf(sseFrames(limits), bytes)).toEqual([{ data: 'a' }])
  })
})
