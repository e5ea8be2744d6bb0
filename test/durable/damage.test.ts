// Journals of real runs, damaged at random: a run that is opened again finishes, is refused with the line, or reports calls in doubt.
// No call that was made before is made again. `npm run journal:damage` does it ten thousand times and prints a table.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileJournalOn } from '../../src/durable/file-journal.js'
import { readRun, salvageRun } from '../../src/durable/index.js'
import type { RunOptions } from '../../src/loop/options.js'
import type { RunResult } from '../../src/loop/result.js'
import { run } from '../../src/loop/run.js'
import type { Model } from '../../src/model/model.js'
import { scriptedModel } from '../../src/testing/index.js'
import { tool } from '../../src/tools/define.js'
import type { AnyTool } from '../../src/tools/tool.js'
import { randomness } from '../fuzz/randomness.js'
import { expectPaired } from '../loop/paired.js'
import { seed } from '../seed.js'
import { leasePath } from './edited.js'
import { type Draw, mutations } from './mutations.js'
import { unsynced } from './unsynced.js'

const wanted = Number(process.env.JOURNAL_MUTATIONS ?? '300')
const turns = 3
const runId = 'r'

/** A run's files as its process left them, and the calls it had begun by then. */
interface Sample {
  readonly name: string
  readonly folder: string
  readonly made: readonly string[]
}

let root: string
const samples: Sample[] = []
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'toolwire-damage-'))
  await makeSamples()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Each turn pays twice and looks once; what is paid may not be paid again. */
function modelOf(): Model {
  return scriptedModel(({ messages }) => {
    const turn = messages.filter((message) => message.role === 'assistant').length + 1
    if (turn > turns) return 'Everything is paid: 3 × 2 × 5 €.'
    const calls = ['pay', 'send', 'look'].map((name) => ({
      name,
      id: `${name}_${turn}`,
      args: { turn, note: 'für Ōmi' },
    }))
    return { text: `Turn ${turn}.`, calls }
  })
}

function toolsOf(made: string[], whenPaid: (count: number) => unknown = () => undefined): readonly AnyTool[] {
  return ['pay', 'send', 'look'].map((name) =>
    tool({
      name,
      description: 'Notes that it was called',
      input: { type: 'object' },
      repeatable: name === 'look',
      execute: async (_, { idempotencyKey }) => {
        made.push(`${name} ${idempotencyKey}`)
        if (name === 'pay') await whenPaid(made.length)
        return { done: name, at: made.length }
      },
    }),
  )
}

const start = (folder: string, options: Partial<RunOptions>): Promise<RunResult> =>
  run({
    model: modelOf(),
    maxTurns: turns + 1,
    prompt: 'go',
    journal: fileJournalOn(unsynced, folder, { leaseMs: 40 }),
    runId,
    ...options,
  } as RunOptions)

async function makeSamples(): Promise<void> {
  const keep = (name: string, from: string, made: readonly string[]): void => {
    const folder = join(root, `sample ${name}`)
    cpSync(from, folder, { recursive: true })
    samples.push({ name, folder, made: [...made] })
  }
  const folder = join(root, 'working')
  const made: string[] = []
  const seen: (readonly [string, string, readonly string[]])[] = []
  // while a call runs, the files are as a crash would leave them
  const whenPaid = (count: number): void => {
    const copy = join(root, `copy-${count}`)
    cpSync(folder, copy, { recursive: true })
    seen.push([`in call ${count}`, copy, [...made]])
  }
  await start(folder, { tools: toolsOf(made, whenPaid) })
  keep('finished', folder, made)
  for (const [name, copy, before] of seen) {
    keep(name, copy, before)
    const again = [...before]
    await start(copy, { tools: toolsOf(again) })
    keep(`${name}, resumed`, copy, again)
  }
  await makeTorn(keep, seen[1] ?? [])
  await makeApproved(keep)
  await makeOvertaken(keep)
}

type Keep = (name: string, from: string, made: readonly string[]) => void

/** Cut off within a line, resumed, and cut off again. */
async function makeTorn(
  keep: Keep,
  [, source = '', before = []]: Partial<readonly [string, string, readonly string[]]>,
) {
  const folder = join(root, 'torn')
  cpSync(source, folder, { recursive: true })
  const path = join(folder, `${runId}.jsonl`)
  writeFileSync(path, Buffer.concat([readFileSync(path), readFileSync(path).subarray(0, 100)]))
  rmSync(join(folder, `${runId}.lease`), { recursive: true })
  const made = [...before]
  const leaving = new AbortController()
  const tools = toolsOf(made, () => leaving.abort())
  await start(folder, { tools, signal: leaving.signal })
  keep('torn', folder, made)
}

/** Taken over while calls were running: their owner still recorded what came of them. */
async function makeOvertaken(keep: Keep): Promise<void> {
  const folder = join(root, 'overtaken')
  const made: string[] = []
  const journal = fileJournalOn(unsynced, folder, { takeOver: true })
  let isTaken = false
  const takeOver = async (): Promise<void> => {
    if (isTaken) return
    isTaken = true
    await start(folder, { tools: toolsOf(made), journal })
  }
  const { stop } = await start(folder, { tools: toolsOf(made, takeOver) })
  expect(stop.error?.code).toBe('run_locked')
  keep('overtaken', folder, made)
}

async function makeApproved(keep: Keep): Promise<void> {
  const folder = join(root, 'approved')
  const made: string[] = []
  const tools = toolsOf(made)
  const approve: RunOptions['approve'] = (call) => (call.name === 'pay' ? 'pause' : 'allow')
  await start(folder, { tools, approve })
  keep('waiting', folder, made)
  await start(folder, { tools, approve, approvals: { pay_1: 'allow' } })
  keep('approved', folder, made)
}

/** A folder with the sample in it, as it was. */
function copyOf(sample: Sample, index: number): string {
  const folder = join(root, `mutant-${index}`)
  mkdirSync(folder)
  cpSync(sample.folder, folder, { recursive: true })
  return folder
}

type Outcome = 'finished' | 'refused with a line' | 'in doubt' | 'waits'

/** Opens the run as a new process would. Approvals of a human are not repeated: who resumes does not give them. */
async function resume(folder: string, before: readonly string[]): Promise<Outcome> {
  const made: string[] = []
  const approve: RunOptions['approve'] = () => 'allow'
  const result = await start(folder, { tools: toolsOf(made), approve })
  expectPaired(result.messages)
  const repeated = made.filter((call) => !call.startsWith('look') && before.includes(call))
  expect(repeated).toEqual([])
  expect(new Set(made).size).toBe(made.length)
  const { reason, error } = result.stop
  if (reason === 'answer') return result.inDoubt === undefined ? 'finished' : 'in doubt'
  if (reason === 'needs_approval') return 'waits'
  expect(error?.code).toBe('journal_corrupted')
  expect(error?.detail?.line).toBeGreaterThan(0)
  return 'refused with a line'
}

/** Refused runs go on when they are salvaged, and repeat nothing either. */
async function salvage(folder: string, before: readonly string[]): Promise<void> {
  const path = join(folder, `${runId}.jsonl`)
  const damaged = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const { original } = await salvageRun(folder, runId)
  expect(readFileSync(original).equals(damaged)).toBe(true)
  await readRun(folder, runId)
  expect(await resume(folder, before)).not.toBe('refused with a line')
}

async function mutate(index: number, name: string, draw: Draw): Promise<Outcome | undefined> {
  const sample = samples[draw(samples.length)] as Sample
  const folder = copyOf(sample, index)
  try {
    const path = name.endsWith('of the lease') ? await leasePath(folder, runId) : join(folder, `${runId}.jsonl`)
    const mutation = mutations[name.replace(' of the lease', '')] as (typeof mutations)[string]
    const whole = readFileSync(path)
    const bytes = mutation(whole, draw)
    if (bytes.equals(whole)) return undefined
    writeFileSync(path, bytes)
    const outcome = await resume(folder, sample.made)
    if (outcome === 'refused with a line' && index % 4 === 0) await salvage(folder, sample.made)
    return outcome
  } catch (error) {
    throw new Error(`${name} of the run "${sample.name}", SEED=${seed}, mutation ${index}`, { cause: error })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('of journals damaged at random, each run finishes, is refused with a line, or reports calls in doubt; no call is repeated', async () => {
  const random = randomness(seed)
  const draw: Draw = (below) => random.below(Math.max(1, below))
  const ofLease = ['bit', 'byte', 'NUL file', 'cut inside a record'].map((name) => `${name} of the lease`)
  const names = [...Object.keys(mutations), ...ofLease]
  const table = new Map(names.map((name) => [name, new Map<Outcome, number>()]))
  let done = 0
  for (let index = 0; done < wanted; index += 1) {
    const name = names[index % names.length] as string
    const outcome = await mutate(index, name, draw)
    if (outcome === undefined) continue
    done += 1
    const row = table.get(name)
    row?.set(outcome, (row.get(outcome) ?? 0) + 1)
  }
  if (process.env.JOURNAL_MUTATIONS !== undefined) print(table, done)
  const refused = [...table.values()].reduce((sum, row) => sum + (row.get('refused with a line') ?? 0), 0)
  expect(refused).toBeGreaterThan(done / 2)
}, 1_800_000)

function print(table: ReadonlyMap<string, ReadonlyMap<Outcome, number>>, done: number): void {
  const outcomes: readonly Outcome[] = ['finished', 'waits', 'in doubt', 'refused with a line']
  const lines = [...table].map(([name, row]) => {
    const counts = outcomes.map((outcome) => String(row.get(outcome) ?? 0).padStart(outcome.length + 2))
    return name.padEnd(32) + counts.join('')
  })
  const head = ''.padEnd(32) + outcomes.map((outcome) => `  ${outcome}`).join('')
  process.stdout.write(
    `${[head, ...lines].join('\n')}\n${done} mutations of ${samples.length} journals: 0 calls repeated\n`,
  )
}
