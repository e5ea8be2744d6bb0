// Streams written by hand, in which a call's arguments are whatever text is given: what no encoder of ours would write.
import type { Wire } from '../../src/conversation/messages.js'

/** How the answer ends: as one that calls, or as one that ran out of tokens. */
export type Ending = 'called' | 'length'

/** One streamed answer with one call of `search`, its arguments in these fragments. */
export function rawCallStream(wire: Wire, fragments: readonly string[], ending: Ending): Uint8Array {
  return new TextEncoder().encode(writers[wire](fragments, ending))
}

const writers: Readonly<Record<Wire, (fragments: readonly string[], ending: Ending) => string>> = {
  'openai-chat': (fragments, ending) => {
    const chunk = (delta: object, finish: string | null): string => {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices })}\n\n`
    }
    const open = { index: 0, id: 'call_1', type: 'function', function: { name: 'search', arguments: '' } }
    return [
      chunk({ role: 'assistant', content: null, tool_calls: [open] }, null),
      ...fragments.map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }, null)),
      chunk({}, ending === 'called' ? 'tool_calls' : 'length'),
      'data: [DONE]\n\n',
    ].join('')
  },
  'openai-responses': (fragments, ending) => {
    const text = fragments.join('')
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'search' }
    const place = { item_id: 'fc_1', output_index: 0 }
    const response = { id: 'resp_1', object: 'response', model: 'm-1', created_at: 1 }
    const whole = { ...item, arguments: text, status: ending === 'called' ? 'completed' : 'incomplete' }
    const last = ending === 'called' ? 'completed' : 'incomplete'
    const details = ending === 'called' ? null : { reason: 'max_output_tokens' }
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } },
      ...fragments.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, arguments: text },
      { type: 'response.output_item.done', output_index: 0, item: whole },
      {
        type: `response.${last}`,
        response: { ...response, status: last, incomplete_details: details, output: [whole] },
      },
    ]
      .map((event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`)
      .join('')
  },
  anthropic: (fragments, ending) => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      content: [],
      stop_reason: null,
      usage,
    }
    const block = { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} }
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      ...fragments.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: text },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: ending === 'called' ? 'tool_use' : 'max_tokens' }, usage },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('')
  },
  // The arguments stand inside the line: a cut text breaks the line itself. Line ends inside it would break it anyway.
  ollama: (fragments, ending) => {
    const call = `{"id":"call_1","function":{"name":"search","arguments":${oneLine(fragments)}}}`
    const reason = ending === 'called' ? 'stop' : 'length'
    return [
      `{"model":"m-1","message":{"role":"assistant","content":"","tool_calls":[${call}]},"done":false}\n`,
      `{"model":"m-1","message":{"role":"assistant","content":""},"done":true,"done_reason":"${reason}"}\n`,
    ].join('')
  },
  gemini: (fragments, ending) => {
    const part = `{"functionCall":{"id":"call_1","name":"search","args":${oneLine(fragments)}}}`
    const reason = ending === 'called' ? 'STOP' : 'MAX_TOKENS'
    return `data: {"candidates":[{"content":{"role":"model","parts":[${part}]},"finishReason":"${reason}","index":0}]}\r\n\r\n`
  },
}

function oneLine(fragments: readonly string[]): string {
  return fragments.join('').replaceAll(/[\r\n]/g, ' ')
}
