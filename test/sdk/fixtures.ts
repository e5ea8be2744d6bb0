// What the SDKs judge: every answer and request of the matrix, and answers that only a stream makes interesting.
import type { CompletionEvent } from '../../src/conversation/events.js'
import { fold } from '../../src/conversation/fold.js'
import type { AssistantPart } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { splitText } from '../matrix/column.js'
import { type RequestConcern, type ResponseConcern, readConcerns } from '../matrix/format.js'
import { anthropic } from './anthropic.js'
import { gemini } from './gemini.js'
import type { Judge } from './judge.js'
import { ollama } from './ollama.js'
import { openaiChat } from './openai-chat.js'
import { openaiResponses } from './openai-responses.js'

export const judges: readonly Judge[] = [openaiChat, openaiResponses, anthropic, ollama, gemini]

const concerns = readConcerns(new URL('../matrix/', import.meta.url))
export const requestConcerns: readonly RequestConcern[] = concerns.filter((concern) => concern.kind === 'request')
export const responseConcerns: readonly ResponseConcern[] = concerns.filter((concern) => concern.kind === 'response')

function answer(content: readonly AssistantPart[]): CompletionResponse {
  const calls = content.some((part) => part.type === 'tool_call')
  return fold([
    { type: 'start', id: 'answer-2', model: 'example-1' },
    ...content.flatMap((part, index): CompletionEvent[] => {
      if (part.type === 'tool_call') return [{ type: 'tool_call', part: index, call: part }]
      return part.type === 'text' ? [{ type: 'text_delta', part: index, text: part.text }] : []
    }),
    { type: 'usage', usage: { input: 7, output: 5, total: 12 } },
    { type: 'finish', reason: calls ? 'tool_calls' : 'stop' },
  ])
}

function call(number: number, args: unknown): AssistantPart {
  return { type: 'tool_call', id: `call_${number}`, name: 'search', arguments: JSON.stringify(args) }
}

const own: readonly (readonly [string, CompletionResponse])[] = [
  ['text beyond ASCII', answer([{ type: 'text', text: 'Grüße, 東京 👋🏽, \u2028 line\n\ttab "quoted" \\ back' }])],
  ['a long text', answer([{ type: 'text', text: 'The quick brown fox. '.repeat(100) }])],
  ['eight calls', answer(Array.from({ length: 8 }, (_, index) => call(index, { query: `q${index}` })))],
  [
    'five kilobytes of arguments',
    answer([call(1, { rows: Array.from({ length: 200 }, (_, id) => ({ id, name: 'é' })) })]),
  ],
  ['nested arguments', answer([call(1, { a: { b: [{ c: null }, [1.5, -2, true]] }, empty: {}, none: [] })])],
  ['arguments that hold JSON', answer([call(1, { text: '{"a":"\\"b\\""}', lines: 'x\r\ny' })])],
  ['the same tool twice with the same arguments', answer([call(1, { query: 'x' }), call(2, { query: 'x' })])],
]

export const answers: readonly (readonly [string, CompletionResponse])[] = [
  ...responseConcerns.map((concern) => [concern.name, concern.canonical] as const),
  ...own,
]

/** A response as a model streams it: text a few characters at a time, calls whole. */
export function eventsOf(response: CompletionResponse): readonly CompletionEvent[] {
  return unfold(response, splitText)
}

/** The same, as a gateway sees it: fragments of all calls in turn, then the calls. */
export function interleavedEvents(response: CompletionResponse): readonly CompletionEvent[] {
  const whole = eventsOf(response)
  const first = whole.findIndex((event) => event.type === 'tool_call')
  if (first < 0) return whole
  const queues = whole.flatMap((event) =>
    event.type === 'tool_call'
      ? [splitText(event.call.arguments).map((text) => fragment(event.part, event.call, text))]
      : [],
  )
  const longest = Math.max(...queues.map((queue) => queue.length))
  const fragments = Array.from({ length: longest }, (_, index) => queues.flatMap((queue) => queue[index] ?? [])).flat()
  return [...whole.slice(0, first), ...fragments, ...whole.slice(first)]
}

function fragment(
  part: number,
  { id, name }: { readonly id: string; readonly name: string },
  text: string,
): CompletionEvent {
  return { type: 'tool_call_delta', part, id, name, text }
}
