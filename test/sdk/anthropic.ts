// The official Anthropic SDK. It skips every event without an `event:` line and hides cut arguments, so what it reads is compared.
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import type { Message, MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { type Judge, type Reading, rejection } from './judge.js'

const question: MessageCreateParamsNonStreaming = {
  model: 'example-1',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'search', input_schema: { type: 'object', properties: {} } }],
}

function client(url: string): Anthropic {
  return new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
}

export const anthropic: Judge = {
  wire: 'anthropic',
  sdk: '@anthropic-ai/sdk',
  finishes: {
    stop: 'end_turn',
    tool_calls: 'tool_use',
    length: 'max_tokens',
    content_filter: 'refusal',
    pause: 'pause_turn',
  },
  usage: { cacheRead: true, reasoning: true },
  whole: async (url) => read(await client(url).messages.create(question)),
  streamed: async (url) => read(await client(url).messages.stream(question).finalMessage()),
  async send(url, body) {
    const answer: unknown = await client(url).messages.create(body as unknown as MessageCreateParamsNonStreaming)
    if (body.stream === true) for await (const _ of answer as AsyncIterable<unknown>);
  },
  async fail(url, stream) {
    const { messages } = client(url)
    const error = await rejection(stream ? messages.stream(question).finalMessage() : messages.create(question))
    if (!(error instanceof APIError)) throw error
    return { status: error.status as number | undefined, message: error.message, type: error.type ?? undefined }
  },
}

function read(message: Message): Reading {
  const { usage } = message
  const cacheRead = usage.cache_read_input_tokens ?? 0
  return {
    id: message.id,
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [],
    ),
    finish: message.stop_reason ?? '',
    usage: {
      input: usage.input_tokens + cacheRead + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
      cacheRead,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  }
}
