// Chat Completions, read by section 1 and 6 of the wire reference.
import { sseData } from './payloads.js'
import {
  count,
  type Fields,
  fields,
  finishWith,
  list,
  type ReadCall,
  type Reader,
  type Reading,
  type ReadUsage,
  text,
  textCall,
} from './reading.js'

export const openaiChat: Reader = { readBody, readStream }

function readBody(body: unknown): Reading {
  const answer = fields(body)
  if (answer.error !== undefined && answer.error !== null) return { kind: 'error' }
  const choice = list(answer.choices)[0] ?? {}
  const message = fields(choice.message)
  const calls = list(message.tool_calls).map(wholeCall)
  const legacy = fields(message.function_call)
  if (text(legacy.name) !== '') calls.push(textCall(undefined, legacy.name, legacy.arguments))
  return reading(contentText(message.content), text(message.refusal), calls, choice.finish_reason, usage(answer.usage))
}

function readStream(stream: string): Reading {
  let said = ''
  let refusal = ''
  let finish: unknown
  let spent: ReadUsage | undefined
  const open: { key: unknown; id: string; name: string; text: string }[] = []
  for (const data of sseData(stream)) {
    if (data === '[DONE]') break
    const chunk = fields(JSON.parse(data))
    if (chunk.error !== undefined && chunk.error !== null) return { kind: 'error' }
    const choice = list(chunk.choices).find((one) => count(one.index) === 0) ?? {}
    const delta = fields(choice.delta)
    said += contentText(delta.content)
    refusal += text(delta.refusal)
    for (const part of list(delta.tool_calls)) addFragment(open, part)
    const legacy = fields(delta.function_call)
    if (legacy.name !== undefined || legacy.arguments !== undefined)
      addFragment(open, { index: 'legacy', function: legacy })
    finish = choice.finish_reason ?? finish
    spent = usage(chunk.usage) ?? usage(choice.usage) ?? usage(fields(chunk.x_groq).usage) ?? spent
  }
  const calls = open.filter((call) => call.name !== '').map((call) => textCall(call.id, call.name, call.text))
  return reading(said, refusal, calls, finish, spent)
}

function addFragment(open: { key: unknown; id: string; name: string; text: string }[], part: Fields): void {
  const inner = fields(part.function ?? part.custom)
  const id = text(part.id)
  const key = part.index
  let call = open.find((one) => (key === undefined ? id !== '' && one.id === id : one.key === key))
  if (call === undefined) {
    call = { key, id, name: '', text: '' }
    open.push(call)
  }
  if (call.id === '') call.id = id
  if (call.name === '') call.name = text(inner.name)
  call.text += text(inner.arguments ?? inner.input)
}

function wholeCall(call: Fields): ReadCall {
  const inner = call.type === 'custom' ? fields(call.custom) : fields(call.function)
  return textCall(
    call.id,
    inner.name,
    call.type === 'custom' ? JSON.stringify({ input: inner.input }) : inner.arguments,
  )
}

/** Plain text, or the text of a list of blocks; a block of thinking is not text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .filter((block) => block.type === 'text')
    .map((block) => text(block.text))
    .join('')
}

function reading(
  said: string,
  refusal: string,
  calls: readonly ReadCall[],
  raw: unknown,
  spent: ReadUsage | undefined,
): Reading {
  const finish = refusal === '' ? finishWith(calls, finishOf(text(raw))) : 'content_filter'
  return { kind: 'answer', text: said + refusal, calls, finish, ...(spent === undefined ? {} : { usage: spent }) }
}

function finishOf(raw: string): string {
  switch (raw) {
    case 'stop':
    case 'tool_calls':
    case 'function_call':
    case 'eos': // Together's word for an answer that ended by itself.
    case '': // A whole answer that does not say why it ended.
      return 'stop'
    case 'length':
    case 'content_filter':
      return raw
    default:
      return 'error'
  }
}

function usage(value: unknown): ReadUsage | undefined {
  const given = fields(value)
  if (given.prompt_tokens === undefined && given.completion_tokens === undefined) return undefined
  const read = fields(given.prompt_tokens_details)
  const reasoning = count(fields(given.completion_tokens_details).reasoning_tokens)
  const [input, written] = [count(given.prompt_tokens), count(given.completion_tokens)]
  // xAI counts reasoning beside the answer: the total then holds all three.
  const apart = count(given.total_tokens) === input + written + reasoning
  return {
    input,
    output: apart ? written + reasoning : written,
    cacheRead: count(read.cached_tokens ?? given.prompt_cache_hit_tokens),
    cacheWrite: count(read.cache_write_tokens),
    reasoning,
  }
}
