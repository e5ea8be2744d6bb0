// Every list and every long text that a provider can put into an answer, by its length.
import type { CompletionEvent } from '../../src/conversation/events.js'
import type { Wire } from '../../src/conversation/messages.js'

/** The events of an answer with as much of one thing as is asked for, between `start` and `finish`. */
export interface AnswerShape {
  readonly size: number
  readonly events: (length: number) => readonly CompletionEvent[]
  /** How the answer ends; by default as its content says. */
  readonly reason?: 'stop' | 'tool_calls' | 'length'
}

function times<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

const text = (part: number, value: string): CompletionEvent => ({ type: 'text_delta', part, text: value })
const fragment = (part: number, value: string): CompletionEvent => {
  return { type: 'tool_call_delta', part, id: `call_${part}`, name: 'read_file', text: value }
}
const call = (part: number, args: string, id = `call_${part}`): CompletionEvent => {
  return { type: 'tool_call', part, call: { type: 'tool_call', id, name: 'read_file', arguments: args } }
}
const args = '{"path":"a"}'

/** The text in fragments of 20 characters. */
const cut = (value: string): string[] => value.match(/[\s\S]{1,20}/g) ?? []
const words = (length: number): string => 'a word "b" '.repeat(length / 10)

export const answers: Readonly<Record<string, AnswerShape>> = {
  'text deltas': { size: 4_000, events: (n) => times(n, (i) => text(0, ` word${i}`)) },
  'a long text': { size: 250_000, events: (n) => [text(0, words(n))] },
  'reasoning deltas': {
    size: 4_000,
    events: (n) => [
      ...times(n, (i): CompletionEvent => ({ type: 'reasoning_delta', part: 0, text: ` word${i}` })),
      text(1, 'Done'),
    ],
  },
  'texts and reasoning in turn': {
    size: 1_500,
    events: (n) =>
      times(n, (i): readonly CompletionEvent[] => [
        { type: 'reasoning_delta', part: 2 * i, text: `Thought ${i}` },
        text(2 * i + 1, `Line ${i}`),
      ]).flat(),
  },
  calls: { size: 1_500, events: (n) => times(n, (i) => [fragment(i, args), call(i, args)]).flat() },
  'calls that end after the last one': {
    size: 1_500,
    events: (n) => [...times(n, (i) => fragment(i, args)), ...times(n, (i) => call(i, args))],
  },
  'calls in reverse': {
    size: 1_500,
    events: (n) => times(n, (i) => [fragment(n - i, args), call(n - i, args)]).flat(),
  },
  'calls with the same id': { size: 1_500, events: (n) => times(n, (i) => call(i, args, 'call_1')) },
  'texts and calls in turn': {
    size: 1_000,
    events: (n) => times(n, (i) => [text(2 * i, 'Reading.'), fragment(2 * i + 1, args), call(2 * i + 1, args)]).flat(),
  },
  'fragments of a call': {
    size: 60_000,
    events(n) {
      const whole = JSON.stringify({ text: words(n) })
      return [...cut(whole).map((piece) => fragment(0, piece)), call(0, whole)]
    },
  },
  'fragments of two calls in turn': {
    size: 40_000,
    events(n) {
      const whole = JSON.stringify({ text: words(n) })
      const pieces = cut(whole).flatMap((piece) => [fragment(0, piece), fragment(1, piece)])
      return [...pieces, call(0, whole), call(1, whole)]
    },
  },
  'a broken call': {
    size: 60_000,
    events(n) {
      const whole = `{"text":${words(n)}`
      const broken = { type: 'broken_call', id: 'call_0', name: 'read_file', arguments: whole } as const
      return [
        ...cut(whole).map((piece) => fragment(0, piece)),
        { type: 'broken_call', part: 0, call: { ...broken, reason: 'malformed' } },
      ]
    },
  },
  'broken calls': {
    size: 1_500,
    events: (n) =>
      times(n, (part): CompletionEvent => {
        const broken = { type: 'broken_call', id: `call_${part}`, name: 'read_file', arguments: '{"a"' } as const
        return { type: 'broken_call', part, call: { ...broken, reason: 'malformed' } }
      }),
  },
  'usage totals': {
    size: 3_000,
    events: (n) => [
      text(0, 'Done'),
      ...times(n, (i): CompletionEvent => ({ type: 'usage', usage: { input: 1, output: i } })),
    ],
  },
}

type Json = Record<string, unknown>
/** What only one wire has: lines of its stream, without the newlines. */
export interface RawAnswerShape {
  readonly wire: Wire
  readonly size: number
  readonly lines: (length: number) => readonly string[]
}

const event = (data: Json): string => `data: ${JSON.stringify(data)}\n`
const named = (data: Json & { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n`
const chunk = (delta: Json, rest: Json = {}, top: Json = {}): string =>
  event({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, ...rest }], ...top })
const chatEnd = [chunk({}, { finish_reason: 'stop' }), 'data: [DONE]\n']
const anthropicStart = named({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } },
})
const anthropicEnd = [
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
  named({ type: 'message_stop' }),
]
const block = (index: number, content: Json): string =>
  named({ type: 'content_block_start', index, content_block: content })
const delta = (index: number, content: Json): string => named({ type: 'content_block_delta', index, delta: content })
const line = (message: Json, rest: Json = {}): string =>
  JSON.stringify({
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', ...message },
    done: false,
    ...rest,
  })
const ollamaEnd = line({ content: '' }, { done: true, done_reason: 'stop' })
const candidate = (parts: readonly Json[], rest: Json = {}): string =>
  event({ candidates: [{ index: 0, content: { role: 'model', parts }, ...rest }], modelVersion: 'm' })
const itemEvent = (type: string, output_index: number, rest: Json): string =>
  named({ type: `response.${type}`, sequence_number: 0, output_index, ...rest })
const functionCall = (i: number, value: string): Json => {
  return {
    type: 'function_call',
    id: `fc_${i}`,
    call_id: `call_${i}`,
    name: 'read_file',
    arguments: value,
    status: 'completed',
  }
}
const textItem = (i: number, value: string, annotations: readonly Json[] = []): Json => {
  const content = [{ type: 'output_text', text: value, annotations }]
  return { type: 'message', id: `msg_${i}`, role: 'assistant', status: 'completed', content }
}
const geminiEnd = candidate([{ text: '.' }], { finishReason: 'STOP' })

const chat = (size: number, make: (n: number) => readonly string[]): RawAnswerShape => ({
  wire: 'openai-chat',
  size,
  lines: (n) => [chunk({ role: 'assistant', content: '' }), ...make(n), ...chatEnd],
})
const anthropic = (size: number, make: (n: number) => readonly string[]): RawAnswerShape => ({
  wire: 'anthropic',
  size,
  lines: (n) => [anthropicStart, ...make(n), ...anthropicEnd],
})
const responses = (
  size: number,
  make: (n: number) => { lines: readonly string[]; output: readonly Json[] },
): RawAnswerShape => ({
  wire: 'openai-responses',
  size,
  lines(n) {
    const { lines, output } = make(n)
    const response = { id: 'resp_1', object: 'response', model: 'm', status: 'in_progress', output: [] }
    const start = named({ type: 'response.created', sequence_number: 0, response })
    const completed = {
      ...response,
      status: 'completed',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
    return [start, ...lines, named({ type: 'response.completed', sequence_number: 0, response: completed })]
  },
})
const ollama = (size: number, make: (n: number) => readonly string[]): RawAnswerShape => ({
  wire: 'ollama',
  size,
  lines: (n) => [...make(n), ollamaEnd],
})
const gemini = (size: number, make: (n: number) => readonly string[]): RawAnswerShape => ({
  wire: 'gemini',
  size,
  lines: (n) => [...make(n), geminiEnd],
})

export const rawAnswers: Readonly<Record<string, RawAnswerShape>> = {
  'choices of a chunk': chat(4_000, (n) => [
    event({ id: 'c', model: 'm', choices: times(n, (i) => ({ index: i, delta: { content: 'a' } })) }),
  ]),
  'chunks of other choices': chat(2_000, (n) =>
    times(n, (i) => event({ id: 'c', model: 'm', choices: [{ index: i % 2, delta: { content: `word ${i}` } }] })),
  ),
  'calls of another choice': chat(1_000, (n) =>
    times(n, (i) => {
      const calls = [{ index: i, id: `call_${i}`, type: 'function', function: { name: 'read_file', arguments: args } }]
      return event({ id: 'c', model: 'm', choices: [{ index: 1, delta: { tool_calls: calls } }] })
    }),
  ),
  'log probabilities': chat(1_500, (n) =>
    times(n, (i) =>
      chunk({ content: 'a' }, { logprobs: { content: [{ token: 'a', logprob: -i, top_logprobs: [] }] } }),
    ),
  ),
  'citations in chunks': chat(2_000, (n) => times(n, (i) => chunk({ content: 'a', annotations: [{ url: `${i}` }] }))),
  'reasoning details': chat(1_500, (n) =>
    times(n, (i) => chunk({ reasoning_details: [{ type: 'reasoning.text', index: i, text: 'a' }] })),
  ),
  'different members of chunks': chat(2_000, (n) => times(n, (i) => chunk({ content: 'a', [`x_${i}`]: i }))),
  'different members of chunk bodies': chat(2_000, (n) =>
    times(n, (i) => chunk({ content: 'a' }, {}, { [`x_${i}`]: i })),
  ),
  'different figures of usage': chat(2_000, (n) =>
    times(n, (i) => chunk({ content: 'a' }, {}, { usage: { prompt_tokens: 1, [`x_${i}`]: i } })),
  ),
  'fragments that repeat the name': chat(1_000, (n) => [
    ...times(n, (i) => {
      const value = i === 0 ? '{"text":"' : 'a word } '
      const named = { name: 'read_file', arguments: value }
      return chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: named }] })
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }),
  ]),
  'fragments with changing ids': chat(1_000, (n) =>
    times(n, (i) => {
      const value = i === 0 ? '{"text":"' : 'a word } '
      const named = i === 0 ? { name: 'read_file' } : {}
      return chunk({ tool_calls: [{ index: 0, id: `call_${i}`, function: { ...named, arguments: value } }] })
    }),
  ),
  'text blocks of a delta': chat(4_000, (n) => [chunk({ content: times(n, () => ({ type: 'text', text: 'a' })) })]),
  'comments of a stream': chat(10_000, (n) => times(n, () => ': processing\n')),
  'blocks that stay open': anthropic(1_500, (n) => [
    ...times(n, (i) => block(i, { type: 'tool_use', id: `call_${i}`, name: 'read_file', input: {} })),
    ...times(n, (i) => delta(i, { type: 'input_json_delta', partial_json: args })),
    ...times(n, (index) => named({ type: 'content_block_stop', index })),
  ]),
  'blocks with the same index': anthropic(1_500, (n) =>
    times(n, (i) => block(0, { type: 'tool_use', id: `call_${i}`, name: 'read_file', input: {} })),
  ),
  'citations of a block': anthropic(1_500, (n) => [
    block(0, { type: 'text', text: '' }),
    delta(0, { type: 'text_delta', text: 'Done' }),
    ...times(n, (i) => delta(0, { type: 'citations_delta', citation: { type: 'char_location', cited_text: `${i}` } })),
  ]),
  'blocks of the provider': anthropic(1_500, (n) =>
    times(n, (i) => [
      block(i, { type: 'server_tool_use', id: `s_${i}`, name: 'web_search', input: {} }),
      named({ type: 'content_block_stop', index: i }),
    ]).flat(),
  ),
  'broken arguments in fragments': anthropic(3_000, (n) => [
    block(0, { type: 'tool_use', id: 'call_1', name: 'read_file', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"rawInvalidInput":"' }),
    ...times(n, () => delta(0, { type: 'input_json_delta', partial_json: 'a word' })),
    delta(0, { type: 'input_json_delta', partial_json: '"}' }),
  ]),
  'different members of message deltas': anthropic(2_000, (n) =>
    times(n, (i) => named({ type: 'message_delta', delta: { [`x_${i}`]: i }, usage: { output_tokens: i } })),
  ),
  'different figures of message deltas': anthropic(2_000, (n) =>
    times(n, (i) => named({ type: 'message_delta', delta: {}, usage: { output_tokens: i, [`x_${i}`]: i } })),
  ),
  'unknown events': anthropic(3_000, (n) => times(n, (i) => named({ type: 'news', index: i }))),
  'items that stay open': responses(500, (n) => ({
    lines: [
      ...times(n, (i) => itemEvent('output_item.added', i, { item: functionCall(i, '') })),
      ...times(n, (i) => itemEvent('function_call_arguments.delta', i, { item_id: `fc_${i}`, delta: args })),
      ...times(n, (i) => itemEvent('function_call_arguments.done', i, { item_id: `fc_${i}`, arguments: args })),
      ...times(n, (i) => itemEvent('output_item.done', i, { item: functionCall(i, args) })),
    ],
    output: times(n, (i) => functionCall(i, args)),
  })),
  'items without indexes': responses(700, (n) => ({
    lines: times(n, (i) => named({ type: 'response.output_item.done', item: functionCall(i, args) })),
    output: times(n, (i) => functionCall(i, args)),
  })),
  'items in the last event': responses(1_500, (n) => ({
    lines: [],
    output: times(n, (i) => textItem(i, `Line ${i}`)),
  })),
  'annotations of an item': responses(700, (n) => {
    const annotation = (i: number): Json => ({
      type: 'url_citation',
      url: `https://a.example/${i}`,
      title: '',
      start_index: 0,
      end_index: 1,
    })
    const place = { item_id: 'msg_0', content_index: 0 }
    return {
      lines: [
        itemEvent('output_item.added', 0, { item: { ...textItem(0, ''), content: [] } }),
        itemEvent('content_part.added', 0, { ...place, part: { type: 'output_text', text: '', annotations: [] } }),
        itemEvent('output_text.delta', 0, { ...place, delta: 'Done' }),
        ...times(n, (i) =>
          itemEvent('output_text.annotation.added', 0, { ...place, annotation_index: i, annotation: annotation(i) }),
        ),
        itemEvent('output_item.done', 0, { item: textItem(0, 'Done', times(n, annotation)) }),
      ],
      output: [textItem(0, 'Done', times(n, annotation))],
    }
  }),
  'summaries of reasoning': responses(700, (n) => {
    const place = (i: number): Json => ({ item_id: 'rs_0', summary_index: i })
    const part = (i: number): Json => ({ type: 'summary_text', text: `Thought ${i}` })
    const item = { type: 'reasoning', id: 'rs_0', summary: times(n, part) }
    return {
      lines: [
        itemEvent('output_item.added', 0, { item: { ...item, summary: [] } }),
        ...times(n, (i) => [
          itemEvent('reasoning_summary_part.added', 0, { ...place(i), part: { ...part(i), text: '' } }),
          itemEvent('reasoning_summary_text.delta', 0, { ...place(i), delta: `Thought ${i}` }),
        ]).flat(),
        itemEvent('output_item.done', 0, { item }),
      ],
      output: [item, textItem(1, 'Done')],
    }
  }),
  'calls on a line': ollama(2_000, (n) => [
    line({
      content: '',
      tool_calls: times(n, (i) => ({ function: { name: 'read_file', arguments: { path: `${i}` } } })),
    }),
  ]),
  'lines with a call': ollama(1_000, (n) =>
    times(n, (i) =>
      line({ content: '', tool_calls: [{ function: { name: 'read_file', arguments: { path: `${i}` } } }] }),
    ),
  ),
  'log probabilities of lines': ollama(1_500, (n) =>
    times(n, (i) => line({ content: 'a' }, { logprobs: [{ token: 'a', logprob: -i }] })),
  ),
  'different members of lines': ollama(2_000, (n) => times(n, (i) => line({ content: 'a' }, { [`x_${i}`]: i }))),
  'candidates of a chunk': gemini(4_000, (n) => [
    event({ candidates: times(n, (index) => ({ index, content: { role: 'model', parts: [{ text: 'a' }] } })) }),
  ]),
  'parts of a chunk': gemini(5_000, (n) => [candidate(times(n, (i) => ({ text: `word ${i}` })))]),
  'calls of a chunk': gemini(2_000, (n) => [
    candidate(times(n, (i) => ({ functionCall: { name: 'read_file', args: { path: `${i}` } } }))),
  ]),
  'signatures of parts': gemini(2_000, (n) => [
    candidate(times(n, (i) => ({ text: `word ${i}`, thoughtSignature: 'c2ln' }))),
  ]),
  'chunks with signatures': gemini(1_500, (n) =>
    times(n, (i) => candidate([{ text: `word ${i}`, thoughtSignature: 'c2ln' }])),
  ),
  'chunks with thoughts and texts': gemini(1_500, (n) =>
    times(n, (i) => candidate([i % 2 === 0 ? { text: 'a', thought: true } : { text: 'b' }])),
  ),
  'partial arguments': gemini(1_500, (n) => [
    candidate([{ functionCall: { name: 'read_file', id: 'call_1', willContinue: true } }]),
    ...times(n, () =>
      candidate([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.path', stringValue: 'a word', willContinue: true }],
            willContinue: true,
          },
        },
      ]),
    ),
    candidate([{ functionCall: {} }]),
  ]),
  'partial arguments of many members': gemini(1_000, (n) => [
    candidate([{ functionCall: { name: 'read_file', id: 'call_1', willContinue: true } }]),
    ...times(n, (i) =>
      candidate([
        { functionCall: { partialArgs: [{ jsonPath: `$.path_${i}`, stringValue: 'a' }], willContinue: true } },
      ]),
    ),
    candidate([{ functionCall: {} }]),
  ]),
  'different members of candidates': gemini(2_000, (n) =>
    times(n, (i) => candidate([{ text: 'a' }], { [`x_${i}`]: i })),
  ),
  'grounding in chunks': gemini(1_500, (n) =>
    times(n, (i) => candidate([{ text: 'a' }], { groundingMetadata: { groundingChunks: [{ web: { uri: `${i}` } }] } })),
  ),
}
