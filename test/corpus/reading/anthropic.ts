// Messages, read by section 3 of the wire reference.
import { sseData } from './payloads.js'
import {
  count,
  type Fields,
  fields,
  list,
  objectCall,
  type ReadCall,
  type Reader,
  type Reading,
  type ReadUsage,
  text,
  textCall,
} from './reading.js'

export const anthropic: Reader = { readBody, readStream }

function readBody(body: unknown): Reading {
  const answer = fields(body)
  if (answer.type === 'error') return { kind: 'error' }
  const blocks = list(answer.content)
  const said = blocks.filter((block) => block.type === 'text').map((block) => text(block.text))
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .map((block) => objectCall(block.id, block.name, block.input))
  return reading(said.join(''), calls, answer.stop_reason, fields(answer.usage))
}

/** The first message of the stream; what follows its `message_stop` belongs to another exchange. */
function readStream(stream: string): Reading {
  const blocks = new Map<number, { start: Fields; text: string; json: string }>()
  let stop: unknown
  let spent: Fields = {}
  for (const data of sseData(stream)) {
    const event = fields(JSON.parse(data))
    const block = blocks.get(count(event.index))
    const delta = fields(event.delta)
    if (event.type === 'error') return { kind: 'error' }
    if (event.type === 'message_stop') break
    if (event.type === 'message_start') spent = fields(fields(event.message).usage)
    if (event.type === 'content_block_start') {
      const start = fields(event.content_block)
      blocks.set(count(event.index), { start, text: text(start.text), json: '' })
    }
    if (block !== undefined && delta.type === 'text_delta') block.text += text(delta.text)
    if (block !== undefined && delta.type === 'input_json_delta') block.json += text(delta.partial_json)
    if (event.type === 'message_delta') {
      stop = delta.stop_reason ?? stop
      spent = { ...spent, ...known(fields(event.usage)) }
    }
  }
  const all = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block)
  const said = all.filter((block) => block.start.type === 'text').map((block) => block.text)
  const calls = all.filter((block) => block.start.type === 'tool_use').map(streamedCall)
  return reading(said.join(''), calls, stop, spent)
}

function streamedCall({ start, json }: { start: Fields; json: string }): ReadCall {
  return json === '' ? objectCall(start.id, start.name, start.input) : textCall(start.id, start.name, json)
}

function known(usage: Fields): Fields {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
}

function reading(said: string, calls: readonly ReadCall[], stop: unknown, spent: Fields): Reading {
  const iterations = Array.isArray(spent.iterations) && spent.iterations.length > 0 ? spent.iterations : [spent]
  const total = (key: string): number => iterations.reduce((sum: number, item) => sum + count(fields(item)[key]), 0)
  const usage: ReadUsage = {
    input: total('input_tokens') + total('cache_read_input_tokens') + total('cache_creation_input_tokens'),
    output: total('output_tokens'),
    cacheRead: total('cache_read_input_tokens'),
    cacheWrite: total('cache_creation_input_tokens'),
    reasoning: count(fields(spent.output_tokens_details).thinking_tokens),
  }
  return { kind: 'answer', text: said, calls, finish: finishOf(text(stop), calls), usage }
}

function finishOf(stop: string, calls: readonly ReadCall[]): string {
  switch (stop) {
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return calls.length > 0 ? 'tool_calls' : 'stop'
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'content_filter'
    case 'pause_turn':
    case 'compaction':
      return 'pause'
    default:
      return 'error'
  }
}
