// The official Google SDK. It has parameters of its own, which it turns into the body: `paramsOf` is the way back.
import { ApiError, type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import type { JsonObject } from '../../src/json/types.js'
import { type Judge, type Reading, rejection, type Sending } from './judge.js'

const question: GenerateContentParameters = {
  model: 'example-1',
  contents: 'hi',
  config: { tools: [{ functionDeclarations: [{ name: 'search' }] }] },
}

function client(url: string, profile?: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'none', vertexai: profile === 'vertex', httpOptions: { baseUrl: url } })
}

/** The SDK's parameters for a body: what stands beside the contents is its `config`, flat. */
export function paramsOf(body: JsonObject, model: string): GenerateContentParameters {
  const { contents, generationConfig, ...config } = body
  return { model, contents, config: { ...config, ...(generationConfig as object) } } as GenerateContentParameters
}

export const gemini: Judge = {
  wire: 'gemini',
  sdk: '@google/genai',
  finishes: { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' },
  usage: { cacheRead: true, reasoning: true },
  whole: async (url) => read([await client(url).models.generateContent(question)]),
  async streamed(url) {
    const chunks: GenerateContentResponse[] = []
    for await (const chunk of await client(url).models.generateContentStream(question)) chunks.push(chunk)
    return read(chunks)
  },
  async send(url: string, body: JsonObject, { model, stream, profile }: Sending) {
    const { models } = client(url, profile)
    const params = paramsOf(body, model)
    if (!stream) await models.generateContent(params)
    else for await (const _ of await models.generateContentStream(params));
  },
  async fail(url, stream) {
    const error = await rejection(stream ? gemini.streamed(url) : client(url).models.generateContent(question))
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, message: error.message }
  },
}

function read(chunks: readonly GenerateContentResponse[]): Reading {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
  const usage = chunks.findLast((chunk) => chunk.usageMetadata !== undefined)?.usageMetadata
  const reasoning = usage?.thoughtsTokenCount ?? 0
  return {
    id: chunks.at(-1)?.responseId ?? '',
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? '', name: call.name ?? '', args: call.args ?? {} }],
    ),
    finish: chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason ?? '',
    usage: {
      input: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
      output: (usage?.candidatesTokenCount ?? 0) + reasoning,
      cacheRead: usage?.cachedContentTokenCount ?? 0,
      reasoning,
    },
  }
}
