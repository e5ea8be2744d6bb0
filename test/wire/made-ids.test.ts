// Ids of calls that came without one: the same when an answer is read again, and never twice in one conversation, also where
// the server names its answers not at all, or all alike.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'
import type { Transport } from '../../src/transport/transport.js'

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: params.object({}),
  execute: () => `found ${Math.random()}`,
})

interface Case {
  readonly wire: Wire
  readonly call: object
  readonly text: object
}
const made = '2026-11-19T00:00:00Z'
const chat = (message: object, finish_reason: string): object => ({
  id: 'chatcmpl-0',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
})
const cases: readonly Case[] = [
  {
    wire: 'openai-chat',
    call: chat(
      { content: null, tool_calls: [{ type: 'function', function: { name: 'look', arguments: '{}' } }] },
      'tool_calls',
    ),
    text: chat({ content: 'Done.' }, 'stop'),
  },
  {
    wire: 'openai-responses',
    call: {
      id: 'r',
      status: 'completed',
      model: 'm',
      output: [{ type: 'function_call', name: 'look', arguments: '{}', status: 'completed' }],
    },
    text: {
      id: 'r',
      status: 'completed',
      model: 'm',
      output: [
        { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Done.' }] },
      ],
    },
  },
  {
    wire: 'anthropic',
    call: {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'tool_use', name: 'look', input: {} }],
      stop_reason: 'tool_use',
    },
    text: {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Done.' }],
      stop_reason: 'end_turn',
    },
  },
  {
    wire: 'ollama',
    call: {
      model: 'm',
      created_at: made,
      done: true,
      done_reason: 'stop',
      message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: {} } }] },
    },
    text: {
      model: 'm',
      created_at: made,
      done: true,
      done_reason: 'stop',
      message: { role: 'assistant', content: 'Done.' },
    },
  },
  {
    wire: 'gemini',
    call: {
      candidates: [
        { content: { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] }, finishReason: 'STOP' },
      ],
    },
    text: { candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP' }] },
  },
]

function scripted(bodies: readonly object[]): Transport {
  let index = 0
  return async ({ url }) => {
    const isAsked = url.endsWith('/api/show') // what Ollama says of a model, before the first call
    const body = isAsked ? {} : (bodies[index] ?? {})
    if (!isAsked) index += 1
    const piece = new TextEncoder().encode(JSON.stringify(body))
    return { status: 200, headers: { 'content-type': 'application/json' }, body: once(piece) }
  }
}

async function* once(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}

async function idsOf(
  wire: Wire,
  bodies: readonly object[],
  options: { readonly textCalls?: 'recover' } = {},
): Promise<readonly string[]> {
  const model = compatible({
    wire,
    model: 'm',
    baseUrl: 'http://x.invalid',
    apiKey: 'k',
    transport: scripted(bodies),
    ...options,
  })
  const result = await run({ model, tools: [look], prompt: 'Look.' })
  expect(result.stop).toEqual({ reason: 'answer' })
  return result.messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ callId }) => callId) : [],
  )
}

describe.each(cases)('on $wire', ({ wire, call, text }) => {
  test('the same call in later turns has ids of its own, and a replay has the same ones', async () => {
    const bodies = [call, call, call, text]
    const ids = await idsOf(wire, bodies)
    expect(ids.length).toBe(3)
    expect(new Set(ids).size).toBe(3)
    expect(await idsOf(wire, bodies)).toEqual(ids)
  })
})

test('calls that were recovered from text have ids of their own in each turn', async () => {
  const written = { role: 'assistant', content: '<tool_call>{"name":"look","arguments":{}}</tool_call>' }
  const call = { model: 'm', created_at: made, done: true, done_reason: 'stop', message: written }
  const bodies = [call, call, cases[3]?.text ?? {}]
  const ids = await idsOf('ollama', bodies, { textCalls: 'recover' })
  expect(ids.length).toBe(2)
  expect(new Set(ids).size).toBe(2)
  expect(await idsOf('ollama', bodies, { textCalls: 'recover' })).toEqual(ids)
})
