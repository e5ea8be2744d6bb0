// Events as a stream of chunks (server half). Text, reasoning and calls may interleave here, so nothing waits but the close.
// The trap: what was sent cannot be taken back. The whole is put together as it was sent, read again, and every difference
// to what the events add up to is a loss.
import { assertNever, type CompletionEvent } from '../../conversation/events.js'
import { createFolder } from '../../conversation/fold.js'
import type { Opaque } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Env, Exchange, StreamEncoder } from '../codec.js'
import { noteOf } from '../extra.js'
import { writeCall, writeFragment } from './call-writer.js'
import { chunkHead, delta, open, type Writer, wholeCharacters } from './chunk-writer.js'
import { errorBody } from './error.js'
import { flagsOf } from './profiles.js'
import { writeReasoning } from './reasoning.js'
import { answerData, bodyFields, objectOf, otherChoices, reportBody, writeFinish } from './response-encode.js'
import { memberOf, wire } from './types.js'
import { usageObject } from './usage.js'

export function encode(exchange: Exchange, env: Env): StreamEncoder {
  const writer: Writer = {
    exchange,
    env,
    flags: flagsOf(env.profile),
    folder: createFolder(),
    calls: new Map(),
    losses: [],
    head: chunkHead('', exchange.model, env),
    opened: false,
    finished: false,
    done: false,
    text: '',
    reasoning: '',
    reasoningData: undefined,
    refusal: undefined,
    blocks: [],
    refusals: new Set(),
    held: new Map(),
  }
  return {
    losses: writer.losses,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    push: (event) => (writer.done ? '' : write(writer, event)),
    end: () => (writer.done ? '' : close(writer)),
  }
}

function write(writer: Writer, event: CompletionEvent): string {
  writer.folder.push(event)
  switch (event.type) {
    case 'text_delta':
      return text(writer, event.part, event.text)
    case 'reasoning_delta':
      return reasoning(writer, event.text)
    case 'tool_call_delta':
      return writeFragment(writer, event.part, event)
    case 'tool_call':
    case 'broken_call':
      return writeCall(writer, event.part, event.call)
    case 'start':
      writer.head = chunkHead(event.id, event.model, writer.env)
      return open(writer)
    case 'attach':
      return attach(writer, event)
    case 'opaque':
      if (event.value.origin.wire !== wire) return ''
      writer.blocks.push(event.value.data)
      return open(writer) + delta(writer, writeJson({ content: [event.value.data] }))
    case 'error':
      writer.done = true
      return `data: ${writeJson(errorBody(event.error))}\n\n`
    case 'finish':
      writer.finished = true
      return ''
    case 'usage':
    case 'loss':
    case 'unknown':
      return ''
    default:
      return assertNever(event)
  }
}

function text(writer: Writer, part: number, value: string): string {
  const first = open(writer)
  const refused = writer.refusals.has(part)
  const piece = wholeCharacters(writer, refused ? 'refusal' : 'content', value)
  if (piece === '') return first
  if (refused) writer.refusal = (writer.refusal ?? '') + piece
  else writer.text += piece
  return `${first}${delta(writer, `{"${refused ? 'refusal' : 'content'}":${JSON.stringify(piece)}}`)}`
}

function reasoning(writer: Writer, value: string): string {
  const first = open(writer)
  const piece = wholeCharacters(writer, 'reasoning', value)
  if (piece === '') return first
  writer.reasoning += piece
  const { fields, block } = writeReasoning(piece, answerData(undefined, writer.flags), writer.flags)
  return first + delta(writer, writeJson(block === undefined ? fields : { content: [block] }))
}

/** Halves of pairs whose other half never came. */
function flush(writer: Writer): string {
  let chunks = ''
  for (const key of [...writer.held.keys()]) {
    writer.held.delete(key)
    if (key === 'reasoning') chunks += reasoning(writer, '\ufffd')
    else if (key === 'content') {
      writer.text += '\ufffd'
      chunks += delta(writer, '{"content":"\ufffd"}')
    } else if (key === 'refusal') {
      writer.refusal = `${writer.refusal ?? ''}\ufffd`
      chunks += delta(writer, '{"refusal":"\ufffd"}')
    }
  }
  return chunks
}

/** What stands on a part: that a text is a refusal, and what of reasoning is not its text. */
function attach(writer: Writer, event: CompletionEvent & { readonly type: 'attach' }): string {
  if (event.of === 'text') {
    const note = noteOf(event.extra?.[wire], 'refusal')
    if (note !== undefined && note !== null) writer.refusals.add(event.part)
    return ''
  }
  const data = ownData(event.opaque)
  if (data === undefined) return ''
  const before = writer.reasoningData
  writer.reasoningData = data
  const { field: _, type: __, thinking: ___, details, ...rest } = data
  if (writer.flags.reasoningField === 'thinking') {
    const block = { type: 'thinking', thinking: [], ...rest }
    return writer.reasoning === '' || Object.keys(rest).length === 0
      ? ''
      : open(writer) + delta(writer, writeJson({ content: [block] }))
  }
  if (!Array.isArray(details) || details.length === 0 || before?.details !== undefined) return ''
  return open(writer) + delta(writer, writeJson({ reasoning_details: details }))
}

function ownData(opaque: Opaque | undefined): JsonObject | undefined {
  return opaque?.origin.wire === wire ? opaque.data : undefined
}

/** The finish, the usage when the client asked for it, and the marker; nothing when no finish came. */
function close(writer: Writer): string {
  writer.done = true
  const { response, error } = writer.folder.done()
  if (error !== undefined || !writer.finished) return ''
  const halves = flush(writer)
  const message = sentMessage(writer)
  const own = response.metadata[wire]
  const word = writeFinish(response, message)
  const asked = writer.exchange.client?.includeUsage !== false
  const usage =
    response.usage === undefined || !asked ? {} : { usage: usageObject(response.usage, memberOf(own, 'usage')) }
  const choice = objectOf(own, 'choice')
  const fields = bodyFields(own)
  const others = otherChoices(own)
  const first = { index: 0, message: { ...message, ...objectOf(own, 'message') }, finish_reason: word, ...choice }
  const { id, model } = response
  reportBody(
    response,
    { id, model, choices: [first, ...others], ...usage, ...fields },
    writer.exchange,
    writer.env,
    writer.losses,
  )
  const last = { index: 0, delta: objectOf(own, 'message'), logprobs: null, finish_reason: word, ...choice }
  return (
    open(writer) +
    halves +
    others.map((other) => chunk(writer, [otherDelta(other)], {})).join('') +
    chunk(writer, [last], fields) +
    ('usage' in usage ? chunk(writer, [], usage) : '') +
    'data: [DONE]\n\n'
  )
}

function chunk(writer: Writer, choices: readonly Json[], fields: JsonObject): string {
  const list = writeJson(choices)
  const rest = writeJson(fields)
  return `${writer.head}${list.slice(1)}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}\n\n`
}

function otherDelta(choice: JsonObject): JsonObject {
  const { message, ...rest } = choice
  const calls = isJsonObject(message) && Array.isArray(message.tool_calls) ? message.tool_calls : undefined
  const indexed = calls?.map((call: Json, index) => (isJsonObject(call) ? { index, ...call } : call))
  const delta = isJsonObject(message) ? { ...message, ...(indexed === undefined ? {} : { tool_calls: indexed }) } : {}
  return { logprobs: null, finish_reason: null, ...rest, delta }
}

/** The message as its deltas told it. */
function sentMessage(writer: Writer): JsonObject {
  const { text: content, refusal, blocks, reasoning: reasons, reasoningData, flags } = writer
  const { fields, block } = writeReasoning(reasons, answerData(reasoningData, flags), flags)
  const front = block === undefined ? [] : [block]
  const list = [...front, ...(content === '' ? [] : [{ type: 'text', text: content }]), ...blocks]
  const opened = [...writer.calls.values()]
  const calls = opened.map((call) => call.object).filter((object) => object !== undefined)
  const legacy = opened[0]?.legacy === true
  return {
    role: 'assistant',
    content: front.length + blocks.length === 0 ? content || null : list,
    refusal: refusal ?? null,
    ...fields,
    ...(calls[0] === undefined ? {} : legacy ? { function_call: calls[0].function ?? {} } : { tool_calls: calls }),
  }
}
