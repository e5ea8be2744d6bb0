// The runs of a folder, seen from outside: listed, read, cancelled, cleared away. Nothing here needs the model or the tools.
import { appendFile, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message, ToolResult } from '../conversation/messages.js'
import { decodeConversation, decodeMessage, decodeResult } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { decodePending, type PendingCall } from '../loop/state.js'
import { toolResults } from '../tools/results.js'
import { pathOf, runIdOf } from './files.js'
import { livingOwner, lockedBy, openClaims } from './owner.js'
import { type JournalRecord, lineOf, readLines } from './records.js'

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

/** All runs of the folder, the last changed first. A folder that is missing has none; a damaged file is listed as such. */
export async function listRuns(folder: string): Promise<readonly RunSummary[]> {
  const names = await readdir(folder).catch(missing([]))
  const runs: RunSummary[] = []
  // one file at a time: there may be more of them than a process may open
  for (const runId of names.flatMap((name) => runIdOf(name) ?? [])) {
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
    const file = await stat(join(folder, pathOf(runId))).catch(missing(undefined))
    if (file === undefined) return undefined
    const { birthtimeMs: startedAt, mtimeMs: updatedAt, size: bytes } = file
    return { runId, status: 'damaged', startedAt, updatedAt, steps: 0, bytes }
  }
}

/** Reads a run from its file; neither its model nor its tools are needed. */
export async function readRun(folder: string, runId: string): Promise<RecordedRun> {
  const { records, bytes } = await recordsOf(folder, runId)
  const recorded = records.flatMap((record) => (record.type === 'step' ? [record] : []))
  const last = records.findLast((record) => record.type === 'stop')
  const note = records.findLast((record) => record.type === 'claim')?.note
  return {
    runId,
    status: statusOf(records),
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
  const { records } = await recordsOf(folder, runId)
  if (statusOf(records) === 'done')
    throw new ToolwireError('misuse', `the run "${runId}" is done; there is nothing to cancel`)
  await appendFile(join(folder, pathOf(runId)), `\n${lineOf({ type: 'cancel', at: Date.now() })}`)
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
  for (const { runId } of old) await deleteRun(folder, runId)
  return old.map(({ runId }) => runId)
}

async function deleteRun(folder: string, runId: string): Promise<void> {
  const { records } = await recordsOf(folder, runId)
  const owner = livingOwner(records)
  if (owner !== undefined) throw lockedBy(owner)
  await rm(join(folder, pathOf(runId)))
}

async function recordsOf(
  folder: string,
  runId: string,
): Promise<{ readonly records: readonly JournalRecord[]; readonly bytes: number }> {
  const bytes = await readFile(join(folder, pathOf(runId))).catch(missing(undefined))
  if (bytes === undefined) throw new ToolwireError('not_found', `there is no run "${runId}" in ${folder}`)
  return { records: readLines(bytes, `the journal of the run "${runId}"`).records, bytes: bytes.length }
}

/** Gives the value where a file or folder does not exist; other failures are told with their reason. */
function missing<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return value
    throw new ToolwireError('server_error', `the journals cannot be read: ${message}`, {
      retryable: false,
      cause: error,
    })
  }
}

function statusOf(records: readonly JournalRecord[]): RunStatus {
  if (livingOwner(records) !== undefined) return 'running'
  if (records.some((record) => record.type === 'cancel')) return 'cancelled'
  const last = records.findLast((record) => record.type === 'stop')
  if (last === undefined || openClaims(records).length > 0) return 'interrupted'
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
