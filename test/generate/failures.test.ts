// Every rung times every way an answer can go wrong: the rung it is told of, the error or the repair, and the number of calls. Then
// refusals in the field that each wire has for them.
import { describe, expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import { generate } from '../../src/generate/generate.js'
import { type Rung, rungs } from '../../src/generate/plan.js'
import { compatible } from '../../src/model/factories.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import type { Turn } from '../../src/testing/scripted-turn.js'
import { tool } from '../../src/tools/define.js'
import { params } from '../../src/tools/params.js'

const schema = params.object({ city: params.string(), celsius: params.integer() })
const good = '{"city":"Boston","celsius":18}'
const value = { city: 'Boston', celsius: 18 }
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: params.object({ city: params.string() }),
  execute: () => 'sunny',
})

interface Failure {
  /** The answer in text, on the rungs that answer in text. */
  readonly said: Turn
  /** The answer on the rung that answers with a call. */
  readonly submitted: Turn
  readonly outcome: Outcome
  /** Where a call goes wrong in another way than a text. */
  readonly submittedOutcome?: Outcome
}
/** The code of the error, or the kind of the repair of a value that was got; and how many answers it took. */
type Outcome = { readonly code: string; readonly calls: number } | { readonly repair: string | undefined }

const submit = (...args: string[]): Turn => ({ calls: args.map((text) => ({ name: 'submit_response', args: text })) })
const refused = { code: 'malformed_response', calls: 3 }
const fence = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

const failures: Readonly<Record<string, Failure>> = {
  'a refusal': {
    said: { text: 'I will not.', finishReason: 'content_filter' },
    submitted: { text: 'I will not.', finishReason: 'content_filter' },
    outcome: { code: 'content_filtered', calls: 1 },
  },
  'cut off by the limit of tokens': {
    said: { text: good.slice(0, 12), finishReason: 'length' },
    submitted: {
      brokenCalls: [{ name: 'submit_response', arguments: good.slice(0, 12), reason: 'truncated' }],
      finishReason: 'length',
    },
    outcome: { code: 'truncated', calls: 1 },
  },
  'cut off without a word': { said: good.slice(0, 12), submitted: submit(good.slice(0, 12)), outcome: refused },
  'no JSON': { said: 'It is nice.', submitted: submit('It is nice.'), outcome: refused },
  'a wrong type': {
    said: '{"city":"Boston","celsius":"18"}',
    submitted: submit('{"city":"Boston","celsius":"18"}'),
    outcome: refused,
  },
  'a value of another kind': { said: '[18]', submitted: submit('[18]'), outcome: refused },
  'words around it': {
    said: `Here you are: ${good}`,
    submitted: { text: 'Here you are:', calls: [{ name: 'submit_response', args: good }] },
    outcome: { repair: 'words' },
    submittedOutcome: { repair: undefined },
  },
  'a code fence': {
    said: fence(good),
    submitted: submit(fence(good)),
    outcome: { repair: 'fence' },
    submittedOutcome: refused,
  },
  'two objects': {
    said: `${good}\n${good}`,
    submitted: submit(`${good}${good}`),
    outcome: refused,
  },
  nothing: {
    said: '',
    submitted: '',
    outcome: { code: 'missing_required_output', calls: 3 },
  },
}

describe.each(rungs)('%s', (rung) => {
  test.each(Object.entries(failures))('%s', async (_, { said, submitted, outcome, submittedOutcome }) => {
    const isCall = rung === 'submit_tool'
    const model = scriptedModel(() => (isCall ? submitted : said))
    const expected = isCall ? (submittedOutcome ?? outcome) : outcome
    const given = await outcomeOf(rung, model)
    if ('code' in expected) {
      expect(given).toMatchObject({ code: expected.code, detail: { rung, calls: expected.calls } })
      expect(model.requests).toHaveLength(expected.calls)
    } else {
      const repairs = expected.repair === undefined ? [] : [{ kind: expected.repair, rung }]
      expect(given).toMatchObject({ value, rung, calls: 1, repairs })
    }
  })
})

async function outcomeOf(rung: Rung, model: ReturnType<typeof scriptedModel>): Promise<unknown> {
  const tools = rung === 'native_with_tools' ? [weather] : []
  try {
    return await generate({ model, schema, tools, prompt: 'Weather?', rung })
  } catch (error) {
    if (ToolwireError.is(error)) return error
    throw error
  }
}

/** A refusal as each wire says it, whole and as a stream. Ollama has no field for it. */
const refusals: Readonly<Partial<Record<Wire, readonly [whole: unknown, stream: readonly unknown[]]>>> = {
  'openai-chat': [
    {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm-1',
      choices: [
        { index: 0, message: { role: 'assistant', content: null, refusal: 'I will not.' }, finish_reason: 'stop' },
      ],
    },
    [
      {
        id: 'c1',
        model: 'm-1',
        choices: [{ index: 0, delta: { role: 'assistant', refusal: 'I will ' }, finish_reason: null }],
      },
      { id: 'c1', model: 'm-1', choices: [{ index: 0, delta: { refusal: 'not.' }, finish_reason: null }] },
      { id: 'c1', model: 'm-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    ],
  ],
  'openai-responses': [responses('completed'), responsesStream()],
  anthropic: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-1',
      content: [{ type: 'text', text: 'I will not.' }],
      stop_reason: 'refusal',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm-1',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I will not.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_sequence: null }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ],
  ],
  gemini: [geminiChunk('I will not.', 'SAFETY'), [geminiChunk('I will not.'), geminiChunk('', 'SAFETY')]],
}

function responses(status: string): object {
  const content = [{ type: 'refusal', refusal: 'I will not.' }]
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm-1',
    status,
    output: status === 'completed' ? [message] : [],
  }
}

function responsesStream(): readonly object[] {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] }
  const content = [{ type: 'refusal', refusal: 'I will not.' }]
  return [
    { type: 'response.created', response: responses('in_progress') },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...place, part: { type: 'refusal', refusal: '' } },
    { type: 'response.refusal.delta', ...place, delta: 'I will not.' },
    { type: 'response.refusal.done', ...place, refusal: 'I will not.' },
    { type: 'response.content_part.done', ...place, part: content[0] },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed', content } },
    { type: 'response.completed', response: responses('completed') },
  ]
}

function geminiChunk(text: string, finishReason?: string): object {
  const end = finishReason === undefined ? {} : { finishReason }
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...end }],
    responseId: 'r1',
    modelVersion: 'm-1',
  }
}

describe('a refusal in the words of the wire is the error content_filtered, with what was said, and is not asked again', () => {
  test.each(Object.entries(refusals))('%s', async (wire, [whole, stream]) => {
    let count = 0
    const answering = (body: string, type: string) => (): Promise<Response> => {
      count += 1
      return Promise.resolve(new Response(body, { headers: { 'content-type': type } }))
    }
    const events = stream.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    const named = (event: unknown): string =>
      typeof event === 'object' && event !== null && 'type' in event ? `event: ${event.type}\n` : ''
    const sse = events.map((data, index) => `${named(stream[index])}data: ${data}\n\n`).join('')
    const modelOf = (fetch: () => Promise<Response>) =>
      compatible({ wire: wire as Wire, model: 'm-1', baseUrl: 'http://provider.test', apiKey: 'k', retries: 0, fetch })
    const expected = {
      code: 'content_filtered',
      retryable: false,
      detail: { rung: 'native', calls: 1, text: 'I will not.' },
    }
    const byBody = generate({
      model: modelOf(answering(JSON.stringify(whole), 'application/json')),
      schema,
      prompt: 'x',
      rung: 'native',
    })
    await expect(byBody).rejects.toMatchObject(expected)
    const streaming = generate.stream({
      model: modelOf(answering(sse, 'text/event-stream')),
      schema,
      prompt: 'x',
      rung: 'native',
    })
    await expect(streaming).rejects.toMatchObject(expected)
    expect(count).toBe(2)
  })
})
