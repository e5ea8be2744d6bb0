// Calls of OpenAI's custom tools, whose input is free text: they run like any call, and go back exactly as they came.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../src/conversation/fold.js'
import type { Message } from '../../src/conversation/messages.js'
import type { OpaqueTool } from '../../src/conversation/request.js'
import { bodyText } from '../../src/frames/body.js'
import type { JsonObject } from '../../src/json/types.js'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { codecs, profileOf } from '../../src/wire/index.js'

type CustomWire = 'openai-chat' | 'openai-responses'
const customWires = ['openai-chat', 'openai-responses'] as const
const user: Message = { role: 'user', content: [{ type: 'text', text: 'How many?' }] }

const declared: Readonly<Record<CustomWire, JsonObject>> = {
  'openai-chat': { type: 'custom', custom: { name: 'run_sql' } },
  'openai-responses': { type: 'custom', name: 'run_sql' },
}

function envOf(wire: CustomWire) {
  return { profile: profileOf(codecs[wire]), createdSeconds: 0, deltas: true }
}

function toolOf(wire: CustomWire): OpaqueTool {
  return { type: 'opaque', origin: { wire }, data: declared[wire] }
}

/** A body of the wire with one call. */
function answerWith(wire: CustomWire, input: string, finish = 'tool_calls'): JsonObject {
  if (wire === 'openai-chat') {
    const call = { id: 'call_1', type: 'custom', custom: { name: 'run_sql', input } }
    return { id: 'a', model: 'm', choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason: finish }] }
  }
  const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'run_sql', input }
  if (finish === 'tool_calls') {
    return { id: 'a', model: 'm', status: 'completed', output: [{ ...item, status: 'completed' }] }
  }
  const incomplete_details = { reason: 'max_output_tokens' }
  return { id: 'a', model: 'm', status: 'incomplete', incomplete_details, output: [{ ...item, status: 'incomplete' }] }
}

function read(wire: CustomWire, body: JsonObject, tools?: readonly OpaqueTool[]) {
  const codec = codecs[wire]
  const { exchange } = codec.request.encode(
    { model: 'm', messages: [user], ...(tools === undefined ? {} : { tools }) },
    { stream: false },
    envOf(wire),
  )
  return fold(codec.response.decode({ status: 200, headers: {}, body: JSON.stringify(body) }, exchange, envOf(wire)))
}

function sent(wire: CustomWire, messages: readonly Message[], tools: readonly OpaqueTool[]) {
  const { http, losses } = codecs[wire].request.encode({ model: 'm', messages, tools }, { stream: false }, envOf(wire))
  return { http, body: JSON.parse(bodyText(http.body)) as JsonObject, losses }
}

describe.each(customWires)('%s', (wire) => {
  test('a call runs, with the text as its argument, and the result is of its kind', async () => {
    const ran: unknown[] = []
    const runSql = tool({
      name: 'run_sql',
      description: 'Runs a query on the database',
      input: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      execute: (given) => {
        ran.push(given)
        return '42'
      },
    })
    const response = read(wire, answerWith(wire, 'select "größer"\n'), [toolOf(wire)])
    expect(response).toMatchObject({ brokenCalls: [], finishReason: 'tool_calls' })
    const results = await executeToolCalls(response.toolCalls, [runSql])
    expect(ran).toEqual([{ input: 'select "größer"\n' }])
    const { body, losses } = sent(wire, [user, response.message, { role: 'tool', results }], [toolOf(wire)])
    expect(losses).toEqual([])
    const history = (body.messages ?? body.input) as readonly JsonObject[]
    const expected =
      wire === 'openai-chat'
        ? [
            { tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'run_sql', input: 'select "größer"\n' } }] },
            { role: 'tool', tool_call_id: 'call_1', content: '42' },
          ]
        : [
            {
              type: 'custom_tool_call',
              id: 'ctc_1',
              call_id: 'call_1',
              input: 'select "größer"\n',
              status: 'completed',
            },
            { type: 'custom_tool_call_output', call_id: 'call_1', output: '42' },
          ]
    expect(history.slice(1)).toMatchObject(expected)
  })

  test('any input goes through a history unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (input) => {
        const { message, toolCalls } = read(wire, answerWith(wire, input))
        expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ input })
        const result = { callId: 'call_1', name: 'run_sql', content: [], isError: false }
        const { http, body, losses } = sent(wire, [user, message, { role: 'tool', results: [result] }], [toolOf(wire)])
        expect(losses).toEqual([])
        expect(JSON.stringify(body)).toContain(JSON.stringify(input))
        const { request } = codecs[wire].request.decode({ ...http, body: bodyText(http.body) }, envOf(wire))
        expect(request.messages[1]).toMatchObject({
          content: [{ type: 'tool_call', arguments: JSON.stringify({ input }) }],
        })
      }),
    )
  })

  test('a call that was cut is broken and keeps what came of its input', () => {
    const response = read(wire, answerWith(wire, 'select cou', 'length'))
    expect(response.toolCalls).toEqual([])
    expect(response.brokenCalls).toMatchObject([{ name: 'run_sql', arguments: 'select cou', reason: 'truncated' }])
  })

  test('input that looks like arguments is text, and is not taken for a repetition', () => {
    const fragment = (input: string, first: boolean): object => {
      const named = first ? { name: 'run_sql', input } : { input }
      return { index: 0, ...(first ? { id: 'call_1', type: 'custom' } : {}), custom: named }
    }
    if (wire !== 'openai-chat') return
    const chunks = [fragment('{}', true), fragment('{}', false)].map((call, index) => ({
      id: 'a',
      model: 'm',
      choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: index === 1 ? 'tool_calls' : null }],
    }))
    const text = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
    const decoder = codecs[wire].stream.decode({ wire, model: 'm', stream: true }, envOf(wire))
    const events = [...decoder.push(new TextEncoder().encode(text)), ...decoder.end()]
    expect(fold(events).toolCalls).toMatchObject([{ arguments: '{"input":"{}{}"}' }])
    expect(events.some((event) => event.type === 'tool_call_delta')).toBe(false)
  })
})

describe('custom calls that the provider makes and answers itself', () => {
  const wire = 'openai-responses'
  const hosted: OpaqueTool = { type: 'opaque', origin: { wire }, data: { type: 'x_search' } }
  const search = {
    type: 'custom_tool_call',
    id: 'ctc_1',
    call_id: 'xs_call_1',
    name: 'x_keyword_search',
    input: '{"query":"tides"}',
    status: 'completed',
  }
  const text = { type: 'output_text', text: 'Low tide at six.', annotations: [] }
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }
  const body = { id: 'a', model: 'm', status: 'completed', output: [search, message] }

  test.each([
    ['the request declares', { ...body }, [hosted]],
    ['the answer repeats', { ...body, tools: [{ type: 'x_search' }] }, undefined],
  ])('are blocks of the provider, by the tools that %s', (_, answer, tools) => {
    const response = read(wire, answer, tools)
    expect(response).toMatchObject({ text: 'Low tide at six.', toolCalls: [], brokenCalls: [], finishReason: 'stop' })
    expect(response.message.content[0]).toMatchObject({ type: 'opaque', data: search })
  })

  test('go back as they came, and are read from a request as what they are', () => {
    const response = read(wire, body, [hosted])
    const { http, body: written, losses } = sent(wire, [user, response.message, user], [hosted])
    expect(losses).toEqual([])
    expect((written.input as readonly JsonObject[])[1]).toEqual(search)
    const { request } = codecs[wire].request.decode({ ...http, body: bodyText(http.body) }, envOf(wire))
    expect(request.messages[1]).toMatchObject({ content: [{ type: 'opaque', data: search }, { type: 'text' }] })
  })

  test('differ from calls of tools that the client declares, in a namespace too', () => {
    const own = { ...search, call_id: 'call_2', name: 'note', input: 'six' }
    for (const data of [
      { type: 'custom', name: 'note' },
      { type: 'namespace', name: 'mine', tools: [{ type: 'custom', name: 'note' }] },
    ]) {
      const tools = [hosted, { type: 'opaque', origin: { wire }, data } as const]
      const response = read(wire, { ...body, output: [search, own] }, tools)
      expect(response.toolCalls).toMatchObject([{ id: 'call_2', name: 'note', arguments: '{"input":"six"}' }])
    }
  })
})
