// The official ollama client. Its types know no call ids, but it passes every key through.
import { type ChatRequest, type ChatResponse, Ollama } from 'ollama'
import { type Judge, type Reading, rejection } from './judge.js'

const question = {
  model: 'example-1',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ type: 'function', function: { name: 'search', parameters: { type: 'object', properties: {} } } }],
} satisfies ChatRequest

function client(url: string): Ollama {
  return new Ollama({ host: url })
}

export const ollama: Judge = {
  wire: 'ollama',
  sdk: 'ollama',
  finishes: { stop: 'stop', tool_calls: 'stop', length: 'length' },
  usage: { cacheRead: false, reasoning: false },
  whole: async (url) => read([await client(url).chat(question)]),
  async streamed(url) {
    const lines: ChatResponse[] = []
    for await (const line of await client(url).chat({ ...question, stream: true })) lines.push(line)
    return read(lines)
  },
  async send(url, body) {
    const request = body as unknown as ChatRequest
    if (body.stream !== true) await client(url).chat({ ...request, stream: false })
    else for await (const _ of await client(url).chat({ ...request, stream: true }));
  },
  async fail(url, stream) {
    const error = await rejection(stream ? ollama.streamed(url) : client(url).chat(question))
    if (!(error instanceof Error)) throw error
    return { status: (error as Error & { status_code?: number }).status_code, message: error.message }
  },
}

function read(lines: readonly ChatResponse[]): Reading {
  const last = lines.at(-1)
  const calls = lines.flatMap((line) => line.message.tool_calls ?? []) as unknown as readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: unknown }
  }[]
  return {
    text: lines.map((line) => line.message.content).join(''),
    calls: calls.map((call) => ({ id: call.id, name: call.function.name, args: call.function.arguments })),
    finish: last?.done_reason ?? '',
    usage: { input: last?.prompt_eval_count ?? 0, output: last?.eval_count ?? 0 },
  }
}
