// One experiment: our loop, streaming, against a Chat Completions server with a defect.
import { setTimeout as wait } from 'node:timers/promises'
import type { ToolResult } from '../../src/conversation/messages.js'
import { textOf } from '../../src/conversation/messages.js'
import type { RunOptions } from '../../src/loop/options.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import type { ModelOptions } from '../../src/model/endpoint.js'
import { openai } from '../../src/model/factories.js'
import { type Misbehaviour, type ProviderRequest, providerServer, type ScriptedTurn } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { AnyTool } from '../../src/tools/tool.js'
import listed from './rows.json' with { type: 'json' }

/** A defect of the table, and what makes it happen. */
export interface Row extends Pick<Experiment, 'first' | 'wrong'> {
  readonly id: string
  readonly defect: string
}
export const rows = listed as readonly Row[]

export interface Experiment {
  /** What the model does first; then it says `done`. */
  readonly first: ScriptedTurn
  /** What the server does wrong with the first answer. */
  readonly wrong?: Misbehaviour
  readonly options?: Partial<RunOptions>
  readonly modelOptions?: ModelOptions
}
export interface Outcome {
  readonly result: RunResult
  /** What the handlers were given, in the order they began. */
  readonly ran: readonly unknown[]
  readonly requests: readonly ProviderRequest[]
  /** All results in the history, and what the model reads of them. */
  readonly results: readonly ToolResult[]
  readonly texts: readonly string[]
  readonly tookMs: number
}

/** Runs the experiment. The server is strict: a history that no provider takes ends the run. */
export async function perform({ first, wrong = {}, options = {}, modelOptions = {} }: Experiment): Promise<Outcome> {
  await using server = await providerServer({
    strict: true,
    script: (_, index) => (index === 0 ? first : 'done'),
    misbehave: (_, index) => (index === 0 ? wrong : {}),
  })
  const ran: unknown[] = []
  const started = performance.now()
  const model = openai('m', { baseUrl: server.url, apiKey: 'k', retries: 0, ...modelOptions })
  const result = await run.stream({ model, tools: toolsOf(ran), prompt: 'go', ...options })
  const tookMs = performance.now() - started
  const results = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  const texts = results.map((one) => textOf(one.content))
  return { result, ran, requests: server.requests, results, texts, tookMs }
}

const numbers = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
} as const

function toolsOf(ran: unknown[]): readonly AnyTool[] {
  const add = tool({
    name: 'add',
    description: 'Adds two whole numbers',
    input: numbers,
    execute: ({ a, b }) => {
      ran.push({ a, b })
      return String(BigInt(a) + BigInt(b))
    },
  })
  const now = tool({
    name: 'now',
    description: 'Says what time it is now',
    input: { type: 'object', properties: {} },
    execute: (input) => {
      ran.push(input)
      return 'noon'
    },
  })
  const write = tool({
    name: 'write_file',
    description: 'Writes content to a file',
    input: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path'],
    },
    execute: (input) => {
      ran.push(input)
      return 'written'
    },
  })
  const broken = tool({
    name: 'login',
    description: 'Fails and tells too much',
    input: { type: 'object', properties: {} },
    execute: () => {
      throw new Error('cannot reach postgres://admin:hunter22@db.example/x, password=hunter22')
    },
  })
  const hang = tool({
    name: 'hang',
    description: 'Never gives an answer at all',
    input: { type: 'object', properties: {} },
    timeoutMs: 300,
    execute: () => new Promise<never>(() => {}),
  })
  const rest = tool({
    name: 'rest',
    description: 'Takes its time, then answers',
    input: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
    execute: async ({ ms }) => {
      ran.push(`begin ${ms}`)
      await wait(Number(ms))
      ran.push(`end ${ms}`)
      return `rested ${ms}`
    },
  })
  return [add, now, write, broken, hang, rest]
}
