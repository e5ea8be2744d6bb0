// What is asked through the gateway in every cell of the matrix, what the provider says to it, and what must be seen at both ends.
import { expect } from 'vitest'
import type { Message, ToolResult, Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { Misbehaviour, ProviderRequest, Turn } from '../../src/testing/index.js'
import type { SdkConversation } from '../testing/sdk/conversation.js'

export interface Cell {
  readonly client: Wire
  readonly upstream: Wire
  readonly streamed: boolean
  readonly conversation: SdkConversation
  /** What the provider was asked so far in this cell. */
  asked(): readonly ProviderRequest[]
}

export interface Scenario {
  /** What the model says; `answered` when the results of its calls are there. */
  turn(answered: boolean): Turn
  readonly misbehaviour?: Misbehaviour
  /** Only where there is a stream. */
  readonly streamedOnly?: boolean
  check(cell: Cell, text: string): Promise<void>
}

const hello = 'Grüezi 👋, 世界.'
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const answerSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const boston = { name: 'get_weather', args: { city: 'Boston' } }
const zurich = { name: 'get_weather', args: { city: 'Zürich' } }

export const scenarios: Readonly<Record<string, Scenario>> = {
  text: {
    turn: () => hello,
    async check({ conversation, asked }, text) {
      expect(await conversation.ask({ text })).toEqual({ calls: [], text: hello })
      expect(userTexts(lastRequest(asked()))).toEqual([text])
    },
  },
  one_call: {
    turn: (answered) => (answered ? 'It is 18 degrees.' : { text: 'Looking.', calls: [boston] }),
    async check(cell, text) {
      const first = await cell.conversation.ask({ text })
      expect(first.text).toBe('Looking.')
      expect(first.calls).toMatchObject([boston])
      expect(await cell.conversation.ask({ results: ['18'] })).toEqual({ calls: [], text: 'It is 18 degrees.' })
      expect(results(cell)).toMatchObject([{ name: 'get_weather', content: [{ type: 'text', text: '18' }] }])
      isPaired(lastRequest(cell.asked()))
    },
  },
  parallel_calls: {
    turn: (answered) => (answered ? 'Boston is warmer.' : { calls: [boston, zurich] }),
    async check(cell, text) {
      expect((await cell.conversation.ask({ text })).calls).toMatchObject([boston, zurich])
      const last = await cell.conversation.ask({ results: ['18', '7'] })
      expect(last).toEqual({ calls: [], text: 'Boston is warmer.' })
      expect(results(cell).map(({ content }) => content)).toMatchObject([[{ text: '18' }], [{ text: '7' }]])
      isPaired(lastRequest(cell.asked()))
    },
  },
  failed_result: {
    turn: (answered) => (answered ? 'I could not look.' : { calls: [boston] }),
    async check(cell, text) {
      await cell.conversation.ask({ text })
      const last = await cell.conversation.ask({ results: [{ error: 'no such city' }] })
      expect(last.text).toBe('I could not look.')
      const [result] = results(cell)
      expect(JSON.stringify(result?.content)).toContain('no such city')
      expect(result?.isError).toBe(tellsFailure.has(cell.client))
    },
  },
  structured_output: {
    turn: () => '{"city":"Boston","degrees":18}',
    async check({ conversation, asked }, text) {
      const reply = await conversation.ask({ text, output: answerSchema })
      expect(JSON.parse(reply.text)).toEqual({ city: 'Boston', degrees: 18 })
      expect(lastRequest(asked()).output).toMatchObject({ schema: answerSchema })
    },
  },
  json_mode: {
    turn: () => '{"city":"Boston"}',
    async check({ conversation, asked, client, upstream }, text) {
      const reply = await conversation.ask({ text, output: 'json_object' })
      expect(JSON.parse(reply.text)).toEqual({ city: 'Boston' })
      const isAsked = hasJsonMode.has(client) && hasJsonMode.has(upstream)
      expect(lastRequest(asked()).output).toBe(isAsked ? 'json_object' : undefined)
    },
  },
  thinking: {
    turn: (answered) =>
      answered
        ? { reasoning: 'Now I know.', text: 'It is 18 degrees.' }
        : { reasoning: 'Which city?', calls: [boston] },
    async check(cell, text) {
      const first = await cell.conversation.ask({ text })
      expect(first.calls).toMatchObject([boston])
      if (showsReasoning.has(cell.client)) expect(first.reasoning).toBe('Which city?')
      expect((await cell.conversation.ask({ results: ['18'] })).text).toBe('It is 18 degrees.')
      if (signsReasoning.has(cell.upstream)) expect(lastRequest(cell.asked()).messages.some(isSigned)).toBe(true)
    },
  },
  image: {
    turn: () => 'A dot.',
    async check({ conversation, asked }, text) {
      expect((await conversation.ask({ text, image: picture })).text).toBe('A dot.')
      const parts = lastRequest(asked()).messages.flatMap((message) => (message.role === 'user' ? message.content : []))
      expect(parts.find((part) => part.type === 'image')).toMatchObject({ data: picture })
    },
  },
  bad_request: {
    turn: () => 'never',
    misbehaviour: { status: 400 },
    check: ({ conversation }, text) => fails(conversation, text, [400]),
  },
  rate_limit: {
    turn: () => 'never',
    misbehaviour: { status: 429, headers: { 'retry-after': '7' } },
    check: ({ conversation }, text) => fails(conversation, text, [429]),
  },
  server_failure: {
    turn: () => 'never',
    misbehaviour: { status: 500 },
    check: ({ conversation }, text) => fails(conversation, text, [500]),
  },
  failure_in_the_stream: {
    turn: () => hello.repeat(20),
    misbehaviour: { errorAfterEvents: 6 },
    streamedOnly: true,
    check: ({ conversation }, text) => fails(conversation, text),
  },
  broken_connection: {
    turn: () => hello.repeat(200),
    misbehaviour: { resetAfterBytes: 700 },
    check: ({ conversation }, text) => fails(conversation, text),
  },
  cut_between_events: {
    turn: () => hello.repeat(20),
    misbehaviour: { cutAfterEvents: 6 },
    streamedOnly: true,
    check: ({ conversation }, text) => fails(conversation, text),
  },
  cut: {
    turn: () => hello.repeat(200),
    misbehaviour: { cutAtByte: 700 },
    check: ({ conversation }, text) => fails(conversation, text),
  },
}

/** Wires whose results say that they are a failure. */
const tellsFailure: ReadonlySet<Wire> = new Set<Wire>(['anthropic', 'gemini'])
/** Wires whose official SDK shows what the model thought. */
const showsReasoning: ReadonlySet<Wire> = new Set<Wire>(['openai-responses', 'anthropic', 'ollama', 'gemini'])
/** Wires that can ask for any JSON object. */
const hasJsonMode: ReadonlySet<Wire> = new Set<Wire>(['openai-chat', 'openai-responses', 'ollama', 'gemini'])
/** Wires on which the provider wants its signatures back. */
const signsReasoning: ReadonlySet<Wire> = new Set<Wire>(['openai-responses', 'anthropic', 'gemini'])

export function lastRequest(asked: readonly ProviderRequest[]): CompletionRequest {
  const last = asked.at(-1)
  if (last === undefined) throw new Error('the provider was not asked')
  expect(last.refusal).toBeUndefined()
  return last.request
}

export function userTexts({ messages }: CompletionRequest): readonly string[] {
  return messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function results({ asked }: Cell): readonly ToolResult[] {
  return lastRequest(asked()).messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
}

/** Every call has its own result. */
function isPaired({ messages }: CompletionRequest): void {
  const called = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])) : [],
  )
  const answered = messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ callId }) => callId) : [],
  )
  expect(answered).toEqual(called)
}

function isSigned(message: Message): boolean {
  return (
    message.role === 'assistant' &&
    message.content.some((part) => part.type === 'opaque' || ('opaque' in part && part.opaque !== undefined))
  )
}

/** The SDK throws; with one of the statuses where the failure came before the answer. */
async function fails(conversation: SdkConversation, text: string, statuses?: readonly number[]): Promise<void> {
  const outcome: unknown = await conversation.ask({ text }).then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  )
  expect(outcome).toHaveProperty('error')
  if (statuses === undefined) return
  const { error } = outcome as { readonly error: { readonly status?: number; readonly status_code?: number } }
  expect(statuses).toContain(error.status ?? error.status_code)
}
