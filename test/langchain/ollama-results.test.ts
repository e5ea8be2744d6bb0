// @langchain/ollama 1.3.0 sends the results of tools without the name of the tool and the id of the call. The proof, and the
// way round it: with `fromLangChain` each result says what it answers, and the chat model itself is left alone.
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import type { Message } from '../../src/index.js'
import { fromLangChain, fromLangChainMessages } from '../../src/langchain/index.js'
import { providerServer } from '../../src/testing/index.js'
import { chatOllama } from './chat-models.js'

const history = [
  new HumanMessage('Weather and time in Rome?'),
  new AIMessage({
    content: '',
    tool_calls: [
      { id: 'a', name: 'get_weather', args: { city: 'Rome' } },
      { id: 'b', name: 'get_time', args: { city: 'Rome' } },
    ],
  }),
  new ToolMessage({ content: '24', tool_call_id: 'a', name: 'get_weather' }),
  new ToolMessage({ content: '18:00', tool_call_id: 'b', name: 'get_time' }),
]

function resultsIn(body: string | undefined): readonly object[] {
  const { messages } = JSON.parse(body ?? '{}') as { messages: readonly { role: string }[] }
  return messages.filter((message) => message.role === 'tool')
}

test('the package alone names no result', async () => {
  await using server = await providerServer({})
  await chatOllama(server.url).invoke(history)
  expect(resultsIn(server.requests[0]?.raw.body)).toEqual([
    { role: 'tool', content: '24' },
    { role: 'tool', content: '18:00' },
  ])
})

test('driven by toolwire each result names its tool and its call', async () => {
  await using server = await providerServer({ strict: true })
  const chatModel = chatOllama(server.url)
  const { client } = chatModel
  const model = fromLangChain(chatModel)
  const { messages } = fromLangChainMessages(history)
  await model.complete({ messages })
  await model.stream({ messages })
  for (const { raw } of server.requests) {
    expect(resultsIn(raw.body)).toEqual([
      { role: 'tool', content: '24', tool_name: 'get_weather', tool_call_id: 'a' },
      { role: 'tool', content: '18:00', tool_name: 'get_time', tool_call_id: 'b' },
    ])
  }
  expect(chatModel.client).toBe(client)
  await chatModel.invoke(history)
  expect(resultsIn(server.requests[2]?.raw.body)[0]).toEqual({ role: 'tool', content: '24' })
})

test('results of several turns are named by the calls of their own turn', async () => {
  await using server = await providerServer({ strict: true })
  const call = (id: string, name: string) => ({ type: 'tool_call', id, name, arguments: '{}' }) as const
  const result = (callId: string, name: string) => ({ callId, name, content: [], isError: false })
  const messages: readonly Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { role: 'assistant', content: [call('1', 'f')] },
    { role: 'tool', results: [result('1', 'f')] },
    { role: 'assistant', content: [call('2', 'g'), call('3', 'f')] },
    { role: 'tool', results: [result('2', 'g'), result('3', 'f')] },
  ]
  await fromLangChain(chatOllama(server.url)).complete({ messages })
  expect(resultsIn(server.requests[0]?.raw.body)).toMatchObject([
    { tool_name: 'f', tool_call_id: '1' },
    { tool_name: 'g', tool_call_id: '2' },
    { tool_name: 'f', tool_call_id: '3' },
  ])
})
