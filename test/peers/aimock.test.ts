// Our models hold a conversation with a provider server that others wrote, on all five wires, streamed and not.
import { LLMock } from '@copilotkit/aimock'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import { tool } from '../../src/tools/define.js'

/** Three turns with tools, then one more question. The server answers by what was said last. */
async function server(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  const call = (city: string) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) })
  mock.on({ toolResultContains: '24' }, { content: 'Rome is the warmest.' })
  mock.on({ toolResultContains: '7' }, { toolCalls: [call('Rome')] })
  mock.on({ userMessage: 'Thank you.' }, { content: 'You are welcome.' })
  mock.on({ userMessage: 'warmest' }, { content: 'Let me look.', toolCalls: [call('Zürich 👋'), call('Oslo')] })
  await mock.start()
  onTestFinished(() => mock.stop())
  return mock
}

const models: Readonly<Record<Wire, string>> = {
  'openai-chat': 'gpt-4o',
  'openai-responses': 'gpt-4o',
  anthropic: 'claude-sonnet-4-5',
  ollama: 'llama3',
  gemini: 'gemini-2.5-pro',
}

describe.each(wires)('%s', (wire) => {
  test.each([false, true])('a conversation of several turns with tools, streamed %s', async (stream) => {
    const mock = await server()
    const asked: string[] = []
    const weather = tool({
      name: 'get_weather',
      description: 'Current weather of a city',
      input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execute: ({ city }) => {
        asked.push(city)
        return { celsius: city === 'Rome' ? 24 : 7 }
      },
    })
    const model = compatible({ wire, model: models[wire], baseUrl: mock.url, apiKey: 'k', retries: 0 })
    const ask = stream ? run.stream : run
    const first = await ask({ model, tools: [weather], prompt: 'Where is it warmest?' })
    expect(first.stop).toEqual({ reason: 'answer' })
    expect(first.text).toBe('Rome is the warmest.')
    expect(asked).toEqual(['Zürich 👋', 'Oslo', 'Rome'])
    expect(first.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    const second = await ask({ model, tools: [weather], messages: first.messages, prompt: 'Thank you.' })
    expect(second.text).toBe('You are welcome.')
    expect(mock.getRequests().filter(({ path }) => !path.endsWith('/api/show'))).toHaveLength(4)
  })
})
