// The runs of a folder, seen from outside: listed, read, cancelled, cleared away. Nothing here needs the model or the tools.
import { lstat, readdir, rm } from 'node:fs/promises'
import type { Message, ToolResult } from '../conversation/messages.js'
import { decodeConversation, decodeMessage, decodeResult } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { decodePending, type PendingCall } from '../loop/state.js'
import { toolResults } from '../tools/results.js'
import { createCorruptionError } from './file-journal.js'
import { createRegular, type RunPaths, readRegular, runIdsIn, runPaths } from './files.js'
import { acquireLease, type Lease } from './lease.js'
import { checkLease, defaultLeaseMs, isFresh, type LeaseState, readLease } from './lease-file.js'
import { readJournal } from './lines.js'
import type { JournalRecord } from './records.js'

/** `interrupted`: its process is gone without a word. `damaged`: its file cannot be read. */
export type RunStatus = 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'aborted' | 'cancelled' | 'damaged'

/** A run in one line. */
export interface RunSummary {
  readonly runId: string
  readonly status: RunStatus
  /** How the last attempt ended, as `stop` of the run's result told it. */
  readonly reason?: string
  readonly detail?: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly updatedAt: number
  readonly steps: number
  readonly bytes: number
}

/** One step that was done, with what it gave. */
export interface RecordedStep {
  readonly name: string
  readonly at: number
  readonly value: Json
}

/** A run as its file tells it, without model and tools. */
export interface RecordedRun extends RunSummary {
  /** What was said so far. Calls without a record have no result in it. */
  readonly messages: readonly Message[]
  /** Calls that wait for approval: `run({ journal, runId, approvals: { [callId]: 'allow' } })`. */
  readonly pending: readonly PendingCall[]
  /** The ids of calls that were cut off by the end of a process and not run again. */
  readonly inDoubt: readonly string[]
  readonly recorded: readonly RecordedStep[]
  /** What the last program to run it noted. */
  readonly note?: JsonObject
}

/** All runs of the folder, the last changed first. A folder that is missing has none; what can't be read is listed as `damaged`. */
export async function listRuns(folder: string): Promise<readonly RunSummary[]> {
  const names = await readdir(folder).catch(missing([]))
  const runs: RunSummary[] = []
  // one file at a time: there may be more of them than a process may open
  for (const runId of runIdsIn(names)) {
    const run = await summaryOf(folder, runId)
    if (run !== undefined) runs.push(run)
  }
  return runs.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

async function summaryOf(folder: string, runId: string): Promise<RunSummary | undefined> {
  try {
    const { runId: id, status, reason, detail, startedAt, updatedAt, steps, bytes } = await readRun(folder, runId)
    const stop = { ...(reason === undefined ? {} : { reason }), ...(detail === undefined ? {} : { detail }) }
    return { runId: id, status, ...stop, startedAt, updatedAt, steps, bytes }
  } catch (error) {
    if (!ToolwireError.is(error) || error.code === 'not_found') return undefined
    const paths = runPaths(folder, runId)
    const file = await lstat(paths.journal).catch(() => lstat(paths.lease).catch(() => undefined))
    if (file === undefined) return undefined
    const { birthtimeMs: startedAt, mtimeMs: updatedAt, size: bytes } = file
    return { runId, status: 'damaged', startedAt, updatedAt, steps: 0, bytes }
  }
}

/** Reads a run from its file; neither its model nor its tools are needed. */
export async function readRun(folder: string, runId: string): Promise<RecordedRun> {
  const files = await readFiles(folder, runId)
  const { records, bytes } = files
  const recorded = records.flatMap((record) => (record.type === 'step' ? [record] : []))
  const last = records.findLast((record) => record.type === 'stop')
  const note = records.findLast((record) => record.type === 'claim')?.note
  return {
    runId,
    status: statusOf(files),
    ...(last === undefined ? {} : { reason: last.reason }),
    ...(last?.detail === undefined ? {} : { detail: last.detail }),
    startedAt: records[0]?.at ?? 0,
    updatedAt: records.at(-1)?.at ?? 0,
    steps: recorded.length,
    bytes,
    ...historyOf(recorded),
    recorded: recorded.map(({ name, at, value }) => ({ name, at, value })),
    ...(note === undefined ? {} : { note }),
  }
}

/** Stops the run where it is, also in another process, within a second. It cannot go on afterwards. One that is done is refused. */
export async function cancelRun(folder: string, runId: string): Promise<void> {
  if (statusOf(await readFiles(folder, runId)) === 'done')
    throw new ToolwireError('misuse', `the run "${runId}" is done; there is nothing to cancel`)
  const { cancel } = runPaths(folder, runId)
  await createRegular(cancel, `${new Date().toISOString()}\n`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw unreadable(error)
  })
}

/** Which runs are removed. */
export interface PruneOptions {
  /** Keeps runs that changed within this time; 30 days. */
  readonly olderThanMs?: number | undefined
  /** What may go; runs that are done, aborted or cancelled. A running one never goes. */
  readonly statuses?: readonly RunStatus[] | undefined
}

/** Deletes old runs, and gives their ids. */
export async function pruneRuns(folder: string, options: PruneOptions = {}): Promise<readonly string[]> {
  const { olderThanMs = 30 * 24 * 3_600_000, statuses = ['done', 'aborted', 'cancelled'] } = options
  const before = Date.now() - olderThanMs
  const old = (await listRuns(folder)).filter(
    ({ status, updatedAt }) => status !== 'running' && statuses.includes(status) && updatedAt <= before,
  )
  const deleted: string[] = []
  for (const { runId } of old) if (await deleteRun(folder, runId)) deleted.push(runId)
  return deleted
}

/** False when somebody has opened the run, or may have. */
async function deleteRun(folder: string, runId: string): Promise<boolean> {
  const paths = runPaths(folder, runId)
  let lease: Lease
  try {
    lease = await acquireLease(paths.lease, { runId, leaseMs: defaultLeaseMs, isHasty: true })
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'run_locked') return false
    throw error
  }
  await rm(paths.journal, { force: true })
  await rm(paths.cancel, { force: true })
  await rm(paths.lease, { recursive: true, force: true })
  lease.release()
  return true
}

interface RunFiles {
  readonly records: readonly JournalRecord[]
  readonly bytes: number
  readonly isRunning: boolean
  readonly isCancelled: boolean
}

async function readFiles(folder: string, runId: string): Promise<RunFiles> {
  const paths = runPaths(folder, runId)
  // the lease first: the journal only grows, and must not end before what the lease says
  const lease = await readLease(paths.lease).catch(missing(undefined))
  const bytes = await readRegular(paths.journal).catch(missing(undefined))
  if (bytes === undefined && (lease === undefined || lease.head.records === 0))
    throw new ToolwireError('not_found', `there is no run "${runId}" in ${folder}`)
  const { records, damage } = readJournal(bytes ?? new Uint8Array(), runId, lease?.head)
  if (damage !== undefined) throw createCorruptionError(`the journal of the run "${runId}"`, damage)
  const isRunning = await isHeld(paths, lease)
  return { records, bytes: bytes?.length ?? 0, isRunning, isCancelled: await isThere(paths) }
}

async function isHeld(paths: RunPaths, lease: LeaseState | undefined): Promise<boolean> {
  const status = checkLease(lease)
  return status === 'unknown' && lease !== undefined ? isFresh(paths.lease, lease) : status === 'held'
}

async function isThere({ cancel }: RunPaths): Promise<boolean> {
  return lstat(cancel).then(() => true, missing(false))
}

/** Gives the value where a file or folder does not exist; other failures are told with their reason. */
function missing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value
    throw ToolwireError.is(error) ? error : unreadable(error)
  }
}

function unreadable(cause: unknown): ToolwireError {
  const { message } = cause as Error
  return new ToolwireError('server_error', `the journals cannot be read: ${message}`, { retryable: false, cause })
}

function statusOf({ records, isRunning, isCancelled }: RunFiles): RunStatus {
  if (isRunning) return 'running'
  if (isCancelled) return 'cancelled'
  const last = records.findLast((record) => record.type === 'stop' || record.type === 'claim')
  if (last?.type !== 'stop') return 'interrupted'
  switch (last.reason) {
    case 'needs_approval':
      return 'waiting'
    case 'error':
      return 'failed'
    case 'aborted':
      return 'aborted'
    default:
      return 'done'
  }
}

/** The conversation out of the steps, and the calls of its last answer that wait. */
function historyOf(steps: readonly RecordedStep[]): Pick<RecordedRun, 'messages' | 'pending' | 'inDoubt'> {
  const messages: Message[] = []
  let results = new Map<number, ToolResult>()
  let pending = new Map<number, PendingCall>()
  const inDoubt: string[] = []
  const answer = (): void => {
    const inOrder = [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result)
    if (inOrder.length > 0) messages.push(toolResults(inOrder))
    results = new Map()
    pending = new Map()
  }
  for (const { name, value } of steps) {
    if (!isJsonObject(value)) continue
    if (name === 'start') for (const message of decodeConversation(value.messages)) messages.push(message)
    else if (/^turn\/\d+\/model$/.test(name)) {
      answer()
      messages.push(decodeMessage(value.message))
    } else if (/^turn\/.*\/call\/\d+$/.test(name)) {
      const ordinal = Number(name.slice(name.lastIndexOf('/') + 1))
      pending.delete(ordinal)
      if (value.state === 'answered') {
        const result = decodeResult(value.result)
        results.set(ordinal, result)
        if (value.inDoubt === true) inDoubt.push(result.callId)
      } else pending.set(ordinal, decodePending(value.pending))
    }
  }
  const waiting = [...pending.values()]
  answer()
  return { messages, pending: waiting, inDoubt }
}
