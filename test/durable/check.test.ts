// What is wrong with a journal is said with its line, and what can be kept of it is kept.
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkRun, checkRuns, fileJournal, listRuns, readRun, salvageRun } from '../../src/durable/index.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import { editLease, removeLease } from './edited.js'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-check-'))
  path = join(folder, 'r.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const turns = 2
/** Takes the run as far as it goes. Its lines: claim, start, then per turn the answer, the intent and two results, the last answer, the stop. */
async function take(runId = 'r'): Promise<{ readonly result: RunResult; readonly made: readonly string[] }> {
  const made: string[] = []
  const tools = ['pay', 'look'].map((name) =>
    tool({
      name,
      description: 'Notes that it ran',
      input: { type: 'object' },
      repeatable: name === 'look',
      execute: (_, { call }) => {
        made.push(call.id)
        return 'ok'
      },
    }),
  )
  const model = scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length + 1
    return turn > turns ? 'Done.' : { calls: ['pay', 'look'].map((name) => ({ name, id: `${name}_${turn}` })) }
  })
  const result = await run({ model, tools, prompt: 'go', journal: fileJournal(folder), runId })
  return { result, made }
}

const linesOf = async (): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1)
const writeLines = (lines: readonly string[]): Promise<void> =>
  writeFile(path, lines.map((line) => `${line}\n`).join(''))
const flip = (line = ''): string => line.replace('"at":1', '"at":2')

describe('a journal', () => {
  const damages: readonly (readonly [string, (lines: string[]) => readonly string[], number, RegExp])[] = [
    ['a changed line', (lines) => lines.with(4, flip(lines[4])), 5, /checksum does not match/],
    ['a changed last line', (lines) => lines.with(-1, flip(lines.at(-1))), 12, /checksum does not match/],
    ['two bad lines at the end', (lines) => [...lines.slice(0, -2), '{"sum":"0', '{'], 11, /not a record/],
    ['a line that is there twice', (lines) => lines.toSpliced(5, 0, lines[4] ?? ''), 6, /checksum does not match/],
    [
      'two lines in each other’s place',
      (lines) => lines.with(6, lines[7] ?? '').with(7, lines[6] ?? ''),
      7,
      /checksum/,
    ],
    ['a missing line', (lines) => lines.toSpliced(6, 1), 7, /checksum does not match/],
    ['missing lines at the end', (lines) => lines.slice(0, 4), 5, /8 more records were written/],
    ['an empty line', (lines) => lines.toSpliced(3, 0, ''), 4, /is empty/],
    ['nothing in it', () => [], 1, /12 more records were written/],
    ['a missing claim', (lines) => lines.slice(1), 1, /the line it follows is missing/],
  ]
  test.each(damages)('with %s is refused with the number of the line', async (_, damage, line, problem) => {
    await take()
    await writeLines(damage(await linesOf()))
    const { result, made } = await take()
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'journal_corrupted', detail: { line } } })
    expect(result.stop.error?.message).toMatch(new RegExp(`line ${line}: .*${problem.source}`))
    expect(made).toEqual([])
    expect(await checkRun(folder, 'r')).toMatchObject({ line, problem: expect.stringMatching(problem) })
    expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'damaged' }])
  })

  test.each([
    ['a tail of NUL bytes', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 900), Buffer.alloc(200)]), undefined],
    ['NUL bytes behind its end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4_096)]), 13],
    ['NUL bytes only', (bytes: Buffer) => Buffer.alloc(bytes.length), 1],
  ])('with %s is refused, with or without its lease', async (_, damage, line) => {
    await take()
    await writeFile(path, damage(await readFile(path)))
    for (const forget of [async () => {}, () => removeLease(folder, 'r')]) {
      await forget()
      const { result, made } = await take()
      expect(result.stop).toMatchObject({
        error: { code: 'journal_corrupted', detail: { line: line ?? expect.any(Number) } },
      })
      expect(made).toEqual([])
    }
  })

  test('that is gone is refused while its lease says that there was one', async () => {
    await take()
    await rm(path)
    expect((await take()).result.stop).toMatchObject({ error: { code: 'journal_corrupted', detail: { line: 1 } } })
    expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'damaged' }])
  })

  test('of another run is refused', async () => {
    await take('other')
    await writeFile(path, await readFile(join(folder, 'other.jsonl')))
    const { result } = await take()
    expect(result.stop.error).toMatchObject({ code: 'journal_corrupted', message: /belongs to the run "other"/ })
  })

  test('without checksums is one of an earlier version', async () => {
    await writeFile(path, '{"type":"claim","version":1,"runId":"r","token":"t","host":"h","pid":1,"thread":0,"at":1}\n')
    const { result } = await take()
    expect(result.stop.error).toMatchObject({ code: 'journal_mismatch', message: /by an earlier version of toolwire/ })
    await expect(salvageRun(folder, 'r')).rejects.toMatchObject({ code: 'journal_mismatch' })
  })

  test('that a crash cut within its last line goes on, and can be cut again', async () => {
    const path = join(folder, 'r.jsonl')
    const left = [await fileJournal(folder).open('r')]
    await left[0]?.step('one', async () => 1)
    for (let crash = 1; crash < 4; crash += 1) {
      await appendFile(path, (await readFile(path)).subarray(0, 30 + crash))
      await editLease(folder, 'r', { pid: 4_194_303 })
      const next = await fileJournal(folder).open('r')
      expect(await next.step('one', async () => 2)).toBe(1)
      for (let earlier = 1; earlier < crash; earlier += 1) await next.step(`crash ${earlier}`, async () => 0)
      await next.step(`crash ${crash}`, async () => crash)
      left.push(next)
    }
    const steps = (await readRun(folder, 'r')).recorded.map(({ name }) => name)
    expect(steps).toEqual(['one', 'crash 1', 'crash 2', 'crash 3'])
    const closed = await Promise.allSettled(left.map((each) => each.close({ reason: 'answer' })))
    expect(closed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
  })

  test('is intact, and so are all of the folder', async () => {
    await take('a')
    await take('b')
    expect(await checkRuns(folder)).toMatchObject([
      { runId: 'a', records: 12 },
      { runId: 'b', records: 12 },
    ])
    expect((await checkRuns(folder)).some(({ problem }) => problem !== undefined)).toBe(false)
    expect(await checkRuns(join(folder, 'missing'))).toEqual([])
    await expect(checkRun(folder, 'c')).rejects.toMatchObject({ code: 'not_found' })
    await expect(salvageRun(folder, 'a')).rejects.toMatchObject({ code: 'misuse' })
  })
})

describe('what is salvaged', () => {
  test('keeps the damaged journal beside it, and what it may have done is in doubt', async () => {
    await take()
    const lines = await linesOf()
    await writeLines(lines.with(6, flip(lines[6])))
    const damaged = await readFile(path, 'utf8')
    const salvaged = await salvageRun(folder, 'r')
    expect(salvaged).toMatchObject({ runId: 'r', records: 6, line: 7, isDoubtful: true })
    expect(await readFile(salvaged.original, 'utf8')).toBe(damaged)
    expect((await readdir(folder)).toSorted()).toEqual(['r.jsonl', 'r.jsonl.damaged-1', 'r.lease'])
    expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'interrupted' }])
    const { result, made } = await take()
    expect(result).toMatchObject({ text: 'Done.', inDoubt: [{ id: 'pay_2' }] })
    expect(made).toEqual(['look_2'])
    expect(JSON.stringify(result.messages)).toContain('Part of the journal of this run was lost')
  })

  test('has no doubts when what was lost can have begun no call', async () => {
    await take()
    const lines = await linesOf()
    await writeLines(lines.with(-1, flip(lines.at(-1))))
    expect(await salvageRun(folder, 'r')).toMatchObject({ records: 11, line: 12, isDoubtful: false })
    const { result, made } = await take()
    expect([result.text, result.inDoubt, made]).toEqual(['Done.', undefined, []])
  })

  test('is the beginning of a journal that was cut off', async () => {
    await take()
    await truncate(path, 700)
    const { isDoubtful, records } = await salvageRun(folder, 'r')
    expect([isDoubtful, records < 4]).toEqual([true, true])
    const { result, made } = await take()
    expect(result.inDoubt?.map(({ id }) => id)).toEqual(['pay_1', 'pay_2'])
    expect(made).toEqual(['look_1', 'look_2'])
  })

  test('can be salvaged again', async () => {
    await take()
    for (const name of ['damaged-1', 'damaged-2']) {
      await appendFile(path, '\0\n')
      expect((await salvageRun(folder, 'r')).original).toBe(`${path}.${name}`)
    }
    expect((await take()).result.text).toBe('Done.')
  })
})
