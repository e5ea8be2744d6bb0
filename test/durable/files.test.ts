// What somebody planted in the folder of runs: symbolic links are not followed, and nothing that is no file hangs or is written to.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancelRun, checkRuns, fileJournal, listRuns, pruneRuns, readRun } from '../../src/durable/index.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'

let root: string
let folder: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolwire-planted-'))
  folder = join(root, 'nested', 'runs')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const start = (runId: string) =>
  run({ model: scriptedModel(['Hi.']), prompt: 'go', journal: fileJournal(folder), runId })
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test('new folders can be entered by their owner only, and new files read by nobody else', async () => {
  await start('r')
  await start('c')
  await writeFile(join(folder, 'other.txt'), '')
  const journal = fileJournal(folder)
  await (await journal.open('open')).close({ reason: 'error' })
  await cancelRun(folder, 'open')
  for (const path of ['', 'r.lease', '..']) expect([path, await modeOf(join(folder, path))]).toEqual([path, 0o700])
  for (const path of ['r.jsonl', 'r.lease/1', 'open.cancel'])
    expect([path, await modeOf(join(folder, path))]).toEqual([path, 0o600])
})

test('a journal that is a symbolic link is not followed, neither to write nor to read', async () => {
  await start('r')
  const outside = join(root, 'outside.jsonl')
  await writeFile(outside, await readFile(join(folder, 'r.jsonl')))
  const before = await readFile(outside, 'utf8')
  await symlink(outside, join(folder, 'linked.jsonl'))
  const result = await start('linked')
  expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'misuse', message: /is a symbolic link/ } })
  await expect(readRun(folder, 'linked')).rejects.toMatchObject({ code: 'misuse' })
  const runs = await listRuns(folder)
  expect(runs.toSorted((a, b) => (a.runId < b.runId ? -1 : 1))).toMatchObject([
    { runId: 'linked', status: 'damaged' },
    { runId: 'r', status: 'done' },
  ])
  expect(await readFile(outside, 'utf8')).toBe(before)
})

test('a symbolic link to a file that is not there makes none', async () => {
  await mkdir(folder, { recursive: true })
  await symlink(join(root, 'made'), join(folder, 'r.jsonl'))
  expect((await start('r')).stop).toMatchObject({ reason: 'error', error: { code: 'misuse' } })
  await symlink(join(root, 'made'), join(folder, 's.cancel'))
  await start('s').catch(() => {})
  await expect(stat(join(root, 'made'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a lease that leads out of the folder is refused', async () => {
  const outside = join(root, 'outside')
  await mkdir(outside, { recursive: true })
  await mkdir(folder, { recursive: true })
  await symlink(outside, join(folder, 'r.lease'))
  expect((await start('r')).stop).toMatchObject({
    reason: 'error',
    error: { code: 'misuse', message: /is not a folder/ },
  })
  expect((await listRuns(folder)).map(({ status }) => status)).not.toContain('running')
  await mkdir(join(folder, 's.lease'))
  await writeFile(join(outside, 'target'), 'as it was')
  await symlink(join(outside, 'target'), join(folder, 's.lease', '1'))
  expect((await start('s')).stop).toMatchObject({ reason: 'error', error: { code: 'misuse' } })
  expect(await readFile(join(outside, 'target'), 'utf8')).toBe('as it was')
})

test('a FIFO or a folder in place of a journal is listed as damaged, at once', async () => {
  await start('r')
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
  await mkdir(join(folder, 'folder.jsonl'))
  await mkdir(join(folder, 'piped.lease'))
  execFileSync('mkfifo', [join(folder, 'piped.lease', '1')])
  const runs = await listRuns(folder)
  expect(runs.map(({ runId, status }) => `${runId} ${status}`).toSorted()).toEqual([
    'folder damaged',
    'pipe damaged',
    'piped damaged',
    'r done',
  ])
  expect((await checkRuns(folder)).flatMap(({ runId, problem }) => (problem === undefined ? [] : [runId]))).toEqual([
    'folder',
    'pipe',
    'piped',
  ])
  for (const runId of ['pipe', 'folder', 'piped']) {
    expect((await start(runId)).stop).toMatchObject({ reason: 'error', error: { code: 'misuse' } })
    await expect(readRun(folder, runId)).rejects.toMatchObject({ code: 'misuse' })
  }
  expect(await pruneRuns(folder, { olderThanMs: 0 })).toEqual(['r'])
})
