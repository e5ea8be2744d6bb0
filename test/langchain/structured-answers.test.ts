// Structured output of LangChain chat models: some return it as text, some as the arguments of a tool call, some fail to parse it.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/index.js'
import { fromLangChain } from '../../src/langchain/index.js'

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'The weather?' }] }]
const output = { name: 'weather', schema: { type: 'object', properties: { celsius: { type: 'number' } } } }
const call = { type: 'tool_call' as const, id: 'call_1', name: 'weather', args: { celsius: 18 } }
const tokens = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }

/** A chat model whose structured output is whatever the test gives. */
class Structured extends BaseChatModel {
  readonly requests: { schema: unknown; config: unknown }[] = []

  readonly given: unknown

  constructor(given: unknown) {
    super({})
    this.given = given
  }

  _llmType(): string {
    return 'structured'
  }

  override _generate(): never {
    throw new Error('structured output was requested')
  }

  override withStructuredOutput(schema: unknown, config?: unknown): never {
    this.requests.push({ schema, config })
    return RunnableLambda.from(() => this.given) as never
  }
}

const complete = (given: unknown) => fromLangChain(new Structured(given)).complete({ messages, output })

describe('structured output of a LangChain chat model', () => {
  test('that arrives as tool call arguments becomes the text of the response', async () => {
    const raw = new AIMessage({
      content: 'calling',
      id: 'msg_1',
      tool_calls: [call],
      usage_metadata: tokens as never,
      response_metadata: { finish_reason: 'tool_calls', model_name: 'm' },
    })
    const response = await complete({ raw, parsed: { celsius: 18 } })
    expect(response).toMatchObject({ text: '{"celsius":18}', toolCalls: [], finishReason: 'stop', id: 'msg_1' })
    expect(response.usage).toMatchObject({ input: 3, output: 4, total: 7 })
  })

  test('that arrives as text stays the text the model wrote', async () => {
    const raw = new AIMessage({ content: '{ "celsius": 18.0 }', response_metadata: { finish_reason: 'stop' } })
    expect(await complete({ raw, parsed: { celsius: 18 } })).toMatchObject({ text: '{ "celsius": 18.0 }' })
  })

  test.each([
    ['null', null],
    ['missing', undefined],
  ])('whose parsed value is %s keeps the tool call, so that nothing the model said is dropped', async (_, parsed) => {
    const raw = new AIMessage({ content: '', tool_calls: [call] })
    const response = await complete({ raw, parsed })
    expect(response.text).toBe('')
    expect(response.toolCalls).toMatchObject([{ id: 'call_1', name: 'weather', arguments: '{"celsius":18}' }])
  })

  test('that is false, zero or empty text is a value like any other', async () => {
    for (const parsed of [false, 0, '']) {
      const raw = new AIMessage({ content: '', tool_calls: [call] })
      expect((await complete({ raw, parsed })).text).toBe(JSON.stringify(parsed))
    }
  })

  test.each([
    ['no message at all', { parsed: { celsius: 18 } }, 'no message'],
    ['something else than an object', 'text', 'no message'],
    ['a message of another role', { raw: { type: 'human' }, parsed: {} }, 'a "human" message'],
  ])('with %s is a malformed response', async (_, given, what) => {
    await expect(complete(given)).rejects.toMatchObject({
      code: 'malformed_response',
      message: expect.stringContaining(what),
    })
  })

  test('is requested by name and schema, and JSON without a schema as any object', async () => {
    const raw = new AIMessage({ content: '{}' })
    const model = new Structured({ raw, parsed: {} })
    await fromLangChain(model).complete({ messages, output })
    await fromLangChain(model).complete({ messages, output: { schema: output.schema } })
    await fromLangChain(model).complete({ messages, output: 'json_object' })
    expect(model.requests).toEqual([
      { schema: output.schema, config: { name: 'weather', includeRaw: true } },
      { schema: output.schema, config: { name: 'response', includeRaw: true } },
      { schema: { type: 'object' }, config: { name: 'response', includeRaw: true } },
    ])
  })
})
