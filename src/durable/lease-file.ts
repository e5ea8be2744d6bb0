// The files of a lease as others see them, read as hostile data: who holds the run, and how far its journal goes.
import { readdir, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json } from '../json/types.js'
import { readRegular } from './files.js'
import { checksum, emptyHead, type JournalHead, sealText } from './lines.js'
import { checkOwner, type Owner, parseOwner } from './owner.js'

export const defaultLeaseMs = 10_000
export const maxLeaseMs = 3_600_000

export function isLeaseTime(leaseMs: unknown): leaseMs is number {
  return typeof leaseMs === 'number' && leaseMs > 0 && leaseMs <= maxLeaseMs
}

/** A lease as others see it. */
export interface LeaseState {
  readonly epoch: number
  /** Absent when the file can't be read: its owner is just writing it, or it is damaged. */
  readonly content?: LeaseContent
  /** How far the journal went when that was last noted. */
  readonly head: JournalHead
}

/** What the file of a lease says. */
export interface LeaseContent {
  readonly owner: Owner
  readonly leaseMs: number
  readonly renewals: number
  readonly isReleased: boolean
  readonly head: JournalHead
}

/** Says whether a run is held; `unknown` when only watching its lease would tell. */
export function checkLease(state: LeaseState | undefined): 'held' | 'free' | 'unknown' {
  if (state === undefined || state.content?.isReleased === true) return 'free'
  const owner = state.content === undefined ? 'unknown' : checkOwner(state.content.owner)
  if (owner === 'unknown') return 'unknown'
  return owner === 'alive' ? 'held' : 'free'
}

export function lockedError(runId: string, state: LeaseState | undefined): ToolwireError {
  const owner = state?.content?.owner
  const place = owner?.host === hostname() ? `process ${owner.pid}` : `process ${owner?.pid} on ${owner?.host}`
  const where = owner === undefined ? 'another process' : place
  const message = `the run "${runId}" is open in ${where}; wait until it is done, or pass takeOver: true to take it from there`
  const detail = owner === undefined ? {} : { detail: { host: owner.host, pid: owner.pid } }
  return new ToolwireError('run_locked', message, detail)
}

/** Reads the lease of a run; undefined when it has none. */
export async function readLease(path: string): Promise<LeaseState | undefined> {
  let head = emptyHead
  let state: Omit<LeaseState, 'head'> | undefined
  for (const epoch of await listEpochs(path)) {
    const content = await readContent(join(path, String(epoch)))
    if (content === 'missing') continue
    state ??= { epoch, ...(content === undefined ? {} : { content }) }
    if (content !== undefined && content.head.records > head.records) head = content.head
  }
  return state === undefined ? undefined : { ...state, head }
}

/** Whether the lease changed within its time, by the clock of the file system: for display only, since clocks differ. */
export async function isFresh(path: string, { epoch, content }: LeaseState): Promise<boolean> {
  const changedAt = await stat(join(path, String(epoch))).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return Date.now() - changedAt < (content?.leaseMs ?? defaultLeaseMs)
}

/** The epochs in the folder, the highest first. */
export async function listEpochs(path: string): Promise<readonly number[]> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.flatMap((name) => (/^[1-9]\d{0,14}$/.test(name) ? [Number(name)] : [])).toSorted((a, b) => b - a)
}

/** Undefined when it can't be read, also not after a moment: it may have been read while it was written. */
async function readContent(path: string): Promise<LeaseContent | 'missing' | undefined> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (attempt > 0) await sleep(2)
    const bytes = await readRegular(path, 65_536)
    if (bytes === undefined) return 'missing'
    const content = parseContent(bytes.toString('utf8').trimEnd())
    if (content !== undefined) return content
  }
  return undefined
}

/** The file's text. Always of one length: it is overwritten in place. */
export function encodeLease(content: LeaseContent): string {
  return `${sealText('', writeJson(content as unknown as Json)).text.padEnd(1_023)}\n`
}

function parseContent(text: string): LeaseContent | undefined {
  const [, sum = '', body = ''] = /^\{"sum":"([0-9a-f]{16})",(.*)$/s.exec(text) ?? []
  if (sum === '' || checksum('', body) !== sum) return undefined
  const json = parseBody(text)
  if (!isJsonObject(json) || !isJsonObject(json.owner) || !isJsonObject(json.head)) return undefined
  const { leaseMs, renewals, isReleased } = json
  const { records, sum: last } = json.head
  const owner = parseOwner(json.owner)
  if (owner === undefined || !isLeaseTime(leaseMs) || typeof renewals !== 'number') return undefined
  if (typeof isReleased !== 'boolean' || typeof records !== 'number' || typeof last !== 'string') return undefined
  return { owner, leaseMs, renewals, isReleased, head: { records, sum: last } }
}
