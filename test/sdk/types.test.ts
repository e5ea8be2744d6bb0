// Every body of the matrix is one that the SDK's own types allow, and so is every event of a streamed answer: written out as
// typed literals and compiled by tsc. Vendors' deviations are left out: these types are those of the wire's owner.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { parseJson } from '../../src/json/parse.js'
import type { Value, ValueObject } from '../../src/json/types.js'
import { halvesOf, streamed } from '../laws/subjects.js'
import { subjectOf } from '../matrix/column.js'
import { type Column, formatJson } from '../matrix/format.js'
import { judges, requestConcerns, responseConcerns } from './fixtures.js'

const folder = new URL('../../.tmp/sdk-types/', import.meta.url)
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/**
 * Google's SDK has enums, which no literal is assignable to. Ollama's types lag behind its server: no call ids, few schema
 * keywords. Reasoning on Chat is an extension that compatible servers share.
 */
const types = `import type { Content, GenerateContentConfig, GenerateContentResponse, Tool } from '@google/genai'
import type Anthropic from '@anthropic-ai/sdk'
import type { ChatRequest, ChatResponse, Message } from 'ollama'
import type OpenAI from 'openai'
type Plain<T> = T extends string ? \`\${T}\` : T extends readonly (infer U)[] ? Plain<U>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T
type OllamaCall = { id: string; function: { index?: number; name: string; arguments: object } }
type OllamaMessage = Omit<Message, 'tool_calls'> & { tool_call_id?: string; tool_calls?: OllamaCall[] }
type OllamaTool = { type: 'function'; function: { name: string; description?: string; parameters: object } }
type Requests = {
  'openai-chat': OpenAI.ChatCompletionCreateParams
  'openai-responses': OpenAI.Responses.ResponseCreateParams
  anthropic: Anthropic.MessageCreateParams
  ollama: Omit<ChatRequest, 'messages' | 'tools'> & { messages: OllamaMessage[]; tools?: OllamaTool[] }
  gemini: Plain<Omit<GenerateContentConfig, 'tools' | 'abortSignal' | 'httpOptions'>> & { contents: Plain<Content[]>; tools?: Plain<Tool[]> }
}
type Answers = {
  'openai-chat': Omit<OpenAI.ChatCompletion, 'choices'> & { choices: (Choice & { message: { reasoning_content?: string } })[] }
  'openai-responses': Omit<OpenAI.Responses.Response, 'output_text' | 'incomplete_details'> & Newer
  anthropic: Anthropic.Message
  ollama: Omit<ChatResponse, 'created_at' | 'message' | keyof Figures> & Partial<Figures> & { created_at: string; message: OllamaMessage }
  gemini: Plain<Pick<GenerateContentResponse, 'candidates' | 'usageMetadata' | 'modelVersion' | 'responseId' | 'promptFeedback'>>
}
type Choice = OpenAI.ChatCompletion.Choice
type ChunkChoice = OpenAI.ChatCompletionChunk.Choice
/** An answer that has only begun has no usage: null on the wire. */
type Begun = Omit<Answers['openai-responses'], 'usage'> & { usage?: OpenAI.Responses.ResponseUsage | null }
type WithAnswer<T> = T extends { response: OpenAI.Responses.Response } ? Omit<T, 'response'> & { response: Begun } : T
/** The figures at the end may repeat those of the start. */
type Ending = Omit<Anthropic.MessageDeltaEvent, 'usage'> & { usage: Anthropic.MessageDeltaUsage & Partial<Anthropic.Usage> }
type Events = {
  'openai-chat': Omit<OpenAI.ChatCompletionChunk, 'choices'> & { choices: (ChunkChoice & { delta: { reasoning_content?: string } })[] }
  'openai-responses': WithAnswer<OpenAI.Responses.ResponseStreamEvent>
  anthropic: Exclude<Anthropic.MessageStreamEvent, Anthropic.MessageDeltaEvent> | Ending
  ollama: Omit<Answers['ollama'], 'done_reason'> & { done_reason?: string }
  gemini: Answers['gemini']
}
/** What version 7 of the SDK added. */
type Newer = { access_programs: null; incomplete_details: null | { reason: 'max_output_tokens' | 'content_filter' | 'steered' } }
/** The server leaves out what is zero. */
type Figures = Pick<ChatResponse, 'total_duration' | 'load_duration' | 'prompt_eval_count' | 'prompt_eval_duration' | 'eval_count' | 'eval_duration'>
`

/** Per wire, a body with one wrong member, so that types that allow everything would be noticed. */
const wrong: Readonly<Record<Wire, string>> = {
  'openai-chat': '{ model: "m", messages: [{ role: "tool", content: "x" }] }',
  'openai-responses': '{ model: "m", input: [{ type: "function_call", name: "x", arguments: {} }] }',
  anthropic: '{ model: "m", max_tokens: 1, messages: [{ role: "user", content: [{ type: "tool_result" }] }] }',
  ollama: '{ model: "m", messages: [{ role: "user", content: [] }] }',
  gemini: '{ contents: [], toolConfig: { functionCallingConfig: { mode: "SOME" } } }',
}

function requestText(wire: Wire, { body }: Column): string {
  if (wire !== 'gemini') return formatJson(body as Value)
  const { generationConfig, ...rest } = body as ValueObject
  return formatJson({ ...rest, ...(generationConfig as ValueObject) })
}

/** The JSON of each event of a streamed answer. */
function eventTexts(wire: Wire, response: CompletionResponse): readonly string[] {
  const subject = subjectOf(wire, {})
  const { bytes } = streamed(subject, halvesOf(subject, true).server, unfold(response))
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  const data = lines.map((line) => line.replace(/^data: ?/, '')).filter((line) => line.startsWith('{'))
  return data.map((text) => formatJson(parseJson(text)))
}

function source(): string {
  const lines = [types]
  const declare = (about: string, type: string, text: string): void => {
    lines.push(`// ${about}`, `export const _${lines.length}: ${type} = ${text}`)
  }
  for (const { wire } of judges) {
    for (const { name, wires } of requestConcerns) {
      const column = wires[wire]
      if (column.profile !== undefined || column.body === undefined) continue
      declare(name, `Requests['${wire}']`, requestText(wire, column))
    }
    for (const { name, wires, canonical } of responseConcerns) {
      declare(name, `Answers['${wire}']`, formatJson(wires[wire].body as Value))
      // The chunk type of the SDK knows no custom calls, though servers stream them.
      if (wire === 'openai-chat' && name === 'response-call-custom') continue
      for (const event of eventTexts(wire, canonical)) declare(name, `Events['${wire}']`, event)
    }
    declare('@ts-expect-error: wrong on purpose', `Requests['${wire}']`, wrong[wire])
    declare('@ts-expect-error: no answer', `Answers['${wire}']`, '{ id: 1, choices: {}, candidates: {} }')
    declare('@ts-expect-error: no event', `Events['${wire}']`, '{ type: "ping", choices: {}, candidates: {} }')
  }
  return `${lines.join('\n')}\n`
}

function compile(): Promise<string> {
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('tsconfig.json', folder), JSON.stringify({ compilerOptions, files: ['bodies.ts'] }))
  writeFileSync(new URL('bodies.ts', folder), source())
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', fileURLToPath(folder)], (_, stdout, stderr) => resolve(stdout + stderr))
  })
}

it('the bodies of all five wires type-check as parameters of the official SDKs, and wrong ones do not', async () => {
  expect(await compile()).toBe('')
})
