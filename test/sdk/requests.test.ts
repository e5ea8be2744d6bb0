// What the official SDKs send, given a body of the matrix as their parameters, is read as the same canonical request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringifyJson } from '../../src/json/stringify.js'
import type { JsonObject } from '../../src/json/types.js'
import { comparableRequest } from '../laws/comparable.js'
import { streamed } from '../laws/subjects.js'
import { requestOf, subjectOf } from '../matrix/column.js'
import type { Column } from '../matrix/format.js'
import { answers, eventsOf, judges, requestConcerns } from './fixtures.js'
import { type Answering, type Loopback, startServer } from './server.js'

let server: Loopback
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** SDK parameters are JavaScript values: JSON.stringify refuses the one body that has an integer no double holds. */
function isSendable(column: Column): boolean {
  try {
    return column.body !== undefined && JSON.stringify(column.body) !== ''
  } catch {
    return false
  }
}

describe.each(judges)('$sdk', (judge) => {
  const sendable = requestConcerns.filter((concern) => isSendable(concern.wires[judge.wire]))

  it('can be given all requests but what was refused and what has a bigint', () => {
    expect(requestConcerns.length - sendable.length).toBeLessThanOrEqual(2)
  })

  it.each(sendable)('sends the same request: $name', async (concern) => {
    const column = concern.wires[judge.wire]
    const subject = subjectOf(judge.wire, column)
    const { codec, env } = subject
    const stream = column.stream === true
    const { model } = requestOf(concern, column)
    const answer: Answering = (http) => {
      const { exchange } = codec.request.decode(http, env)
      const response = answers[0]?.[1]
      if (response === undefined) throw new Error('there is no answer')
      if (!exchange.stream) return codec.response.encode(response, exchange, env).http
      const { headers } = codec.stream.encode(exchange, env)
      return { status: 200, headers, body: streamed(subject, exchange, eventsOf(response)).bytes }
    }
    const body = column.body as JsonObject
    const { sent } = await server.exchange(answer, () =>
      judge.send(server.url, body, { model, stream, profile: column.profile }),
    )
    const http = { method: 'POST', path: column.path ?? '', headers: {}, body: stringifyJson(body) }
    const read = codec.request.decode(sent, env)
    expect(comparableRequest(read.request)).toEqual(comparableRequest(codec.request.decode(http, env).request))
    expect(read.exchange.stream).toBe(stream)
  })
})
