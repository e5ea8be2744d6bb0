// Who has a run: one process at a time, as long as it renews its lease.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancelRun, fileJournal, listRuns, pruneRuns, readRun } from '../../src/durable/index.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { expectPaired } from '../loop/paired.js'
import { editLease, leasePath } from './edited.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-lease-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('of ten that open it at once one wins, and the others are told who', async () => {
  const store = fileJournal(folder)
  const opened = await Promise.allSettled(Array.from({ length: 10 }, () => store.open('r')))
  const won = opened.flatMap((entry) => (entry.status === 'fulfilled' ? [entry.value] : []))
  expect(won).toHaveLength(1)
  for (const entry of opened) {
    if (entry.status === 'rejected') expect(entry.reason).toMatchObject({ code: 'run_locked', retryable: true })
  }
  await won[0]?.close({ reason: 'answer' })
  const next = await store.open('r')
  await next.close({ reason: 'answer' })
})

test('a lease is renewed while its process waits for something', async () => {
  const journal = await fileJournal(folder, { leaseMs: 100 }).open('r')
  const renewals = async (): Promise<number> =>
    (JSON.parse(await readFile(await leasePath(folder, 'r'), 'utf8')) as { readonly renewals: number }).renewals
  const before = await renewals()
  await expect.poll(renewals).toBeGreaterThan(before + 2)
  await journal.close({ reason: 'answer' })
})

test('a run whose process is gone can be taken at once', async () => {
  const store = fileJournal(folder)
  await (await store.open('r')).close({ reason: 'answer' })
  for (const owner of [{ pid: 4_194_303 }, { started: '1' }, {}]) {
    await editLease(folder, 'r', owner)
    await (await store.open('r')).close({ reason: 'answer' })
  }
})

test.each([
  ['another machine', { host: 'elsewhere' }],
  ['another process namespace of this machine', { namespace: 'pid:[1]' }],
  ['this machine before its last start', { boot: 'earlier' }],
  ['another thread', { thread: 7 }],
])('a run of %s is taken when its lease was not renewed for the lease time', async (_, owner) => {
  await (await fileJournal(folder, { leaseMs: 300 }).open('r')).close({ reason: 'answer' })
  await editLease(folder, 'r', owner)
  const waits: unknown[] = []
  const started = performance.now()
  const journal = await fileJournal(folder, { onWait: (wait) => waits.push(wait) }).open('r')
  expect(performance.now() - started).toBeGreaterThanOrEqual(300)
  expect(waits).toMatchObject([{ runId: 'r', leaseMs: 300, pid: process.pid }])
  await journal.close({ reason: 'answer' })
})

test('a run whose lease is renewed elsewhere is refused, and taken only when asked for', async () => {
  await (await fileJournal(folder, { leaseMs: 400 }).open('r')).close({ reason: 'answer' })
  let renewals = 0
  const renew = (): Promise<void> => editLease(folder, 'r', { host: 'elsewhere' }, { renewals: renewals++ })
  await renew()
  const timer = setInterval(() => void renew(), 60)
  await expect(fileJournal(folder).open('r')).rejects.toMatchObject({
    code: 'run_locked',
    detail: { host: 'elsewhere', pid: process.pid },
  })
  clearInterval(timer)
  await (await fileJournal(folder, { takeOver: true }).open('r')).close({ reason: 'answer' })
})

test('waiting for a lease ends when the run is aborted', async () => {
  await (await fileJournal(folder).open('r')).close({ reason: 'answer' })
  await editLease(folder, 'r', { host: 'elsewhere' })
  const journal = fileJournal(folder)
  const result = await run({
    model: scriptedModel([]),
    prompt: 'go',
    journal,
    runId: 'r',
    signal: AbortSignal.timeout(50),
  })
  expect(result.stop).toMatchObject({ reason: 'aborted' })
})

test('a process that lost its lease records nothing more, and starts no call', async () => {
  const made: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Notes that it ran',
    input: { type: 'object' },
    execute: (_, { call }) => void made.push(call.id),
  })
  let isLost = false
  const losing = scriptedModel(async () => {
    if (!isLost) await (await fileJournal(folder, { takeOver: true }).open('r')).close({ reason: 'answer' })
    isLost = true
    return { calls: [{ name: 'pay' }] }
  })
  const open = { tools: [pay], prompt: 'go', journal: fileJournal(folder), runId: 'r' }
  const result = await run({ ...open, model: losing })
  expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'run_locked', retryable: true } })
  expectPaired(result.messages)
  expect(made).toEqual([])
  expect((await readRun(folder, 'r')).recorded.map(({ name }) => name)).toEqual(['start'])
  const next = await run({ ...open, model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.']) })
  expect([next.text, made.length]).toEqual(['Done.', 1])
})

test('a run that was cut off, resumed and finished is done, and is cleared away with all its files', async () => {
  const cutOff = await fileJournal(folder).open('r')
  await editLease(folder, 'r', { pid: 4_194_303 })
  expect(await listRuns(folder)).toMatchObject([{ status: 'interrupted' }])
  await run({ model: scriptedModel(['Hi.']), prompt: 'go', journal: fileJournal(folder), runId: 'r' })
  expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'done' }])
  await expect(cutOff.close({ reason: 'answer' })).rejects.toMatchObject({ code: 'run_locked' })
  expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'done' }])
  expect(await pruneRuns(folder, { olderThanMs: 0 })).toEqual(['r'])
  expect(await readdir(folder)).toEqual([])
})

test('cancelled from outside, a running tool is told, the run stops, and it cannot go on', async () => {
  const slow = tool({
    name: 'slow',
    description: 'Waits until it is told to stop',
    input: { type: 'object' },
    execute: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true })),
  })
  const running = run({
    model: scriptedModel([{ calls: [{ name: 'slow' }] }, 'Done.']),
    tools: [slow],
    prompt: 'go',
    journal: fileJournal(folder),
    runId: 'r',
  })
  await expect.poll(async () => (await listRuns(folder))[0]?.steps).toBe(3)
  expect(await listRuns(folder)).toMatchObject([{ status: 'running' }])
  await cancelRun(folder, 'r')
  const result = await running
  expect(result.stop).toMatchObject({ reason: 'aborted' })
  expectPaired(result.messages)
  expect(await listRuns(folder)).toMatchObject([{ status: 'cancelled' }])
  const again = await run({ model: scriptedModel([]), journal: fileJournal(folder), runId: 'r' })
  expect(again.stop).toMatchObject({ reason: 'error', error: { code: 'aborted' } })
})

test('an owner whose run was deleted and started anew under the same id has lost it', async () => {
  const old = await fileJournal(folder).open('r')
  await rm(folder, { recursive: true })
  const anew = await fileJournal(folder).open('r')
  await expect(old.step('charge', async () => 1)).rejects.toMatchObject({ code: 'run_locked' })
  await expect(old.close({ reason: 'answer' })).rejects.toMatchObject({ code: 'run_locked' })
  await anew.step('charge', async () => 2)
  await anew.close({ reason: 'answer' })
  expect((await readRun(folder, 'r')).recorded).toMatchObject([{ name: 'charge', value: 2 }])
})

test.each([0, -1, Number.NaN, 3_600_001])('a lease time of %s is misuse', async (leaseMs) => {
  await expect(fileJournal(folder, { leaseMs }).open('r')).rejects.toMatchObject({ code: 'misuse' })
})
