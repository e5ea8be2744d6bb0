// Law 4: translating an answer event by event and folding it is the same as folding it and translating it whole.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { unfold } from '../../src/conversation/unfold.js'
import { holds } from './cases.js'
import { agree, comparableResponse, saidIn } from './comparable.js'
import { pieces, responses } from './responses.js'
import { folded, halvesOf, pairs, readBody, readStream, streamed } from './subjects.js'

/**
 * Whether the parts arrived in their order, each whole before the next. Where they did not (text behind a call, on a wire that
 * has one slot for text and one for calls), a writer that streams has closed the first before it could know that more would
 * come: then everything that was said is there, in the order it arrived, perhaps in more parts.
 */
function isInOrder(events: readonly CompletionEvent[]): boolean {
  let last = -1
  return events.every((event) => {
    if (!('part' in event)) return true
    const known = event.part <= last && (event.type === 'tool_call' || event.type === 'broken_call')
    const inOrder = known || event.part >= last
    last = Math.max(last, event.part)
    return inOrder
  })
}

describe('law 4', () => {
  test.each(pairs)('$name: translate and fold in either order', ({ from, to, name }) => {
    const inside = halvesOf(from, true)
    const outside = halvesOf(to, true)
    const whole = halvesOf(to, false)
    holds(
      `4 ${name}`,
      45,
      fc.property(responses(), fc.integer({ min: 1, max: 9 }), (response, size) => {
        const events = unfold(response, (text) => pieces(text, size))
        const { bytes } = streamed(from, inside.server, events)
        const read = readStream(from, inside.client, [bytes])
        const translated = streamed(to, outside.server, read)
        const streamedAnswer = folded(readStream(to, outside.client, [translated.bytes])).response
        const { http, losses } = to.codec.response.encode(folded(read).response, whole.server, to.env)
        const wholeAnswer = folded(readBody(to, whole.client, http)).response
        if (isInOrder(read) && isDeepStrictEqual(translated.losses, losses)) {
          const loose = { looseArguments: true }
          agree(comparableResponse(streamedAnswer, loose), comparableResponse(wholeAnswer, loose))
        } else agree(saidIn(streamedAnswer), saidIn(wholeAnswer))
      }),
    )
  })
})
