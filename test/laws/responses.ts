// Any answer that keeps the promises of the types (ids are unique, broken calls are broken, a cut is at the end), and the many
// orders in which its events may arrive.
import fc from 'fast-check'
import type { CompletionEvent } from '../../src/conversation/events.js'
import { createFolder } from '../../src/conversation/fold.js'
import type { AssistantMessage, AssistantPart, Origin } from '../../src/conversation/messages.js'
import { isCall } from '../../src/conversation/messages.js'
import type { CompletionResponse, FinishReason, Metadata } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { mergeUsage, type Usage } from '../../src/conversation/usage.js'
import { readArguments } from '../../src/wire/arguments.js'
import { type ConversationOptions, conversationArbitraries } from '../arbitraries/conversation.js'
import { realisticMessage } from './realistic.js'

export interface ResponseOptions extends ConversationOptions {
  /** Unmodelled fields of the answer itself. Default: yes. */
  readonly metadata?: boolean
}

const tokens = fc.option(fc.nat({ max: 9999 }), { nil: undefined, freq: 4 })
const usage: fc.Arbitrary<Usage> = fc
  .record({
    input: fc.nat({ max: 9999 }),
    cacheRead: tokens,
    cacheWrite: tokens,
    output: fc.nat({ max: 999 }),
    reasoning: tokens,
  })
  .map((buckets) => mergeUsage(undefined, JSON.parse(JSON.stringify(buckets)) as Usage))

const plainReasons: readonly FinishReason[] = ['stop', 'stop', 'length', 'content_filter', 'pause', 'error']
const callReasons: readonly FinishReason[] = ['tool_calls', 'tool_calls', 'length', 'content_filter']

export function responses(options: ResponseOptions = {}): fc.Arbitrary<CompletionResponse> {
  const { assistant, extra } = conversationArbitraries({ toolNames: ['search', 'get_weather', 'a-b'], ...options })
  return fc
    .record({
      id: fc.constantFrom('resp_01', 'msg_01', 'chatcmpl-001'),
      model: fc.constantFrom('m-1', 'm-1-20261115'),
      message: assistant.map((message) => promised(realisticMessage(message) as AssistantMessage)),
      plain: fc.constantFrom(...plainReasons),
      called: fc.constantFrom(...callReasons),
      usage: fc.option(usage, { nil: undefined, freq: 5 }),
      metadata: options.metadata === false ? fc.constant({}) : fc.option(extra, { nil: {}, freq: 4 }),
    })
    .map(({ id, model, message, plain, called, usage: spent, metadata }) => {
      const reason = message.content.some(isCall) ? called : plain
      const facts = { id, model, metadata, ...(spent === undefined ? {} : { usage: spent }) }
      return responseOf(cutAtEnd(message, reason), reason, facts)
    })
}

/** The response whose derived fields agree with its message. */
export function responseOf(
  message: AssistantMessage,
  finishReason: FinishReason,
  facts: { readonly id?: string; readonly model?: string; readonly metadata?: Metadata; readonly usage?: Usage } = {},
): CompletionResponse {
  const { id = 'resp_01', model = 'm-1', metadata = {} } = facts
  const bare = { text: '', toolCalls: [], brokenCalls: [], losses: [], requiresToolExecution: false }
  const spent = facts.usage === undefined ? {} : { usage: facts.usage }
  const folder = createFolder()
  for (const event of unfold({ ...bare, id, model, message, finishReason, metadata, ...spent })) folder.push(event)
  return folder.done().response
}

/** Ids are there and unique, a broken call cannot be read as a whole one. */
function promised(message: AssistantMessage): AssistantMessage {
  const origin: Origin = { wire: message.origin?.wire ?? 'ollama' }
  const content = message.content.map((part, index): AssistantPart => {
    if (!isCall(part)) return part
    const id = `call_${index}`
    if (part.type === 'tool_call') return { ...part, id }
    const whole = part.name !== '' && (part.arguments.trim() === '' || readArguments(part.arguments) === 'object')
    return whole ? { ...part, id, arguments: `${part.arguments}{"cut` } : { ...part, id }
  })
  return { ...message, content, origin }
}

/** An answer that ran out of tokens was cut inside its last part: if that is a call, it is broken. */
function cutAtEnd(message: AssistantMessage, reason: FinishReason): AssistantMessage {
  const last = message.content.at(-1)
  if (reason !== 'length' || last?.type !== 'tool_call') return message
  const broken: AssistantPart = {
    ...last,
    type: 'broken_call',
    reason: 'truncated',
    arguments: last.arguments.slice(0, -1),
  }
  return { ...message, content: [...message.content.slice(0, -1), broken] }
}

/** The events of a response in any order that keeps each part's own order; calls with or without deltas, text in pieces. */
export function eventOrders(response: CompletionResponse): fc.Arbitrary<readonly CompletionEvent[]> {
  return fc
    .record({
      order: fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 20 }),
      size: fc.integer({ min: 1, max: 7 }),
      deltas: fc.boolean(),
    })
    .map(({ order, size, deltas }) => {
      const events = unfold(response, (text) => pieces(text, size))
      const queues = new Map<number, CompletionEvent[]>()
      const rest: CompletionEvent[] = []
      for (const event of events) {
        if (!('part' in event)) {
          rest.push(event)
          continue
        }
        const queue = queues.get(event.part) ?? []
        queues.set(event.part, queue)
        if (deltas && (event.type === 'tool_call' || event.type === 'broken_call'))
          queue.push(...callDeltas(event, size))
        queue.push(event)
      }
      const [start, ...others] = rest
      return [...(start === undefined ? [] : [start]), ...interleaved([...queues.values()], order), ...others]
    })
}

function callDeltas(
  { part, call }: Extract<CompletionEvent, { readonly type: 'tool_call' | 'broken_call' }>,
  size: number,
): readonly CompletionEvent[] {
  const { id, name } = call
  return ['', ...pieces(call.arguments, size)].map((text) => ({ type: 'tool_call_delta', part, id, name, text }))
}

function interleaved(queues: readonly CompletionEvent[][], order: readonly number[]): readonly CompletionEvent[] {
  const events: CompletionEvent[] = []
  let open = queues.filter((queue) => queue.length > 0)
  while (open.length > 0) {
    const event = open[(order[events.length % order.length] ?? 0) % open.length]?.shift()
    if (event !== undefined) events.push(event)
    open = open.filter((queue) => queue.length > 0)
  }
  return events
}

/** The text in pieces of whole characters. */
export function pieces(text: string, size: number): readonly string[] {
  const characters = [...text]
  const list: string[] = []
  for (let index = 0; index < characters.length; index += size)
    list.push(characters.slice(index, index + size).join(''))
  return list
}
