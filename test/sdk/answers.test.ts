// Official SDKs read what our server half writes: the same text, calls, ids, arguments, finish and usage, whole and streamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { streamed } from '../laws/subjects.js'
import { subjectOf } from '../matrix/column.js'
import { answers, eventsOf, interleavedEvents, judges } from './fixtures.js'
import { comparableReading, expectedReading } from './judge.js'
import { type Answering, type Loopback, startServer } from './server.js'

let server: Loopback
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Answers a client's request with a response, as the request asks for it. */
function answering(
  wire: Wire,
  response: CompletionResponse,
  events: (response: CompletionResponse) => readonly CompletionEvent[],
): Answering {
  const subject = subjectOf(wire, {})
  const { codec, env } = subject
  return (http) => {
    const { exchange } = codec.request.decode(http, env)
    if (!exchange.stream) return codec.response.encode(response, exchange, env).http
    const { headers } = codec.stream.encode(exchange, env)
    return { status: 200, headers, body: streamed(subject, exchange, events(response)).bytes }
  }
}

describe.each(judges)('$sdk', (judge) => {
  const streams = answers.filter(([name]) => !judge.unstreamed?.includes(name))

  it.each(answers)('reads the whole answer: %s', async (_, response) => {
    const answer = answering(judge.wire, response, eventsOf)
    const { value } = await server.exchange(answer, () => judge.whole(server.url))
    const expected = comparableReading(expectedReading(response, judge), response, judge)
    expect(comparableReading(value, response, judge)).toEqual(expected)
  })

  it.each(streams)('reads the streamed answer: %s', async (_, response) => {
    const answer = answering(judge.wire, response, eventsOf)
    const { value } = await server.exchange(answer, () => judge.streamed(server.url))
    const expected = comparableReading(expectedReading(response, judge), response, judge)
    expect(comparableReading(value, response, judge)).toEqual(expected)
  })

  it.each(streams)('reads the answer whose calls were streamed in turn: %s', async (_, response) => {
    const answer = answering(judge.wire, response, interleavedEvents)
    const { value } = await server.exchange(answer, () => judge.streamed(server.url))
    const expected = comparableReading(expectedReading(response, judge), response, judge)
    expect(comparableReading(value, response, judge)).toEqual(expected)
  })
})
