// LangChain's own agents on toolwire models: createAgent and LangGraph's tool node, on all five wires, streamed and not.
import { type AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { createAgent, providerStrategy } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, wires } from '../../src/index.js'
import { toLangChain, toLangChainTool } from '../../src/langchain/index.js'
import { providerServer } from '../../src/testing/index.js'
import { conversation, langChainWeather, models } from './providers.js'

const ways = wires.flatMap((wire) => [
  { wire, stream: false },
  { wire, stream: true },
])

test.each(ways)(
  'createAgent on $wire, streamed $stream: several turns with parallel calls',
  async ({ wire, stream }) => {
    await using server = await providerServer({ strict: true, script: conversation })
    const agent = createAgent({
      model: toLangChain(models[wire](server.url)),
      tools: [langChainWeather],
      systemPrompt: 'Be brief.',
    })
    const input = { messages: [new HumanMessage('Where is it warmest?')] }
    const tokens: string[] = []
    let messages: readonly unknown[] = []
    if (stream) {
      for await (const [mode, chunk] of await agent.stream(input, { streamMode: ['messages', 'values'] })) {
        if (mode === 'values') messages = chunk.messages
        else if (AIMessageChunk.isInstance(chunk[0])) tokens.push(chunk[0].text)
      }
      expect(tokens.filter((token) => token !== '').length).toBeGreaterThan(3)
      expect(tokens.join('')).toBe('Let me look.Rome is the warmest.')
    } else {
      messages = (await agent.invoke(input)).messages
    }
    expect(messages.map((message) => (message as AIMessage).type)).toEqual([
      'human',
      'ai',
      'tool',
      'tool',
      'ai',
      'tool',
      'ai',
    ])
    expect(new Set(messages.map((message) => (message as AIMessage).id)).size).toBe(7)
    const calling = messages[1] as AIMessage
    expect(calling.text).toBe('Let me look.')
    expect(calling.tool_calls?.map(({ name, args, id }) => [name, args, typeof id])).toEqual([
      ['get_weather', { city: 'Zürich' }, 'string'],
      ['get_weather', { city: 'Oslo' }, 'string'],
    ])
    const results = messages.filter((message) => ToolMessage.isInstance(message))
    expect(results.map((message) => message.content)).toEqual(['Zürich: 18', 'Oslo: 7', 'Rome: 24'])
    expect(results.slice(0, 2).map((message) => message.tool_call_id)).toEqual(
      calling.tool_calls?.map((call) => call.id),
    )
    expect((messages.at(-1) as AIMessage).text).toBe('Rome is the warmest.')
    expect(server.requests.map(({ stream: streamed, refusal }) => [streamed, refusal])).toEqual(
      Array.from({ length: 3 }, () => [stream, undefined]),
    )
    const told = server.requests[2]?.request.messages.flatMap((message) =>
      message.role === 'tool' ? message.results : [],
    )
    expect(told?.map((result) => result.content)).toEqual(
      ['Zürich: 18', 'Oslo: 7', 'Rome: 24'].map((text) => [{ type: 'text', text }]),
    )
  },
)

test("LangGraph's tool node runs the calls of a toolwire model with toolwire tools", async () => {
  const weather = tool({
    name: 'get_weather',
    description: 'Current weather for a city',
    input: z.object({ city: z.string() }),
    execute: ({ city }) => {
      if (city === 'Oslo') throw new Error('no station in Oslo')
      return { city, celsius: 18 }
    },
  })
  await using server = await providerServer({ strict: true, script: conversation })
  const tools = [toLangChainTool(weather)]
  const model = toLangChain(models.anthropic(server.url)).bindTools(tools)
  const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec }))
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile()
  const { messages } = await graph.invoke({ messages: [new HumanMessage('Where is it warmest?')] })
  const results = messages.filter((message) => ToolMessage.isInstance(message))
  expect(results.map(({ content, status }) => [content, status])).toEqual([
    ['{"city":"Zürich","celsius":18}', 'success'],
    ['Error: no station in Oslo', 'error'],
    ['{"city":"Rome","celsius":18}', 'success'],
  ])
  expect(messages.at(-1)?.text).toBe('Rome is the warmest.')
  const told = server.requests[1]?.request.messages.at(-1)
  expect(told).toMatchObject({ role: 'tool', results: [{ isError: false }, { isError: true }] })
})

test('createAgent answers in a schema, by the provider and by a tool', async () => {
  const responseFormat = z.object({ celsius: z.number() })
  await using native = await providerServer({ script: ['{"celsius":18}'] })
  const model = toLangChain(models['openai-chat'](native.url))
  const first = await createAgent({
    model,
    tools: [langChainWeather],
    responseFormat: providerStrategy(responseFormat),
  }).invoke({
    messages: [new HumanMessage('How warm?')],
  })
  expect(first.structuredResponse).toEqual({ celsius: 18 })
  expect(native.requests[0]?.request.output).toMatchObject({
    schema: { properties: { celsius: { type: 'number' } } },
  })
  await using called = await providerServer({
    script: (request) => ({
      calls: [
        { name: request.tools?.at(-1)?.type === undefined ? nameOf(request.tools?.at(-1)) : '', args: { celsius: 7 } },
      ],
    }),
  })
  const second = await createAgent({
    model: toLangChain(models.ollama(called.url)),
    tools: [langChainWeather],
    responseFormat,
  }).invoke({
    messages: [new HumanMessage('How warm?')],
  })
  expect(second.structuredResponse).toEqual({ celsius: 7 })
})

function nameOf(spec: unknown): string {
  return (spec as { readonly name: string }).name
}

test('a call that was cut is never run by an agent', async () => {
  const calls = [{ name: 'get_weather', arguments: '{"city":"Ro', reason: 'truncated' as const }]
  for (const stream of [false, true]) {
    await using server = await providerServer({
      misbehave: {},
      script: [{ text: 'Let me look.', brokenCalls: calls, finishReason: 'length' }],
    })
    let ran = 0
    const weather = tool({
      name: 'get_weather',
      description: 'Current weather for a city',
      input: z.object({ city: z.string() }),
      execute: () => {
        ran += 1
      },
    })
    const agent = createAgent({
      model: toLangChain(models['openai-chat'](server.url)),
      tools: [toLangChainTool(weather)],
    })
    const input = { messages: [new HumanMessage('Where?')] }
    if (stream) for await (const _ of await agent.stream(input, { streamMode: 'messages' }));
    else {
      const { messages } = await agent.invoke(input)
      const answer = messages.at(-1) as AIMessage
      expect(answer.tool_calls).toEqual([])
      expect(answer.invalid_tool_calls).toMatchObject([{ name: 'get_weather', args: '{"city":"Ro' }])
    }
    expect(server.requests.length).toBe(1)
    expect(ran).toBe(0)
  }
})
