// The official openai SDK on Responses. Its `.stream()` throws on event types it does not know and on items never added.
import OpenAI from 'openai'
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseOutputRefusal,
  ResponseOutputText,
} from 'openai/resources/responses/responses'
import { argsOf, type Judge, type Reading, rejection } from './judge.js'
import { failure } from './openai-chat.js'

const question = {
  model: 'example-1',
  input: 'hi',
  tools: [{ type: 'function' as const, name: 'search', parameters: { type: 'object', properties: {} }, strict: false }],
} satisfies ResponseCreateParamsNonStreaming

function client(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
}

export const openaiResponses: Judge = {
  wire: 'openai-responses',
  sdk: 'openai (responses)',
  finishes: {
    stop: 'completed',
    tool_calls: 'completed',
    length: 'incomplete max_output_tokens',
    content_filter: 'incomplete content_filter',
  },
  usage: { cacheRead: true, reasoning: true },
  whole: async (url) => read(await client(url).responses.create(question)),
  streamed: async (url) => read((await client(url).responses.stream(question).finalResponse()) as Response),
  async send(url, body) {
    const answer: unknown = await client(url).responses.create(body as unknown as ResponseCreateParamsNonStreaming)
    if (body.stream === true) for await (const _ of answer as AsyncIterable<unknown>);
  },
  async fail(url, stream) {
    const { responses } = client(url)
    return failure(await rejection(stream ? responses.stream(question).finalResponse() : responses.create(question)))
  },
}

function textOf(part: ResponseOutputText | ResponseOutputRefusal): string {
  return part.type === 'refusal' ? part.refusal : part.text
}

/** A refusal ends by itself: its own place says what it is. */
function isRefusal({ output }: Response): boolean {
  return output.some((item) => item.type === 'message' && item.content.some((part) => part.type === 'refusal'))
}

function read(response: Response): Reading {
  const { usage, incomplete_details: details } = response
  return {
    id: response.id,
    text: response.output.flatMap((item) => (item.type === 'message' ? item.content.map(textOf) : [])).join(''),
    calls: response.output.flatMap((item) => {
      if (item.type === 'custom_tool_call') return [{ id: item.call_id, name: item.name, args: { input: item.input } }]
      return item.type === 'function_call' ? [{ id: item.call_id, name: item.name, args: argsOf(item.arguments) }] : []
    }),
    finish: isRefusal(response)
      ? 'incomplete content_filter'
      : [response.status, ...(details?.reason === undefined ? [] : [details.reason])].join(' '),
    usage: {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cacheRead: usage?.input_tokens_details.cached_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  }
}
