// Damaged runs: what is wrong with a journal, and how it is made usable again without repeating a call.
// The trap: the lost part may have started calls. Where that is possible, the salvaged journal says so, and calls that must not be
// repeated stay in doubt.
import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isCall } from '../conversation/messages.js'
import { decodeMessage } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json } from '../json/types.js'
import { createRegular, type RunPaths, readRegular, runIdsIn, runPaths, syncFolder } from './files.js'
import { acquireLease, type Lease, type LeaseWait } from './lease.js'
import { defaultLeaseMs, readLease } from './lease-file.js'
import { claimAfter, emptyHead, type JournalContent, readJournal, recordText, sealText, sumOf } from './lines.js'
import type { JournalRecord } from './records.js'

/** What is wrong with a run's journal, if anything is. */
export interface RunCheck {
  readonly runId: string
  /** How many records are intact. */
  readonly records: number
  readonly bytes: number
  /** The first line that can't be trusted, from 1. */
  readonly line?: number
  /** Why not; absent when the journal is sound. */
  readonly problem?: string
}

/** What became of a damaged run. */
export interface SalvagedRun {
  readonly runId: string
  /** How many records were kept. */
  readonly records: number
  /** The first line that was not. */
  readonly line: number
  /** Where the damaged journal is now. */
  readonly original: string
  /** The lost part may have started calls: those that follow are in doubt unless their tools are repeatable. */
  readonly isDoubtful: boolean
}

/** How a damaged run is taken before it is salvaged. */
export interface SalvageOptions {
  /** Takes the run from a process that lives. */
  readonly takeOver?: boolean | undefined
  /** Called when the run may be open in a process that can't be seen from here. */
  readonly onWait?: ((wait: LeaseWait) => void) | undefined
}

/** Checks all runs of a folder. */
export async function checkRuns(folder: string): Promise<readonly RunCheck[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const checks: RunCheck[] = []
  for (const runId of runIdsIn(names).toSorted()) {
    const check = await checkFiles(folder, runId)
    if (check !== undefined) checks.push(check)
  }
  return checks
}

/** Checks the journal of a run: every checksum, and whether it ends where it was written last. */
export async function checkRun(folder: string, runId: string): Promise<RunCheck> {
  const check = await checkFiles(folder, runId)
  if (check !== undefined) return check
  throw new ToolwireError('not_found', `there is no run "${runId}" in ${folder}`)
}

async function checkFiles(folder: string, runId: string): Promise<RunCheck | undefined> {
  const paths = runPaths(folder, runId)
  try {
    const head = (await readLease(paths.lease))?.head ?? emptyHead
    const bytes = await readRegular(paths.journal)
    if (bytes === undefined && head.records === 0) return undefined
    const { damage, ...content } = readJournal(bytes ?? new Uint8Array(), runId, head)
    const sound = { runId, records: content.head.records, bytes: bytes?.length ?? 0 }
    return damage === undefined ? sound : { ...sound, line: damage.line, problem: damage.reason }
  } catch (error) {
    return { runId, records: 0, bytes: 0, problem: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Keeps the records of a damaged run up to the damage, and the damaged journal beside them. The run can be resumed; calls that the lost
 * part may have made are in doubt then.
 */
export async function salvageRun(folder: string, runId: string, options: SalvageOptions = {}): Promise<SalvagedRun> {
  const paths = runPaths(folder, runId)
  await checkRun(folder, runId)
  const before = readJournal((await readRegular(paths.journal)) ?? new Uint8Array(), runId)
  const { takeOver, onWait } = options
  const wanted = { runId, leaseMs: defaultLeaseMs, takeOver, onWait }
  const lease = await acquireLease(paths.lease, wanted, before.epoch + 1)
  try {
    return await rewriteJournal(paths, runId, lease)
  } finally {
    lease.release()
  }
}

async function rewriteJournal(paths: RunPaths, runId: string, lease: Lease): Promise<SalvagedRun> {
  const bytes = (await readRegular(paths.journal)) ?? new Uint8Array()
  const content = readJournal(bytes, runId, lease.head)
  const { damage, records, intactBytes } = content
  if (damage === undefined) throw new ToolwireError('misuse', `the journal of the run "${runId}" is not damaged`)
  if (damage.isOldFormat === true) {
    const message = `the journal of the run "${runId}" was written by an earlier version of toolwire; nothing of it can be kept`
    throw new ToolwireError('journal_mismatch', message)
  }
  const lost = bytes.subarray(intactBytes)
  const isDoubtful = canHoldIntent(content, lost, lease.head.records)
  const kept = bytes.subarray(0, intactBytes)
  const lines = closingLines(content, runId, lease, isDoubtful)
  const original = await keepOriginal(paths.journal, bytes)
  const draft = `${paths.journal}.${randomUUID()}.tmp`
  try {
    const lineBreak = kept.length > 0 && kept.at(-1) !== 10 ? '\n' : ''
    await writeSynced(draft, [kept, Buffer.from(lineBreak + lines.join(''))])
    lease.note({ records: records.length + lines.length, sum: sumOf(lines.at(-1) ?? '') })
    lease.renew()
    await rename(draft, paths.journal)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(dirname(paths.journal))
  return { runId, records: records.length, line: damage.line, original, isDoubtful }
}

/** The claim of the salvage, and what it says. */
function closingLines(content: JournalContent, runId: string, lease: Lease, isDoubtful: boolean): readonly string[] {
  const { host, pid } = lease.owner
  const at = Date.now()
  const { note } = content.records.findLast((record) => record.type === 'claim') ?? {}
  const whole = { ...content, isOpenEnded: false, tornBytes: 0 }
  const claim = claimAfter(whole, { runId, host, pid, at, ...(note === undefined ? {} : { note }) })
  const line = content.damage?.line ?? 0
  let { sum } = content.head
  return [claim, { type: 'salvage', line, isDoubtful, at } as const].map((record) => {
    const sealed = sealText(sum, recordText(record, lease.epoch))
    sum = sealed.sum
    return `${sealed.text}\n`
  })
}

/** A copy of the damaged journal under a name that is free. */
async function keepOriginal(path: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${path}.damaged-${number}`
    try {
      await createRegular(name, bytes)
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function writeSynced(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for (const piece of pieces) await handle.writeFile(piece)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Whether the lost part may hold the intent to run a batch of calls. Every intent is noted in the lease before its calls run, so the
 * records that the lease knows of, and the lines that are left, bound what was lost.
 */
function canHoldIntent({ records }: JournalContent, lost: Uint8Array, written: number): boolean {
  if (written === 0 || lost.includes(0)) return true
  const lines = lost.reduce((count, byte) => count + (byte === 10 ? 1 : 0), lost.at(-1) === 10 ? 0 : 1)
  return Math.max(written - records.length, lines) >= recordsBeforeIntent(records)
}

/** Which of the following records can be an intent at the earliest, from 1. */
function recordsBeforeIntent(records: readonly JournalRecord[]): number {
  const steps = records.flatMap((record) => (record.type === 'step' ? [record] : []))
  const answer = steps.findLastIndex(({ name }) => /^turn\/\d+\/model$/.test(name))
  const intent = steps.findLastIndex(({ name }) => name.endsWith('/intent'))
  if (answer > intent && hasCalls(steps[answer]?.value)) return 1
  const calls = steps[intent]?.value
  if (intent < answer || !Array.isArray(calls)) return 2
  const results = steps.slice(intent).filter(({ name }) => /\/call\/\d+$/.test(name)).length
  return Math.max(0, calls.length - results) + 2
}

function hasCalls(answer: Json | undefined): boolean {
  try {
    const message = decodeMessage(isJsonObject(answer) ? answer.message : undefined)
    return message.role === 'assistant' && message.content.some(isCall)
  } catch {
    return true
  }
}
