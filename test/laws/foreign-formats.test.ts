// Law 13: no codec guesses. Another wire's body is a typed error, or an answer in which no call was invented.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unfold } from '../../src/conversation/unfold.js'
import { ToolwireError } from '../../src/errors/error.js'
import { holds } from './cases.js'
import { requests } from './requests.js'
import { responses } from './responses.js'
import { folded, halvesOf, pairs, readBody, readStream, streamed } from './subjects.js'

const foreign = pairs.filter(({ from, to }) => from.wire !== to.wire)

test.each(foreign)('law 13, $name: a request is read or refused, never an untyped throw', ({ from, to, name }) => {
  holds(
    `13 ${name}`,
    30,
    fc.property(requests({ histories: 'paired', realistic: true }), (request) => {
      const { http } = from.codec.request.encode(request, { stream: false }, from.env)
      try {
        to.codec.request.decode(http, to.env)
      } catch (error) {
        if (!ToolwireError.is(error)) throw error
        expect(error.code).toBe('invalid_request')
      }
    }),
  )
})

test.each(foreign)('law 13, $name: an answer is read without invented calls', ({ from, to, name }) => {
  const inside = { body: halvesOf(from, false), stream: halvesOf(from, true) }
  const outside = { body: halvesOf(to, false), stream: halvesOf(to, true) }
  holds(
    `13 ${name}`,
    30,
    fc.property(responses({ metadata: false }), (response) => {
      const { http } = from.codec.response.encode(response, inside.body.server, from.env)
      const { bytes } = streamed(from, inside.stream.server, unfold(response))
      const whole = readBody(to, outside.body.client, http)
      const pieces = readStream(to, outside.stream.client, [bytes])
      for (const events of [whole, pieces]) {
        const { response: read, error } = folded(events)
        expect(read.toolCalls).toEqual([])
        if (error !== undefined) expect(ToolwireError.is(error)).toBe(true)
      }
    }),
  )
})
