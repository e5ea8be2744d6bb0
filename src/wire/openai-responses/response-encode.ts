// Whole answers for a client of this wire: the same items as a stream would end with.

import type { CompletionResponse } from '../../conversation/response.js'
import { unfold } from '../../conversation/unfold.js'
import { writeJson } from '../../json/stringify.js'
import type { EncodedResponse, Env, Exchange } from '../codec.js'
import { answerId, answerLosses, answerOf, isIncomplete } from './answer.js'
import { createOutputWriter } from './output-encode.js'

export function encode(response: CompletionResponse, exchange: Exchange, env: Env): EncodedResponse {
  const writer = createOutputWriter(answerId(response.id, exchange, env), () => {})
  const events = unfold(response)
  events.forEach((event, index) => {
    // What is attached to a part decides where its item begins, so it goes before the text.
    const next = events[index + 1]
    if (next?.type === 'attach') writer.event(next)
    if (event.type !== 'attach') writer.event(event)
  })
  const output = writer.finish(isIncomplete(response, writer.isRefused()))
  const answer = answerOf(response, output, writer.isRefused(), exchange, env)
  return {
    http: { status: 200, headers: { 'content-type': 'application/json' }, body: writeJson(answer) },
    losses: answerLosses(response, answer, exchange, env),
    items: output,
  }
}
