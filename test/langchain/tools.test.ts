// LangChain tools run by toolwire, and toolwire tools run by LangChain.
import { ToolMessage } from '@langchain/core/messages'
import { tool as langChainTool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { run, ToolExecutionError, ToolExecutor, ToolRegistry, tool } from '../../src/index.js'
import { fromLangChainTool, toLangChainTool } from '../../src/langchain/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { langChainWeather } from './providers.js'

const call = (name: string, args: object) =>
  ({ type: 'tool_call', id: 'c1', name, arguments: JSON.stringify(args) }) as const

test('a LangChain tool is checked, run and answered like any other', async () => {
  const weather = fromLangChainTool(langChainWeather)
  expect(weather.spec).toMatchObject({
    name: 'get_weather',
    description: 'Current weather for a city',
    inputSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
  })
  expect(weather.source).toBe('langchain')
  const model = scriptedModel([
    { calls: [{ name: 'get_weather', args: { city: 'Rome' } }, { name: 'get_weather' }] },
    'done',
  ])
  const result = await run({ model, tools: [weather], prompt: 'Go' })
  const answered = result.messages.find((message) => message.role === 'tool')
  expect(answered?.results).toMatchObject([
    { isError: false, content: [{ type: 'text', text: 'Rome: 24' }] },
    { isError: true, error: { category: 'invalid_arguments' } },
  ])
})

test('artifacts, blocks and failures of a LangChain tool are kept', async () => {
  const schema = z.object({})
  const pair = langChainTool(() => ['text', { rows: [1, 2] }], {
    name: 'pair',
    description: 'Text with an artifact',
    schema,
    responseFormat: 'content_and_artifact',
  })
  const image = langChainTool(() => [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }], {
    name: 'image',
    description: 'Gives an image',
    schema,
  })
  const failing = langChainTool(
    () => {
      throw new Error('no luck, token=sk-abcdef1234567890')
    },
    { name: 'failing', description: 'Fails every time', schema },
  )
  const refusing = langChainTool(
    () => new ToolMessage({ content: 'Error: not now', tool_call_id: 'x', status: 'error' }),
    {
      name: 'refusing',
      description: 'Says no by itself',
      schema,
    },
  )
  const executor = new ToolExecutor([pair, image, failing, refusing].map((item) => fromLangChainTool(item)))
  const results = await executor.execute(['pair', 'image', 'failing', 'refusing'].map((name) => call(name, {})))
  expect(results).toMatchObject([
    { content: [{ text: 'text' }], artifacts: { rows: [1, 2] } },
    { content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] },
    { isError: true, error: { message: 'no luck, token=[redacted]' } },
    { isError: true, callId: 'c1', content: [{ text: 'not now' }] },
  ])
})

test('the deadline of a call reaches a LangChain tool', async () => {
  let reason: unknown
  const slow = langChainTool(
    (_input, config) =>
      new Promise((_, reject) => {
        config.signal?.addEventListener('abort', () => {
          reason = config.signal?.reason
          reject(new Error('stopped'))
        })
      }),
    { name: 'slow', description: 'Never ends by itself', schema: z.object({}) },
  )
  const executor = new ToolExecutor([fromLangChainTool(slow, { timeoutMs: 20 })])
  const [result] = await executor.execute([call('slow', {})])
  expect(result?.error?.category).toBe('execution_timeout')
  expect(reason).toBeDefined()
})

test('a toolwire tool in LangChain gives text to programs and messages to agents', async () => {
  const divide = tool({
    name: 'divide',
    description: 'Divides one number by another',
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => {
      if (b === 0) throw new ToolExecutionError('invalid_arguments', 'cannot divide by zero')
      return { quotient: a / b }
    },
  })
  const made = toLangChainTool(divide)
  expect(await made.invoke({ a: 6, b: 3 })).toBe('{"quotient":2}')
  await expect(made.invoke({ a: 6, b: 0 })).rejects.toMatchObject({ category: 'invalid_arguments' })
  await expect(made.invoke({ a: 'six' })).rejects.toThrow(/schema/)
  const asked = (args: object) => made.invoke({ type: 'tool_call', id: 'c7', name: 'divide', args })
  expect(await asked({ a: 6, b: 3 })).toMatchObject({
    content: '{"quotient":2}',
    tool_call_id: 'c7',
    status: 'success',
  })
  expect(await asked({ a: 6, b: 0 })).toMatchObject({
    content: 'Error: cannot divide by zero',
    tool_call_id: 'c7',
    status: 'error',
  })
})

test('tools that share an executor share its limits and its trail', async () => {
  const audited: string[] = []
  const echo = tool({
    name: 'echo_it',
    description: 'Gives back what it got',
    input: z.object({ text: z.string() }),
    execute: ({ text }) => text,
  })
  const executor = new ToolExecutor(new ToolRegistry([echo]), {
    audit: (record) => void audited.push(`${record.tool} ${record.outcome}`),
    approve: ({ arguments: text }) => (text.includes('no') ? { deny: 'not that' } : 'allow'),
  })
  const made = toLangChainTool(echo, { executor })
  expect(await made.invoke({ text: 'yes' })).toBe('yes')
  await expect(made.invoke({ text: 'no' })).rejects.toThrow('not that')
  expect(audited).toEqual(['echo_it success', 'echo_it permission_denied'])
})

test('there and back a tool is the same for a model', () => {
  const back = fromLangChainTool(toLangChainTool(fromLangChainTool(langChainWeather)))
  expect(back.spec).toEqual(fromLangChainTool(langChainWeather).spec)
})
