// The n-th request to the model fails, and the n-th call of a tool, for every n: the run goes on to the state it would have had.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { fileJournalOn } from '../../src/durable/file-journal.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { compatible } from '../../src/model/factories.js'
import type { Misbehaviour, ProviderServer } from '../../src/testing/index.js'
import { providerServer } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { expectPaired } from '../loop/paired.js'
import { unsynced } from './unsynced.js'

const turns = 3
const callsPerTurn = 2
const runId = 'r'

let folder: string
let server: ProviderServer
let misbehaviour: (index: number) => Misbehaviour | undefined
let served = 0
beforeAll(async () => {
  server = await providerServer({
    script: ({ messages }) => {
      const turn = messages.filter((message) => message.role === 'assistant').length + 1
      if (turn > turns) return 'Done.'
      const calls = ['pay', 'look'].map((name) => ({ name, id: `${name}_${turn}`, args: { turn } }))
      return { calls }
    },
    misbehave: () => {
      served += 1
      return misbehaviour(served)
    },
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-faults-'))
  misbehaviour = () => undefined
  served = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Program {
  /** The ids of the calls that were run, in order. */
  readonly ran: string[]
  take(options?: { readonly signal?: AbortSignal; readonly takeOver?: boolean }): Promise<RunResult>
}

/** The program as a process has it. `request` and `execution` are told which one comes, and may fail it. */
function program(
  request: (index: number) => string | undefined = () => undefined,
  execution: (index: number) => unknown = () => undefined,
): Program {
  const ran: string[] = []
  let requests = 0
  const counted: typeof fetch = (url, init) => {
    requests += 1
    return fetch(request(requests) ?? url, init)
  }
  const counting = (name: string, repeatable: boolean): AnyTool =>
    tool({
      name,
      description: 'Counts how often it ran',
      input: { type: 'object' },
      repeatable,
      execute: async (_, { call }) => {
        ran.push(call.id)
        await execution(ran.length)
        return `ok ${call.id}`
      },
    })
  const tools = [counting('pay', false), counting('look', true)]
  const model = compatible({ wire: 'openai-chat', model: 'm', baseUrl: server.url, retries: 0, fetch: counted })
  return {
    ran,
    take: ({ signal, takeOver = false } = {}) =>
      run({ model, tools, prompt: 'go', journal: fileJournalOn(unsynced, folder, { takeOver }), runId, signal }),
  }
}

async function recordedSteps(): Promise<readonly string[]> {
  const lines = (await readFile(join(folder, `${runId}.jsonl`), 'utf8')).split('\n')
  return lines.filter((line) => line.includes('"type":"step"'))
}

const stateOf = ({ text, messages, calls, turns: taken }: RunResult): string =>
  JSON.stringify({ text, messages, calls, turns: taken })

async function reference(): Promise<string> {
  const result = await program().take()
  expect([result.stop.reason, result.calls]).toEqual(['answer', turns * callsPerTurn])
  await rm(folder, { recursive: true })
  return stateOf(result)
}

const refused = 'http://127.0.0.1:9/'
test.each([
  ['is refused', {}, 'network'],
  ['is cut', { resetAfterBytes: 40 }, 'network'],
  ['is answered with an error', { status: 500 }, 'server_error'],
] as const)(
  'whichever request to the model %s, the run goes on to the same state, and no call runs twice',
  async (_, fault, code) => {
    const whole = await reference()
    for (let at = 1; at <= turns + 1; at += 1) {
      served = 0
      misbehaviour = (index) => (index === at ? fault : undefined)
      const isRefused = Object.keys(fault).length === 0
      const first = program((index) => (isRefused && index === at ? refused : undefined))
      const failed = await first.take()
      expect([at, failed.stop.reason, failed.stop.error?.code]).toEqual([at, 'error', code])
      expectPaired(failed.messages)
      const before = await recordedSteps()
      misbehaviour = () => undefined
      const second = program()
      const result = await second.take()
      expect([at, stateOf(result), result.inDoubt]).toEqual([at, whole, undefined])
      expect((await recordedSteps()).slice(0, before.length)).toEqual(before)
      expect([at, first.ran.length]).toEqual([at, (at - 1) * callsPerTurn])
      expect(new Set([...first.ran, ...second.ran]).size).toBe(first.ran.length + second.ran.length)
      await rm(folder, { recursive: true })
    }
  },
)

test('whichever call throws, the model is told, and asked for again the run gives the same without a call or a request', async () => {
  for (let at = 1; at <= turns * callsPerTurn; at += 1) {
    const first = program(undefined, (index) => {
      if (index === at) throw new Error('the tool fails')
    })
    const result = await first.take()
    const failed = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    expect([at, result.stop.reason, failed.filter(({ isError }) => isError).length]).toEqual([at, 'answer', 1])
    const before = await recordedSteps()
    const [second, asked] = [program(), served]
    expect(stateOf(await second.take())).toBe(stateOf(result))
    expect([second.ran, served, await recordedSteps()]).toEqual([[], asked, before])
    await rm(folder, { recursive: true })
  }
})

test('whichever call the process dies in, it is run again when it may be, in doubt when not, and nothing else runs twice', async () => {
  const whole = await reference()
  for (let at = 1; at <= turns * callsPerTurn; at += 1) {
    const left = new AbortController()
    const first = program(undefined, (index) => (index === at ? new Promise(() => {}) : undefined))
    const hanging = first.take({ signal: left.signal })
    await expect.poll(() => isSettled(first.ran, at), { interval: 5 }).toBe(true)
    const before = await recordedSteps()
    const second = program()
    const result = await second.take({ takeOver: true })
    const id = first.ran[at - 1] ?? ''
    const mayRepeat = id.startsWith('look')
    expect([at, result.inDoubt?.map((call) => call.id)]).toEqual([at, mayRepeat ? undefined : [id]])
    if (mayRepeat) expect(stateOf(result)).toBe(whole)
    const all = [...first.ran, ...second.ran]
    expect([at, all.filter((ran, index) => all.indexOf(ran) !== index)]).toEqual([at, mayRepeat ? [id] : []])
    expect((await recordedSteps()).slice(0, before.length)).toEqual(before)
    left.abort()
    await hanging
    await rm(folder, { recursive: true })
  }
})

/** Whether the other call of the batch is recorded, so that one alone is on its way. */
async function isSettled(ran: readonly string[], at: number): Promise<boolean> {
  const batches = Math.ceil(at / callsPerTurn)
  const calls = (await recordedSteps()).filter((line) => line.includes('/call/')).length
  return ran.length === batches * callsPerTurn && calls === batches * callsPerTurn - 1
}
