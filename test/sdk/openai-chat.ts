// The official openai SDK on Chat Completions. Its `.stream()` is the strict reader: it throws on what a server leaves out.
import OpenAI, { APIError } from 'openai'
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import { argsOf, type Failure, type Judge, type Reading, rejection } from './judge.js'

const question: ChatCompletionCreateParamsNonStreaming = {
  model: 'example-1',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ type: 'function', function: { name: 'search', parameters: { type: 'object', properties: {} } } }],
}
const streamed = { ...question, stream: true, stream_options: { include_usage: true } } as const

function client(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
}

export const openaiChat: Judge = {
  wire: 'openai-chat',
  sdk: 'openai (chat)',
  finishes: { stop: 'stop', tool_calls: 'tool_calls', length: 'length', content_filter: 'content_filter' },
  usage: { cacheRead: true, reasoning: true },
  // The helper of the SDK looks for a function in every streamed call.
  unstreamed: ['response-call-custom'],
  whole: async (url) => read(await client(url).chat.completions.create(question)),
  async streamed(url) {
    // The helper throws when an answer was cut or filtered; what it had put together by then is judged.
    const stream = client(url).chat.completions.stream(streamed)
    try {
      return read(await stream.finalChatCompletion())
    } catch (error) {
      const snapshot = stream.currentChatCompletionSnapshot
      if (snapshot === undefined || !/length|content_filter/.test(String(error))) throw error
      return read(snapshot as ChatCompletion)
    }
  },
  async send(url, body) {
    const params = body as unknown as ChatCompletionCreateParamsNonStreaming
    const answer: unknown = await client(url).chat.completions.create(params)
    if (body.stream === true) for await (const _ of answer as AsyncIterable<unknown>);
  },
  async fail(url, stream) {
    const chat = client(url).chat.completions
    return failure(await rejection(stream ? chat.stream(streamed).finalChatCompletion() : chat.create(question)))
  },
}

function read(completion: ChatCompletion): Reading {
  const [choice] = completion.choices
  const { usage } = completion
  return {
    id: completion.id,
    text: choice?.message.content ?? choice?.message.refusal ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) => {
      if (call.type === 'custom') return { id: call.id, name: call.custom.name, args: { input: call.custom.input } }
      return { id: call.id, name: call.function.name, args: argsOf(call.function.arguments) }
    }),
    // A refusal ends by itself: its own place says what it is.
    finish: choice?.message.refusal ? 'content_filter' : (choice?.finish_reason ?? ''),
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cacheRead: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  }
}

/** What the SDK says of an error, on Chat and Responses alike. */
export function failure(error: unknown): Failure {
  if (!(error instanceof APIError)) throw error
  return { status: error.status as number | undefined, message: error.message, type: error.type }
}
