// Streams for a client of this wire. The terminal event always holds the whole answer; without a finish there is none.
import type { CompletionEvent } from '../../conversation/events.js'
import { createFolder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import type { Env, Exchange, StreamEncoder } from '../codec.js'
import { answerId, answerLosses, answerOf, endingEvent, isIncomplete, opening } from './answer.js'
import { errorObject } from './error.js'
import { createOutputWriter, type OutputWriter } from './output-encode.js'

export function encode(exchange: Exchange, env: Env): StreamEncoder {
  const folder = createFolder()
  const losses: Loss[] = []
  let text = ''
  let sequence = 0
  let writer: OutputWriter | undefined
  let items: readonly JsonObject[] = []
  let ended = false

  const send = (type: string, fields: JsonObject): void => {
    // Every delta passes here, and what all events begin with is known: only the fields are left to write.
    text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${writeJson(fields).slice(1)}\n\n`
    sequence += 1
  }
  const start = (id: string, model: string): OutputWriter => {
    const known = answerId(id, exchange, env)
    const response = opening(known, model, exchange, env)
    send('response.created', { response })
    send('response.in_progress', { response })
    return createOutputWriter(known, send)
  }
  const finish = (): void => {
    writer ??= start('', exchange.model)
    const { response } = folder.done()
    items = writer.finish(isIncomplete(response, writer.isRefused()))
    const answer = answerOf(response, items, writer.isRefused(), exchange, env)
    send(endingEvent(answer), { response: answer })
    for (const loss of answerLosses(response, answer, exchange, env)) losses.push(loss)
  }
  const take = (event: CompletionEvent): void => {
    if (event.type === 'error') {
      const error = errorObject(event.error)
      const { code, message, param } = error
      // Both documented forms at once: the flat one, and the nested one that official clients throw on.
      send('error', { code: code ?? null, message: message ?? '', param: param ?? null, error })
      ended = true
      return
    }
    folder.push(event)
    if (event.type === 'start') writer ??= start(event.id, event.model)
    else if (event.type === 'finish') {
      finish()
      ended = true
    } else if (event.type !== 'usage' && event.type !== 'loss' && event.type !== 'unknown') {
      writer ??= start('', exchange.model)
      writer.event(event)
    }
  }

  return {
    losses,
    get items() {
      return items
    },
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    push(event) {
      text = ''
      if (!ended) take(event)
      return text
    },
    end: () => '',
  }
}
