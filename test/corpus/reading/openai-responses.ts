// Responses, read by section 2 of the wire reference. A stream is read by its terminal event, which repeats the whole answer.
import { sseData } from './payloads.js'
import {
  count,
  type Fields,
  fields,
  finishWith,
  list,
  type Reader,
  type Reading,
  type ReadUsage,
  text,
  textCall,
} from './reading.js'

export const openaiResponses: Reader = { readBody, readStream }

function readBody(body: unknown): Reading {
  const answer = fields(body)
  const isAnswer = Array.isArray(answer.output) && (answer.error === undefined || answer.error === null)
  if (!isAnswer) return { kind: 'error' }
  return readAnswer(answer, list(answer.output))
}

function readStream(stream: string): Reading {
  const items: Fields[] = []
  for (const data of sseData(stream)) {
    if (data === '[DONE]') break
    const event = fields(JSON.parse(data))
    switch (event.type) {
      case 'error':
      case 'response.failed':
        return { kind: 'error' }
      case 'response.output_item.done':
        items[count(event.output_index)] = fields(event.item)
        break
      case 'response.completed':
      case 'response.incomplete': {
        const answer = fields(event.response)
        const output = list(answer.output)
        return readAnswer(answer, output.length > 0 ? output : items)
      }
    }
  }
  return { kind: 'error' }
}

function readAnswer(answer: Fields, output: readonly Fields[]): Reading {
  const parts = output.filter((item) => item.type === 'message').flatMap((item) => list(item.content))
  const refused = parts.some((part) => part.type === 'refusal')
  // The input of a custom tool is free text; it is the only argument of its call.
  const calls = output
    .filter((item) => item.type === 'function_call' || item.type === 'custom_tool_call')
    .map((item) => textCall(item.call_id, item.name, item.arguments ?? JSON.stringify({ input: item.input })))
  const finish = refused ? 'content_filter' : finishWith(calls, finishOf(answer))
  const spent = usage(answer.usage)
  return {
    kind: 'answer',
    text: parts.map((part) => text(part.type === 'refusal' ? part.refusal : part.text)).join(''),
    calls,
    finish,
    ...(spent === undefined ? {} : { usage: spent }),
  }
}

function finishOf(answer: Fields): string {
  switch (answer.status) {
    case 'completed':
      return 'stop'
    case 'incomplete': {
      const { reason } = fields(answer.incomplete_details)
      if (reason === 'max_output_tokens') return 'length'
      return reason === 'content_filter' ? reason : 'pause'
    }
    case 'queued':
    case 'in_progress':
      return 'pause'
    default:
      return 'error'
  }
}

function usage(value: unknown): ReadUsage | undefined {
  const given = fields(value)
  if (given.input_tokens === undefined) return undefined
  const read = fields(given.input_tokens_details)
  return {
    input: count(given.input_tokens),
    output: count(given.output_tokens),
    cacheRead: count(read.cached_tokens),
    cacheWrite: count(read.cache_write_tokens),
    reasoning: count(fields(given.output_tokens_details).reasoning_tokens),
  }
}
