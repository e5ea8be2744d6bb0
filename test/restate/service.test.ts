// The workflow over the SDK's own promises, with a journal in memory in place of the server. `npm run engines:restate` is the same
// with the real one, and kills it.
import { CancelledError, RestatePromise, TerminalError, type WorkflowContext } from '@restatedev/restate-sdk'
import { expect, test } from 'vitest'
import type { RunResult } from '../../src/loop/result.js'
import { type RestateInput, type RestateOptions, restateService } from '../../src/restate/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'

/** What the server keeps of a run: steps by name, as JSON text. */
type Kept = Map<string, string>

interface Attempt {
  readonly context: WorkflowContext
  /** The connection is lost. */
  cut(): void
}

/** One attempt of a run. Steps that are kept are not run; `refuse` may fail one, as the server does. */
function attempt(
  key: string,
  kept: Kept,
  refuse: (name: string) => Promise<never> | undefined = () => undefined,
): Attempt {
  const connection = new AbortController()
  const lost = new Promise<never>(() => {})
  const step = async (name: string, fn: () => Promise<unknown>): Promise<unknown> => {
    const known = kept.get(name)
    if (known !== undefined) return JSON.parse(known)
    const text = JSON.stringify(await Promise.race([fn(), ...[refuse(name) ?? []].flat()]))
    if (connection.signal.aborted) return lost
    kept.set(name, text)
    return JSON.parse(text)
  }
  const context = {
    key,
    request: () => ({ attemptCompletedSignal: connection.signal }),
    run: (name: string, fn: () => Promise<unknown>) => RestatePromise.resolve(step(name, fn)),
  }
  return { context: context as unknown as WorkflowContext, cut: () => connection.abort() }
}

/** The handler as the SDK calls it. */
function handlerOf(name: string, options: RestateOptions) {
  const service = restateService(name, () => options)
  const { run } = (service as unknown as { workflow: { run: unknown } }).workflow
  return run as (context: WorkflowContext, input: RestateInput) => Promise<RunResult>
}

const model = () =>
  scriptedModel(({ messages }) =>
    messages.some((message) => message.role === 'tool')
      ? 'Done.'
      : {
          calls: [
            { name: 'pay', id: 'c1' },
            { name: 'look', id: 'c2' },
          ],
        },
  )

/** Tools that count, and that wait until they are let go. */
function counting() {
  const ran: string[] = []
  const keys: string[] = []
  let letGo = (): void => {}
  const open = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const make = (name: string, repeatable: boolean) =>
    tool({
      name,
      description: 'Waits until it is let go',
      input: { type: 'object' },
      repeatable,
      execute: async (_, { idempotencyKey, signal }) => {
        ran.push(name)
        keys.push(idempotencyKey)
        await Promise.race([open, new Promise((resolve) => signal.addEventListener('abort', resolve))])
        return signal.aborted ? 'stopped' : 'ok'
      },
    })
  return { tools: [make('pay', false), make('look', true)], ran, keys, letGo }
}

test('a run takes its steps by name and gives its result as JSON', async () => {
  const { tools, ran, keys, letGo } = counting()
  letGo()
  const kept: Kept = new Map()
  const result = await handlerOf('whole', { model: model(), tools })(attempt('r1', kept).context, { prompt: 'go' })
  expect([result.runId, result.text, result.stop.reason]).toEqual(['r1', 'Done.', 'answer'])
  expect([...kept.keys()]).toEqual(['turn/1/model', 'turn/1/intent', 'turn/1/call/0', 'turn/1/call/1', 'turn/2/model'])
  expect([ran, keys]).toEqual([
    ['pay', 'look'],
    ['r1/1/c1', 'r1/1/c2'],
  ])
  const silent = scriptedModel([])
  const again = await handlerOf('whole', { model: silent, tools })(attempt('r1', kept).context, { prompt: 'go' })
  expect([JSON.stringify(again), silent.requests, ran.length]).toEqual([JSON.stringify(result), [], 2])
})

test('cut off from the server, an attempt is joined by the next one in its process: nothing runs twice or is in doubt', async () => {
  const { tools, ran, letGo } = counting()
  const kept: Kept = new Map()
  const handler = handlerOf('joined', { model: model(), tools })
  const first = attempt('r2', kept)
  void handler(first.context, { prompt: 'go' })
  await expect.poll(() => ran.length).toBe(2)
  first.cut()
  const second = handler(attempt('r2', kept).context, { prompt: 'go' })
  letGo()
  const result = await second
  expect([result.text, result.inDoubt, ran]).toEqual(['Done.', undefined, ['pay', 'look']])
})

test('in another process a call that was cut off is in doubt, and one that may be repeated runs again', async () => {
  const { tools, ran, letGo } = counting()
  const kept: Kept = new Map()
  void handlerOf('one process', { model: model(), tools })(attempt('r3', kept).context, { prompt: 'go' })
  await expect.poll(() => ran.length).toBe(2)
  const left: Kept = new Map(kept)
  letGo()
  const result = await handlerOf('another', { model: model(), tools })(attempt('r3', left).context, { prompt: 'go' })
  expect([result.text, result.inDoubt?.map((call) => call.id), ran]).toEqual(['Done.', ['c1'], ['pay', 'look', 'look']])
})

test('a cancelled run stops its tools, and Restate gets its own error back', async () => {
  const { tools, ran } = counting()
  const cancelled = async (): Promise<never> => {
    await expect.poll(() => ran.length).toBe(2)
    throw new CancelledError()
  }
  const { context } = attempt('r4', new Map(), (name) => (name.endsWith('call/0') ? cancelled() : undefined))
  const running = handlerOf('cancelled', { model: model(), tools })(context, { prompt: 'go' })
  await expect(running).rejects.toBeInstanceOf(CancelledError)
})

test('misuse is told once and not tried again, and an input sets no options', async () => {
  const handler = handlerOf('misuse', { model: model(), tools: counting().tools, maxTurns: 1 })
  const wrong = handler(attempt('r5', new Map()).context, { prompt: 'go', approvals: { c9: 'allow' } })
  await expect(wrong).rejects.toMatchObject({ code: 400, metadata: { code: 'misuse' } })
  await expect(wrong).rejects.toBeInstanceOf(TerminalError)
  const { tools, letGo } = counting()
  letGo()
  const sly = { prompt: 'go', maxTurns: 9, runId: 'other' } as RestateInput
  const result = await handlerOf('sly', { model: model(), tools, maxTurns: 1 })(attempt('r6', new Map()).context, sly)
  expect([result.runId, result.stop.reason]).toEqual(['r6', 'max_turns'])
})

test('what the SDK calls is there, on Node 20 too', () => {
  restateService('any', () => ({ model: scriptedModel([]) }))
  expect('withResolvers' in Promise).toBe(true)
})
