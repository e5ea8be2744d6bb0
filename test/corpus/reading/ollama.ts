// Ollama's native chat, read by section 4 of the wire reference.
import { jsonLines } from './payloads.js'
import { count, type Fields, fields, finishWith, list, objectCall, type Reader, type Reading, text } from './reading.js'

export const ollama: Reader = { readBody, readStream }

function readBody(body: unknown): Reading {
  return readLines([fields(body)])
}

function readStream(stream: string): Reading {
  return readLines(jsonLines(stream).map(fields))
}

function readLines(lines: readonly Fields[]): Reading {
  const last = lines.find((line) => line.done === true)
  if (last === undefined || lines.some((line) => line.error !== undefined)) return { kind: 'error' }
  const messages = lines.map((line) => fields(line.message))
  const calls = messages
    .flatMap((message) => list(message.tool_calls))
    .map((call) => ({ call, inner: fields(call.function) }))
    .map(({ call, inner }) => objectCall(call.id, inner.name, inner.arguments))
  const counted = last.prompt_eval_count !== undefined || last.eval_count !== undefined
  const usage = {
    input: count(last.prompt_eval_count),
    output: count(last.eval_count),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  }
  return {
    kind: 'answer',
    text: messages.map((message) => text(message.content)).join(''),
    calls,
    finish: last.done_reason === 'length' ? 'length' : finishWith(calls, 'stop'),
    ...(counted ? { usage } : {}),
  }
}
