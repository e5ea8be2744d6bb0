// Events as NDJSON lines (server half). Text and thinking go out as they come; calls are whole on this wire, so they wait
// for the finish and go out in the order of their parts; the last line waits for the end, since usage may follow the finish.
import type { CompletionEvent } from '../../conversation/events.js'
import { createFolder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import { isCall } from '../../conversation/messages.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import type { Env, Exchange, StreamEncoder } from '../codec.js'
import { ownFields, type WritableObject, writeCall } from './calls.js'
import { errorLine } from './error.js'
import { writeTurn } from './history.js'
import { answerLosses, createdAt, lastLine, modelOf, oneLine } from './response-encode.js'
import { modelled } from './types.js'

export function encode(exchange: Exchange, env: Env): StreamEncoder {
  const folder = createFolder()
  const losses: Loss[] = []
  /** Everything of a line before its content: the same in every line. */
  let head = headOf({ model: '', metadata: {} }, exchange, env)
  /** Unmodelled fields of the message, which stand in its first line. */
  let fields: JsonObject | undefined
  let text = ''
  let thinking = ''
  let callsSent = 0
  let state: 'open' | 'finished' | 'failed' = 'open'

  const line = (content: string, more?: WritableObject): string => {
    const start = head + JSON.stringify(content)
    if (more === undefined && fields === undefined) return `${start}},"done":false}\n`
    const members = oneLine(writeJson({ ...more, ...fields }))
    fields = undefined
    return `${start},${members.slice(1, -1)}},"done":false}\n`
  }
  /** The answer as if it had been sent in one piece, its text in the order it was sent in. */
  const whole = (response: CompletionResponse): string => {
    const { tool_calls } = writeTurn(response.message)
    const turn = { content: text, thinking, tool_calls, ...ownFields(response.message, modelled.assistant) }
    return writeLine(lastLine(response, turn, exchange, env))
  }
  const sendCalls = (response: CompletionResponse): string => {
    const calls = response.message.content.filter(isCall).map(writeCall)
    const lines = calls.slice(callsSent).map((call) => line('', { tool_calls: [call] }))
    callsSent = calls.length
    return lines.join('')
  }

  const write = (event: CompletionEvent): string => {
    switch (event.type) {
      case 'start':
        head = headOf({ model: event.model, metadata: event.metadata ?? {} }, exchange, env)
        fields = ownFields(event, modelled.assistant)
        if (Object.keys(fields).length === 0) fields = undefined
        return ''
      case 'text_delta':
        text += event.text
        return event.text === '' ? '' : line(event.text)
      case 'reasoning_delta':
        thinking += event.text
        return event.text === '' ? '' : line('', { thinking: event.text })
      case 'finish':
        state = 'finished'
        return sendCalls(folder.done().response)
      case 'error':
        state = 'failed'
        return `${sendCalls(folder.done().response)}${JSON.stringify(errorLine(event.error))}\n`
      default:
        return ''
    }
  }

  return {
    losses,
    headers: { 'content-type': 'application/x-ndjson' },
    push(event) {
      if (state === 'failed') return ''
      folder.push(event)
      return write(event)
    },
    end() {
      if (state === 'failed') return ''
      const { response } = folder.done()
      const calls = sendCalls(response)
      if (state === 'open') return calls
      for (const loss of answerLosses(response, () => whole(response), exchange, env)) losses.push(loss)
      return `${calls}${writeLine(lastLine(response, fields ?? {}, exchange, env))}`
    },
  }
}

function headOf(answer: Pick<CompletionResponse, 'model' | 'metadata'>, exchange: Exchange, env: Env): string {
  const fields = writeJson({ model: modelOf(answer, exchange), created_at: createdAt(answer, env) })
  return `${fields.slice(0, -1)},"message":{"role":"assistant","content":`
}

function writeLine(line: WritableObject): string {
  return `${oneLine(writeJson(line))}\n`
}
