// Who has a run. There is no lock to be left behind: a process appends its claim to the run's own file, and has the run if every
// earlier claim was released or belongs to a process that is gone. Two that claim at once see each other in the file's order.
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { threadId } from 'node:worker_threads'
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import type { Claim, JournalRecord } from './records.js'

/** The tokens of the claims this process holds. */
const held = new Set<string>()

export function makeClaim(runId: string, note: JsonObject | undefined): Claim {
  const token = crypto.randomUUID()
  held.add(token)
  const boot = bootId()
  const started = startOf(process.pid)
  return {
    type: 'claim',
    version: 1,
    runId,
    token,
    host: hostname(),
    ...(boot === undefined ? {} : { boot }),
    pid: process.pid,
    thread: threadId,
    ...(started === undefined ? {} : { started }),
    at: Date.now(),
    ...(note === undefined ? {} : { note }),
  }
}

export function dropClaim(claim: Claim): void {
  held.delete(claim.token)
}

/** The claims that were not released, in the order of the file. */
export function openClaims(records: readonly JournalRecord[]): readonly Claim[] {
  const released = new Set(records.flatMap((record) => (record.type === 'release' ? [record.token] : [])))
  return records.flatMap((record) => (record.type === 'claim' && !released.has(record.token) ? [record] : []))
}

/** The claim of a process that lives, among those before `own`. A process of another machine counts as living. */
export function livingOwner(records: readonly JournalRecord[], own?: Claim): Claim | undefined {
  const claims = openClaims(records)
  const place = claims.findIndex((claim) => claim.token === own?.token)
  return (place === -1 ? claims : claims.slice(0, place)).find(isAlive)
}

export function lockedBy(claim: Claim): ToolwireError {
  const where = claim.host === hostname() ? `process ${claim.pid}` : `process ${claim.pid} on ${claim.host}`
  const message = `the run "${claim.runId}" is open in ${where}; wait until it is done, or pass takeOver: true when you know that it is gone`
  return new ToolwireError('run_locked', message, { detail: { host: claim.host, pid: claim.pid } })
}

function isAlive(claim: Claim): boolean {
  if (claim.host !== hostname()) return true
  if (claim.boot !== undefined && claim.boot !== bootId()) return false
  if (claim.pid === process.pid && claim.started === startOf(process.pid))
    return held.has(claim.token) || claim.thread !== threadId
  if (!exists(claim.pid)) return false
  const started = startOf(claim.pid)
  return claim.started === undefined || started === undefined || claim.started === started
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return statOf(pid)?.[0] !== 'Z' // a process that is gone, and that its parent has not taken note of
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function bootId(): string | undefined {
  return firstLine('/proc/sys/kernel/random/boot_id')
}

/** Field 22 of the process's line, its start in clock ticks. The name before it may hold spaces and parentheses. */
function startOf(pid: number): string | undefined {
  const fields = statOf(pid)
  return fields?.[19]
}

function statOf(pid: number): readonly string[] | undefined {
  const line = firstLine(`/proc/${pid}/stat`)
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]
  } catch {
    return undefined
  }
}
