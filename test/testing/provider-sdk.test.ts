// The official SDKs hold a tool conversation of several turns with the strict provider server, streamed and not.
import { expect, test } from 'vitest'
import { type ProviderScript, providerServer } from '../../src/testing/index.js'
import { anthropic } from './sdk/anthropic.js'
import type { Opening } from './sdk/conversation.js'
import { gemini } from './sdk/gemini.js'
import { ollama } from './sdk/ollama.js'
import { chat, responses } from './sdk/openai.js'

const script: ProviderScript = [
  {
    reasoning: 'Two cities, two calls.',
    text: 'Let me look.',
    calls: [
      { name: 'get_weather', args: { city: 'Zürich 👋' } },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ],
  },
  { reasoning: 'One more.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  { text: 'Rome is the warmest.' },
  { text: 'You are welcome.' },
]
const sdks: readonly (readonly [string, Opening])[] = [
  ['openai, Chat Completions', chat],
  ['openai, Responses', responses],
  ['@anthropic-ai/sdk', anthropic],
  ['@google/genai', gemini],
  ['ollama', ollama],
]
const ways = sdks.flatMap(([sdk, open]) => [
  { sdk, open, stream: false },
  { sdk, open, stream: true },
])

test.each(ways)('$sdk, streamed $stream', async ({ open, stream }) => {
  await using server = await providerServer({ strict: true, script })
  const conversation = open(server.url, stream)
  const first = await conversation.ask({ text: 'Where is it warmest?' })
  expect(first.text).toBe('Let me look.')
  expect(first.calls.map(({ name, args }) => [name, args])).toEqual([
    ['get_weather', { city: 'Zürich 👋' }],
    ['get_weather', { city: 'Oslo' }],
  ])
  const second = await conversation.ask({ results: ['18', '7'] })
  expect(second.calls.map((call) => call.args)).toEqual([{ city: 'Rome' }])
  const third = await conversation.ask({ results: ['24'] })
  expect(third).toEqual({ calls: [], text: 'Rome is the warmest.' })
  expect(await conversation.ask({ text: 'Thank you.' })).toEqual({ calls: [], text: 'You are welcome.' })
  expect(server.requests.map(({ stream: streamed, refusal }) => [streamed, refusal])).toEqual(
    Array.from({ length: 4 }, () => [stream, undefined]),
  )
  const results = server.requests[3]?.request.messages.flatMap((message) =>
    message.role === 'tool' ? message.results : [],
  )
  expect(results?.map((result) => [result.name, result.content])).toEqual(
    ['18', '7', '24'].map((text) => ['get_weather', [{ type: 'text', text }]]),
  )
})
