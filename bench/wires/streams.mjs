// Streams as each provider sends them, made here: the envelope sizes are those of real traffic.

const words = Array.from({ length: 2000 }, (_, index) => ` word${index % 97}`)

/** JSON of about `bytes` characters, as arguments of a write_file call. */
function argumentsOf(bytes) {
  const lines = []
  for (let size = 0; size < bytes; size += 64)
    lines.push(`line ${lines.length}: the "quick" brown fox jumps over it.\n`.padEnd(62, '.'))
  return JSON.stringify({ path: 'src/a.ts', content: lines.join('') })
}

function fragments(text, count) {
  const size = Math.ceil(text.length / count)
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}

const sse = (data, event) => `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

const chat = {
  chunk: (delta, finish = null) =>
    sse({
      id: 'chatcmpl-0123456789abcdef',
      object: 'chat.completion.chunk',
      created: 1794700000,
      model: 'gpt-6-sol-2026-08-01',
      service_tier: 'default',
      system_fingerprint: 'fp_0123456789',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
      obfuscation: 'x1Yz',
    }),
  end: (finish) =>
    `${chat.chunk({}, finish)}${sse({ id: 'chatcmpl-0123456789abcdef', object: 'chat.completion.chunk', created: 1794700000, model: 'gpt-6-sol', choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } })}data: [DONE]\n\n`,
  text: () =>
    `${chat.chunk({ role: 'assistant', content: '', refusal: null })}${words.map((content) => chat.chunk({ content })).join('')}${chat.end('stop')}`,
  call: (text) => {
    const head = { index: 0, id: 'call_1', type: 'function', function: { name: 'write_file', arguments: '' } }
    const parts = fragments(text, 4000).map((part) =>
      chat.chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
    )
    return `${chat.chunk({ role: 'assistant', content: null, tool_calls: [head] })}${parts.join('')}${chat.end('tool_calls')}`
  },
}

const anthropic = {
  event: (type, rest) => sse({ type, ...rest }, type),
  around: (block, deltas, reason) => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }
    const message = {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    }
    return [
      anthropic.event('message_start', { message }),
      anthropic.event('content_block_start', { index: 0, content_block: block }),
      ...deltas.map((delta) => anthropic.event('content_block_delta', { index: 0, delta })),
      anthropic.event('content_block_stop', { index: 0 }),
      anthropic.event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 20 },
      }),
      anthropic.event('message_stop', {}),
    ].join('')
  },
  text: () =>
    anthropic.around(
      { type: 'text', text: '' },
      words.map((text) => ({ type: 'text_delta', text })),
      'end_turn',
    ),
  call: (text) =>
    anthropic.around(
      { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} },
      fragments(text, 4000).map((part) => ({ type: 'input_json_delta', partial_json: part })),
      'tool_use',
    ),
}

const responses = {
  events: (list) => list.map((event, index) => sse({ ...event, sequence_number: index }, event.type)).join(''),
  around: (added, deltas, done) => {
    const response = {
      id: 'resp_01',
      object: 'response',
      created_at: 1794700000,
      status: 'in_progress',
      model: 'gpt-6-sol',
      output: [],
      usage: null,
    }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 30,
    }
    return responses.events([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      ...added,
      ...deltas,
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [done], usage } },
    ])
  },
  text: () => {
    const item = (status, content) => ({ id: 'msg_01', type: 'message', role: 'assistant', status, content })
    const part = (text) => ({ type: 'output_text', text, annotations: [] })
    const place = { item_id: 'msg_01', output_index: 0, content_index: 0 }
    const added = [
      { type: 'response.output_item.added', output_index: 0, item: item('in_progress', []) },
      { type: 'response.content_part.added', ...place, part: part('') },
    ]
    const deltas = words.map((delta) => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
      obfuscation: 'x1Yz',
    }))
    return responses.around(added, deltas, item('completed', [part(words.join(''))]))
  },
  call: (text) => {
    const item = (status, args) => ({
      id: 'fc_01',
      type: 'function_call',
      call_id: 'call_1',
      name: 'write_file',
      arguments: args,
      status,
    })
    const added = [{ type: 'response.output_item.added', output_index: 0, item: item('in_progress', '') }]
    const place = { item_id: 'fc_01', output_index: 0 }
    const deltas = fragments(text, 4000).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...place,
      delta,
      obfuscation: 'x1Yz',
    }))
    return responses.around(
      added,
      [...deltas, { type: 'response.function_call_arguments.done', ...place, arguments: text }],
      item('completed', text),
    )
  },
}

const ollama = {
  line: (message, rest = { done: false }) =>
    `${JSON.stringify({ model: 'qwen3', created_at: '2026-11-15T10:00:00.123456789Z', message: { role: 'assistant', content: '', ...message }, ...rest })}\n`,
  end: () =>
    ollama.line(
      {},
      {
        done: true,
        done_reason: 'stop',
        total_duration: 1,
        load_duration: 1,
        prompt_eval_count: 10,
        prompt_eval_duration: 1,
        eval_count: 20,
        eval_duration: 1,
      },
    ),
  text: () => `${words.map((content) => ollama.line({ content })).join('')}${ollama.end()}`,
  call: (text) =>
    `${ollama.line({ tool_calls: [{ id: 'call_1', function: { index: 0, name: 'write_file', arguments: JSON.parse(text) } }] })}${ollama.end()}`,
}

const gemini = {
  chunk: (parts, rest = {}) =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 }, modelVersion: 'gemini-4-flash', responseId: 'r-0123456789' })}\r\n\r\n`,
  text: () =>
    `${words.map((text) => gemini.chunk([{ text }])).join('')}${gemini.chunk([{ text: '' }], { finishReason: 'STOP' })}`,
  /** In the pieces that Vertex sends when it is asked to stream arguments. */
  call: (text) => {
    const { path, content } = JSON.parse(text)
    const piece = (call) => gemini.chunk([{ functionCall: call }])
    const value = (jsonPath, stringValue, more) => ({
      partialArgs: [{ jsonPath, stringValue, ...more }],
      willContinue: true,
    })
    const goesOn = { willContinue: true }
    return [
      piece({ id: 'fc-1', name: 'write_file', ...goesOn }),
      piece(value('$.path', path)),
      ...fragments(content, 4000).map((part) => piece(value('$.content', part, goesOn))),
      piece(value('$.content', '')),
      piece({}),
      gemini.chunk([{ text: '' }], { finishReason: 'STOP' }),
    ].join('')
  },
}

const makers = { 'openai-chat': chat, 'openai-responses': responses, anthropic, ollama, gemini }

/** The bytes of one stream: 2,000 text deltas, or one call with arguments of 200 or 400 kB. */
export function streamOf(wire, kind) {
  const maker = makers[wire]
  const text = kind === 'text' ? maker.text() : maker.call(argumentsOf(kind === 'args400' ? 400_000 : 200_000))
  return new TextEncoder().encode(text)
}
