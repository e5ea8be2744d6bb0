// Laws 1 and 2, answers: a body and a stream give back what was written minus the losses, and both give the same.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyLosses } from '../../src/conversation/losses.js'
import type { BrokenCall } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { readArguments } from '../../src/wire/arguments.js'
import { holds } from './cases.js'
import { agree, comparableResponse, isConsistent, saidIn, stored } from './comparable.js'
import { eventOrders, pieces, responses } from './responses.js'
import { folded, halvesOf, readBody, readStream, streamed, subjects } from './subjects.js'

function same(back: CompletionResponse, told: CompletionResponse, looseArguments: boolean): void {
  agree(comparableResponse(back, { looseArguments }), comparableResponse(told, { looseArguments }))
}

/**
 * The one answer that a Messages stream cannot carry in every order: arguments that are a whole object, then another part, then more of
 * the arguments. Its blocks cannot be opened again, so it ends in an error instead of a call that a client would run.
 */
function goesOn({ arguments: text }: BrokenCall): boolean {
  return Array.from(text, (_, end) => readArguments(text.slice(0, end))).includes('object')
}

/** Every wire, and the one where a demanded call is asked for by the form of the answer. */
const asked = [
  ...subjects.map((subject) => ({ subject, name: subject.name, choice: 'auto' as const })),
  ...subjects
    .filter(({ wire }) => wire === 'ollama')
    .map((subject) => ({ subject, name: `${subject.name}, a call being demanded`, choice: 'required' as const })),
]

describe.each(asked)('laws 1 and 2, answers on $name', ({ subject, choice }) => {
  const { wire, codec, env } = subject
  const body = halvesOf(subject, false, choice)
  const stream = halvesOf(subject, true, choice)

  test('a body gives back the answer minus the losses', () => {
    holds(
      `1 response ${wire}`,
      150,
      fc.property(responses(), (response) => {
        const { http, losses } = codec.response.encode(response, body.server, env)
        const { response: back, error } = folded(readBody(subject, body.client, http))
        expect(error).toBeUndefined()
        expect(isConsistent(back)).toBe(true)
        same(back, applyLosses(stored(response), losses), false)
      }),
    )
  })

  test('a stream gives back the answer minus the losses, in whatever order its events came', () => {
    holds(
      `1 stream ${wire}`,
      200,
      fc.property(
        responses().chain((response) => eventOrders(response).map((events) => ({ response, events }))),
        ({ response, events }) => {
          same(folded(events).response, response, false)
          const { bytes, losses } = streamed(subject, stream.server, events)
          const { response: back, error } = folded(readStream(subject, stream.client, [bytes]))
          if (error !== undefined && wire === 'anthropic') {
            expect(error.message).toContain('went on behind their end')
            expect(response.brokenCalls.some(goesOn)).toBe(true)
            return
          }
          expect(error).toBeUndefined()
          expect(isConsistent(back)).toBe(true)
          same(back, applyLosses(stored(response), losses), true)
        },
      ),
    )
  })

  test('writing what was read again changes nothing', () => {
    holds(
      `1 response ${wire}`,
      100,
      fc.property(responses(), (response) => {
        const first = codec.response.encode(response, body.server, env).http
        const read = folded(readBody(subject, body.client, first)).response
        const second = codec.response.encode(read, body.server, env).http
        const again = codec.response.encode(folded(readBody(subject, body.client, second)).response, body.server, env)
        agree(JSON.parse(again.http.body), JSON.parse(second.body))
        expect(again.http.status).toBe(second.status)
      }),
    )
  })

  test('a stream and a body say the same', () => {
    holds(
      `2 ${wire}`,
      210,
      fc.property(responses(), fc.integer({ min: 1, max: 9 }), (response, size) => {
        const { http, losses } = codec.response.encode(response, body.server, env)
        const whole = folded(readBody(subject, body.client, http)).response
        const events = unfold(response, (text) => pieces(text, size))
        const sent = streamed(subject, stream.server, events)
        const back = folded(readStream(subject, stream.client, [sent.bytes])).response
        if (isDeepStrictEqual(sent.losses, losses)) same(back, whole, true)
        else agree(saidIn(back), saidIn(whole))
      }),
    )
  })
})
