import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAppender } from '../../src/durable/append.js'
import { fileJournalOn } from '../../src/durable/file-journal.js'
import type { JournalFile } from '../../src/durable/files.js'
import { fileJournal, listRuns, pruneRuns, readRun } from '../../src/durable/index.js'
import { run } from '../../src/loop/run.js'
import type { Model } from '../../src/model/model.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { expectPaired } from '../loop/paired.js'
import { editJournal, removeLease } from './edited.js'
import { unsynced } from './unsynced.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-durable-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const pathOf = (runId: string): string => join(folder, `${runId}.jsonl`)

/** A tool that counts how often each call ran. */
function counting(name: string, repeatable = false): { readonly tool: AnyTool; readonly ran: string[] } {
  const ran: string[] = []
  const made = tool({
    name,
    description: 'Counts how often it ran',
    input: { type: 'object' },
    repeatable,
    execute: (_, { call }) => {
      ran.push(call.id)
      return 'ok'
    },
  })
  return { tool: made, ran }
}

/** Whether the line, which may be cut, is the whole record of the step. */
function isStep(line: string, name: string): boolean {
  try {
    return (JSON.parse(line) as { readonly name?: unknown }).name === name
  } catch {
    return false
  }
}

/** A model whose answer depends on the history only, as one that is asked again by another process. */
const twoTurns = (): Model & { readonly requests: readonly unknown[] } =>
  scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length
    return turn === 0 ? { text: 'Both.', calls: [{ name: 'pay' }, { name: 'look' }] } : 'Done.'
  })

describe('a run in a file', () => {
  test('is finished once; asked for again by its id, it gives the same and asks nobody', async () => {
    const [pay, look] = [counting('pay'), counting('look')]
    const tools = [pay.tool, look.tool]
    const first = await run({ model: twoTurns(), tools, prompt: 'go', journal: fileJournal(folder), runId: 'r' })
    const silent = twoTurns()
    const second = await run({ model: silent, tools, journal: fileJournal(folder), runId: 'r' })
    expect(JSON.stringify(second)).toBe(JSON.stringify(first))
    expect([pay.ran.length, look.ran.length, silent.requests.length]).toEqual([1, 1, 0])
    expect(second).toMatchObject({ runId: 'r', text: 'Done.', stop: { reason: 'answer' } })
  })

  test('cut at every byte, it goes on from the record before, and no recorded call runs again', async () => {
    await run({
      model: twoTurns(),
      tools: [counting('pay').tool, counting('look', true).tool],
      prompt: 'go',
      journal: fileJournal(folder),
      runId: 'r',
    })
    const whole = await readFile(pathOf('r'))
    const resumed = async (lane: string, length: number): Promise<void> => {
      await removeLease(lane, 'r')
      await writeFile(join(lane, 'r.jsonl'), whole.subarray(0, length))
      const kept = whole.subarray(0, length).toString('utf8')
      const [pay, look] = [counting('pay'), counting('look', true)]
      const journal = fileJournalOn(unsynced, lane, { takeOver: true })
      const result = await run({ model: twoTurns(), tools: [pay.tool, look.tool], prompt: 'go', journal, runId: 'r' })
      expect([length, result.text, result.stop.reason]).toEqual([length, 'Done.', 'answer'])
      expectPaired(result.messages)
      const recorded = (name: string): boolean => kept.split('\n').some((line) => isStep(line, name))
      const isIntended = recorded('turn/1/intent')
      expect([length, pay.ran.length]).toEqual([length, isIntended ? 0 : 1])
      expect(result.inDoubt?.map((call) => call.name) ?? []).toEqual(
        isIntended && !recorded('turn/1/call/0') ? ['pay'] : [],
      )
    }
    // Most of the time is spent waiting for the disk: so several at once, each in a folder of its own.
    const lanes = 8
    const inLane = async (first: number): Promise<void> => {
      const lane = await mkdtemp(join(folder, 'lane-'))
      for (let length = first; length <= whole.length; length += lanes) await resumed(lane, length)
    }
    await Promise.all(Array.from({ length: lanes }, (_, first) => inLane(first)))
  }, 60_000)

  test.each([
    ['{"type":"step","name":"turn/1/model"}', 'a record without its value'],
    ['{"type":"spell","at":1}', 'a record of an unknown type'],
    ['no JSON', 'text that is no JSON'],
    ['[]', 'another value'],
  ])('with a damaged line in the middle it is refused, and listed as damaged: %s', async (line) => {
    await run({ model: scriptedModel(['Hello.']), prompt: 'go', journal: fileJournal(folder), runId: 'r' })
    const lines = (await readFile(pathOf('r'), 'utf8')).split('\n')
    await writeFile(pathOf('r'), [lines[0], line, ...lines.slice(2)].join('\n'))
    const result = await run({ model: scriptedModel([]), journal: fileJournal(folder), runId: 'r' })
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'journal_corrupted', detail: { line: 2 } } })
    expect(await listRuns(folder)).toMatchObject([{ runId: 'r', status: 'damaged' }])
  })

  test('an id that nobody started is told, and so is another beginning', async () => {
    const journal = fileJournal(folder)
    const missing = await run({ model: scriptedModel([]), journal, runId: 'nobody' })
    expect(missing.stop).toMatchObject({ reason: 'error', error: { code: 'not_found' } })
    await run({ model: scriptedModel(['One.']), prompt: 'one', journal, runId: 'r' })
    const other = await run({ model: scriptedModel(['Two.']), prompt: 'two', journal, runId: 'r' })
    expect(other.stop).toMatchObject({ reason: 'error', error: { code: 'journal_mismatch' } })
  })

  test('a program that takes another course than the recorded one is stopped, not fed the records', async () => {
    const tools = [counting('pay').tool, counting('look').tool]
    await run({ model: twoTurns(), tools, prompt: 'go', journal: fileJournal(folder), runId: 'r' })
    await editJournal(folder, 'r', (json) => json.replace('"name":"turn/1/intent"', '"name":"turn/1/plan"'))
    const result = await run({ model: twoTurns(), tools, prompt: 'go', journal: fileJournal(folder), runId: 'r' })
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'journal_mismatch' } })
    await editJournal(folder, 'r', (json) => json.replace('"name":"turn/1/plan"', '"name":"turn/1/intent"'))
    await editJournal(folder, 'r', (json) =>
      isStep(json, 'turn/1/model') ? json.replaceAll('"pay"', '"steal"') : json,
    )
    const edited = await run({ model: twoTurns(), tools, prompt: 'go', journal: fileJournal(folder), runId: 'r' })
    expect(edited.stop).toMatchObject({ reason: 'error', error: { code: 'journal_mismatch' } })
  })

  test('an id may be any text that fits a file name', async () => {
    for (const runId of ['a/b', '..', 'ü ß', 'x'.repeat(200)]) {
      await run({ model: scriptedModel(['Hi.']), prompt: 'go', journal: fileJournal(folder), runId })
    }
    expect((await listRuns(folder)).map((entry) => entry.runId).toSorted()).toEqual(
      ['..', 'a/b', 'x'.repeat(200), 'ü ß'].toSorted(),
    )
    for (const runId of ['', 'x'.repeat(201), '\ud800']) {
      const result = await run({ model: scriptedModel(['Hi.']), prompt: 'go', journal: fileJournal(folder), runId })
      expect(result.stop).toMatchObject({ error: { code: 'misuse' } })
    }
  })

  test('integers beyond 2^53 and odd texts come back as they were', async () => {
    const args = '{"id":123456789012345678901234567890,"text":"\\u2028 \\ud83d\\ude00 \\"x\\""}'
    const model = (): Model =>
      scriptedModel(({ messages }) => (messages.length === 1 ? { calls: [{ name: 'pay', args }] } : 'Done.'))
    const first = await run({
      model: model(),
      tools: [counting('pay').tool],
      prompt: 'go',
      journal: fileJournal(folder),
      runId: 'r',
    })
    const second = await run({
      model: model(),
      tools: [counting('pay').tool],
      journal: fileJournal(folder),
      runId: 'r',
    })
    expect(JSON.stringify(second.messages)).toBe(JSON.stringify(first.messages))
    expect(JSON.stringify(second.messages)).toContain('123456789012345678901234567890')
  })

  test('secrets are not in the file, wherever they stand', async () => {
    const secret = 'sk-"quoted"-secret-1234'
    const model = scriptedModel([
      { text: `Your key is ${secret}`, calls: [{ name: 'pay', args: { key: secret } }] },
      'Done.',
    ])
    await run({
      model,
      tools: [counting('pay').tool],
      prompt: `use ${secret}`,
      journal: fileJournal(folder, { secrets: [secret] }),
      runId: 'r',
    })
    const text = await readFile(pathOf('r'), 'utf8')
    expect(text).not.toContain('secret-1234')
    expect(text).toContain('[redacted]')
    expect(await readRun(folder, 'r')).toMatchObject({ status: 'done' })
  })

  test('a result that is too long for a record fails the run and leaves it where it was', async () => {
    const journal = fileJournal(folder, { maxRecordBytes: 2_000 })
    const result = await run({ model: scriptedModel(['x'.repeat(3_000)]), prompt: 'go', journal, runId: 'r' })
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'limit_exceeded' } })
    const again = await run({ model: scriptedModel(['short']), journal: fileJournal(folder), runId: 'r' })
    expect(again.text).toBe('short')
  })
})

describe('approvals', () => {
  const asking = (): Model =>
    scriptedModel(({ messages }) =>
      messages.some((message) => message.role === 'assistant')
        ? 'Paid.'
        : {
            calls: [
              { name: 'pay', id: 'c1', args: { euro: 5 } },
              { name: 'look', id: 'c2' },
            ],
          },
    )
  const approve = (call: { readonly name: string }): 'pause' | 'allow' => (call.name === 'pay' ? 'pause' : 'allow')
  const paused = async (): Promise<{ pay: ReturnType<typeof counting>; tools: readonly AnyTool[] }> => {
    const [pay, look] = [counting('pay'), counting('look')]
    const tools = [pay.tool, look.tool]
    const first = await run({ model: asking(), tools, prompt: 'go', approve, journal: fileJournal(folder), runId: 'r' })
    expect(first.stop.reason).toBe('needs_approval')
    expect(await readRun(folder, 'r')).toMatchObject({ status: 'waiting', pending: [{ callId: 'c1', name: 'pay' }] })
    return { pay, tools }
  }

  test('a paused run waits in its file, goes on when it is allowed, and an approval counts once', async () => {
    const { pay, tools } = await paused()
    const open = { model: asking(), tools, journal: fileJournal(folder), runId: 'r' }
    expect((await run(open)).stop.reason).toBe('needs_approval')
    const allowed = await run({ ...open, approvals: { c1: 'allow' } })
    expect([allowed.text, allowed.stop.reason, pay.ran]).toEqual(['Paid.', 'answer', ['c1']])
    expectPaired(allowed.messages)
    const replayed = await run({ ...open, approvals: { c1: 'allow' } })
    expect(replayed.stop).toMatchObject({ reason: 'error', error: { code: 'misuse', message: /used before/ } })
    expect(JSON.stringify((await run(open)).messages)).toBe(JSON.stringify(allowed.messages))
    expect(pay.ran).toEqual(['c1'])
  })

  test('a denial is told to the model, and an approval of other arguments is none', async () => {
    const { pay, tools } = await paused()
    const open = { model: asking(), tools, journal: fileJournal(folder), runId: 'r' }
    const wrong = await run({ ...open, approvals: { c1: { allow: 'another digest' } } })
    expect(wrong.messages[2]).toMatchObject({ results: [{ callId: 'c1', isError: true }, { callId: 'c2' }] })
    expect(pay.ran).toEqual([])
  })

  test('approvals that nobody waits for are refused before anything is asked', async () => {
    const { tools } = await paused()
    const model = scriptedModel(['never'])
    const result = await run({ model, tools, journal: fileJournal(folder), runId: 'r', approvals: { c9: 'allow' } })
    expect(result.stop).toMatchObject({ reason: 'error', error: { code: 'misuse' } })
    expect(model.requests).toHaveLength(0)
  })

  test('a program that can ask is asked about the calls that wait', async () => {
    const { pay, tools } = await paused()
    const model = asking()
    const result = await run({ model, tools, approve: () => 'allow', journal: fileJournal(folder), runId: 'r' })
    expect([result.text, pay.ran]).toEqual(['Paid.', ['c1']])
  })

  test('changed arguments in the file do not run on an approval that was given for others', async () => {
    const { pay, tools } = await paused()
    await editJournal(folder, 'r', (json) => json.replaceAll('{\\"euro\\":5}', '{\\"euro\\":5000}'))
    const { pending } = await readRun(folder, 'r')
    const open = { model: asking(), tools, journal: fileJournal(folder), runId: 'r' }
    const result = await run({ ...open, approvals: { c1: { allow: pending[0]?.digest ?? '' } } })
    expect(pay.ran).toEqual([])
    expect(JSON.stringify(result.messages)).toContain('not the ones that were approved')
  })
})

describe('a disk that fails', () => {
  /** A store whose n-th write or sync fails. */
  function failing(at: number, operation: 'write' | 'datasync'): ReturnType<typeof fileJournal> {
    let count = 0
    return fileJournalOn(async (path) => {
      const file: FileHandle = await open(path, 'a+')
      const original = file[operation].bind(file) as (...args: readonly unknown[]) => Promise<unknown>
      Object.defineProperty(file, operation, {
        value: async (...args: readonly unknown[]) => {
          count += 1
          if (count === at) throw new Error('no space left on the device')
          return original(...args)
        },
      })
      return file
    }, folder)
  }

  // Both are needed for the start, the intent, the calls and the end, a write for the claim as well; an answer of the model goes with
  // what follows it.
  test.each([
    ['write', 5],
    ['datasync', 4],
  ] as const)(
    'whichever %s fails, the run ends with one typed error, and goes on later without a second effect',
    async (operation, needed) => {
      for (let at = 1; ; at += 1) {
        const runId = `${operation}-${at}`
        const [pay, look] = [counting('pay'), counting('look')]
        const tools = [pay.tool, look.tool]
        const options = { model: twoTurns(), tools, prompt: 'go', runId }
        const first = await run({ ...options, journal: failing(at, operation) })
        expectPaired(first.messages)
        if (first.stop.reason === 'answer') {
          expect(at).toBe(needed + 1)
          return
        }
        expect(first.stop.error?.code).toBe('server_error')
        const second = await run({ ...options, journal: fileJournal(folder) })
        expect([at, second.text]).toEqual([at, 'Done.'])
        const doubted = (second.inDoubt ?? []).map((call) => call.name)
        for (const [name, ran] of [
          ['pay', pay.ran],
          ['look', look.ran],
        ] as const) {
          expect([at, name, ran.length <= 1]).toEqual([at, name, true])
          expect([at, name, ran.length === 1 || doubted.includes(name)]).toEqual([at, name, true])
        }
      }
    },
  )
})

describe('lines that nobody waits for', () => {
  /** A file that keeps what is written, piece by piece, until it fails. */
  function pieces(): { readonly file: JournalFile; readonly written: string[]; fail(): void } {
    const written: string[] = []
    let isBroken = false
    const write = async (bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> => {
      if (isBroken) throw new Error('no space left on the device')
      written.push(Buffer.from(bytes).toString('utf8'))
      return { bytesWritten: bytes.length }
    }
    const file = { write, datasync: async () => {} } as unknown as JournalFile
    return {
      file,
      written,
      fail: () => {
        isBroken = true
      },
    }
  }

  test('are written with the next one that is waited for, in one piece, or soon by themselves', async () => {
    const { file, written } = pieces()
    const appender = createAppender(file, 'the file')
    await appender.hand('answer\n')
    expect(written).toEqual([])
    await appender.append('intent\n')
    expect(written).toEqual(['answer\nintent\n'])
    await appender.hand('alone\n')
    await setImmediate()
    await appender.idle()
    expect(written).toEqual(['answer\nintent\n', 'alone\n'])
  })

  test('that could not be written are told by the next, and by all after it', async () => {
    const { file, fail } = pieces()
    const appender = createAppender(file, 'the file')
    fail()
    await appender.hand('answer\n')
    await expect(appender.append('intent\n')).rejects.toMatchObject({ code: 'server_error' })
    await expect(appender.hand('another\n')).rejects.toMatchObject({ code: 'server_error' })
  })
})

test('old runs that are over are cleared away, others are kept', async () => {
  const journal = fileJournal(folder)
  await run({ model: scriptedModel(['Hi.']), prompt: 'go', journal, runId: 'done' })
  await run({ model: scriptedModel([]), prompt: 'go', journal, runId: 'failed' })
  expect(await pruneRuns(folder)).toEqual([])
  expect(await pruneRuns(folder, { olderThanMs: 0 })).toEqual(['done'])
  expect((await listRuns(folder)).map((entry) => [entry.runId, entry.status])).toEqual([['failed', 'failed']])
  expect(await listRuns(join(folder, 'missing'))).toEqual([])
})
