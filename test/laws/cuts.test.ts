// Laws 3 and 5: where the bytes are cut does not matter, and an answer that ends too early is never taken for a whole one.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { unfold } from '../../src/conversation/unfold.js'
import { type ErrorCode, ToolwireError } from '../../src/errors/error.js'
import { holds } from './cases.js'
import { agree, comparableResponse } from './comparable.js'
import { pieces, responses } from './responses.js'
import { folded, halvesOf, readStream, type Subject, streamed, subjects } from './subjects.js'

/** Events as data: an error is its code and its words. */
function seen(events: readonly CompletionEvent[]): readonly unknown[] {
  return events.map((event) => (event.type === 'error' ? [event.error.code, event.error.message] : event))
}

/** A text that says where an answer was cut: what it holds, without the figures that may come after the end. */
function content(events: readonly CompletionEvent[]): unknown {
  const { usage: _, metadata: __, ...rest } = comparableResponse(folded(events).response) as { [key: string]: unknown }
  return rest
}

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...sorted].map((from, index) => bytes.slice(from, sorted[index] ?? bytes.length))
}

const lineEnds = fc.constantFrom('\n', '\r\n', '\r')
/** Server-sent events may end lines in three ways and begin with a byte order mark; NDJSON may not. */
function dressed({ wire }: Subject, bytes: Uint8Array, lineEnd: string, mark: boolean): Uint8Array {
  if (wire === 'ollama') return bytes
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return new TextEncoder().encode((mark ? '\ufeff' : '') + text.replaceAll('\n', lineEnd))
}

function examples(wire: string): readonly (readonly [string, Uint8Array])[] {
  const folder = new URL(`../examples/${wire}/`, import.meta.url)
  const names = readdirSync(folder).filter((name) => name.startsWith('stream.'))
  return names.map((name) => [name, readFileSync(new URL(name, folder))])
}

describe.each(subjects)('laws 3 and 5 on $wire', (subject) => {
  const { wire } = subject
  const { server, client } = halvesOf(subject, true)
  const streams = fc.tuple(responses(), fc.integer({ min: 1, max: 9 })).map(([response, size]) => {
    const events = unfold(response, (text) => pieces(text, size))
    return streamed(subject, server, events).bytes
  })

  test('any cuts give the same events', () => {
    holds(
      `3 ${wire}`,
      210,
      fc.property(
        streams,
        lineEnds,
        fc.boolean(),
        fc.array(fc.nat({ max: 100_000 }), { maxLength: 12 }),
        (stream, lineEnd, mark, places) => {
          const bytes = dressed(subject, stream, lineEnd, mark)
          const whole = seen(readStream(subject, client, [stream]))
          agree(seen(readStream(subject, client, cutAt(bytes, places))), whole)
          const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
          agree(seen(readStream(subject, client, single)), whole)
        },
      ),
    )
  })

  test.each(examples(wire))('every single cut of the example %s gives the same events', (_, bytes) => {
    const whole = seen(readStream(subject, client, [bytes]))
    const text = JSON.stringify(whole)
    for (let place = 1; place < bytes.length; place += 1) {
      const events = seen(readStream(subject, client, [bytes.subarray(0, place), bytes.subarray(place)]))
      if (JSON.stringify(events) !== text) agree(events, whole) // equal texts are quicker to see than equal values
    }
  })

  test('every end before the terminal marker is an error, every other is the whole answer', () => {
    holds(
      `5 ${wire}`,
      180,
      fc.property(streams, fc.array(fc.nat({ max: 100_000 }), { minLength: 8, maxLength: 8 }), (bytes, places) => {
        const text = new TextDecoder().decode(bytes)
        const marker = [...text.matchAll(subject.terminal)].at(-1)?.index ?? 0
        expect(marker).toBeGreaterThan(0)
        const before = new TextEncoder().encode(text.slice(0, marker)).length
        const whole = readStream(subject, client, [bytes])
        expect(folded(whole).error).toBeUndefined()
        for (const place of [...places.map((nat) => nat % bytes.length), before - 1, before, bytes.length - 1]) {
          const events = readStream(subject, client, [bytes.slice(0, Math.max(0, place))])
          const failed = events.some((event) => event.type === 'error')
          if (place <= before) expect(folded(events).error?.code).toBe('truncated')
          if (failed) expect(events.some((event) => event.type === 'finish')).toBe(false)
          else agree(content(events), content(whole))
        }
      }),
    )
  })

  test('an error inside a stream is an error', () => {
    holds(
      `5 ${wire}`,
      40,
      fc.property(
        responses(),
        fc.nat({ max: 1000 }),
        fc.constantFrom<ErrorCode>('overloaded', 'rate_limited', 'server_error'),
        (response, place, code) => {
          const events = unfold(response, (text) => pieces(text, 3)).slice(0, -1)
          const error: CompletionEvent = { type: 'error', error: new ToolwireError(code, 'no capacity') }
          const { bytes } = streamed(subject, server, [...events.slice(0, 1 + (place % events.length)), error])
          const read = readStream(subject, client, [bytes])
          expect(folded(read).error).toBeDefined()
          expect(read.some((event) => event.type === 'finish')).toBe(false)
        },
      ),
    )
  })
})
