// `toolwire decode`: recorded answers of a wire → canonical responses.
import { createFolder } from '../conversation/fold.js'
import type { CompletionResponse } from '../conversation/response.js'
import { RawJson } from '../json/stringify.js'
import { decodeAnswer, type WireOptions } from './answers.js'
import { type Answer, errorRecord, type Line } from './lines.js'

export function decodeLine(line: Line, options: WireOptions): Answer {
  const folder = createFolder()
  const events = decodeAnswer(line, options)
  for (const event of events) folder.push(event)
  const { response, error } = folder.done()
  if (error === undefined) return { ok: true, response: shown(response) }
  const arrived = events.some((event) => event.type !== 'error' && event.type !== 'start')
  return { ok: false, error: errorRecord(error), ...(arrived ? { partial: shown(response) } : {}) }
}

/** The response with the parsed arguments beside the text of each runnable call, every digit as it was sent. */
export function shown(response: CompletionResponse): object {
  const toolCalls = response.toolCalls.map((call) => ({ ...call, args: new RawJson(call.arguments) }))
  return { ...response, toolCalls }
}
