// The lease of a run: a folder with one small file, whose name is the epoch. Whoever makes the file of the next epoch owns the run
// and deletes the earlier ones. The owner rewrites its file on a timer and after each write to the journal; another process takes a
// lease that it has watched, by its own clock, for the whole lease time without a change.
// The trap: an owner that was stopped may wake up at any moment. So it opens its file by name after it has recorded what it is about
// to do, and before it does it: if the file is gone, somebody else reads that record, or has the run without it. The new owner reads
// the journal only after it has deleted the file.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json } from '../json/types.js'
import { makePrivateFolder, readRegular } from './files.js'
import { checksum, emptyHead, type JournalHead, sealText } from './lines.js'
import { checkOwner, createOwner, forgetOwner, type Owner, parseOwner } from './owner.js'

export const defaultLeaseMs = 10_000

/** A process waits to see whether the owner of a run still renews its lease. */
export interface LeaseWait {
  readonly runId: string
  /** Of the owner, if its lease can be read. */
  readonly host?: string
  readonly pid?: number
  /** When the lease expires at the latest, unless it is renewed. */
  readonly leaseMs: number
}

export interface LeaseOptions {
  readonly runId: string
  readonly leaseMs: number
  /** Takes the lease from whoever holds it. */
  readonly takeOver?: boolean | undefined
  /** Gives up at once where only waiting would show whether the owner lives. */
  readonly isHasty?: boolean | undefined
  readonly onWait?: ((wait: LeaseWait) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A lease as others see it. */
export interface LeaseState {
  readonly epoch: number
  /** Absent when the file can't be read: its owner is just writing it, or it is damaged. */
  readonly content?: LeaseContent
  /** How far the journal went when that was last noted. */
  readonly head: JournalHead
  /** When the file last changed, by the clock of the file system. */
  readonly changedAt: number
}

interface LeaseContent {
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
    const changedAt = await stat(join(path, String(epoch))).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    state ??= { epoch, changedAt, ...(content === undefined ? {} : { content }) }
    if (content !== undefined && content.head.records > head.records) head = content.head
  }
  return state === undefined ? undefined : { ...state, head }
}

/** The epochs in the folder, the highest first. */
async function listEpochs(path: string): Promise<readonly number[]> {
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
    const bytes = await readRegular(path)
    if (bytes === undefined) return 'missing'
    const content = parseContent(bytes.toString('utf8').trimEnd())
    if (content !== undefined) return content
  }
  return undefined
}

function parseContent(text: string): LeaseContent | undefined {
  const [, sum = '', body = ''] = /^\{"sum":"([0-9a-f]{16})",(.*)$/s.exec(text) ?? []
  if (sum === '' || checksum('', body) !== sum) return undefined
  const json = parseBody(text)
  if (!isJsonObject(json) || !isJsonObject(json.owner) || !isJsonObject(json.head)) return undefined
  const { leaseMs, renewals, isReleased } = json
  const { records, sum: last } = json.head
  const owner = parseOwner(json.owner)
  if (owner === undefined || typeof leaseMs !== 'number' || typeof renewals !== 'number') return undefined
  if (typeof isReleased !== 'boolean' || typeof records !== 'number' || typeof last !== 'string') return undefined
  return { owner, leaseMs, renewals, isReleased, head: { records, sum: last } }
}

/** Waits, if need be, until the run is free, and takes it. Rejects when its owner lives. */
export async function acquireLease(path: string, options: LeaseOptions, minEpoch = 1): Promise<Lease> {
  const watch = new LeaseWatch(options)
  for (;;) {
    const state = await readLease(path)
    if (options.takeOver !== true && !watch.isFree(state)) {
      await sleep(watch.pauseMs, undefined, { signal: options.signal }).catch(() => {
        throw new ToolwireError('aborted', `the run "${options.runId}" was aborted while it waited for its lease`)
      })
      continue
    }
    const epoch = Math.max((state?.epoch ?? 0) + 1, minEpoch)
    const lease = await createLease(path, epoch, state?.head ?? emptyHead, options)
    if (lease !== undefined) return lease
  }
}

/** Watches a lease whose owner can't be seen from here. */
class LeaseWatch {
  readonly #options: LeaseOptions
  #seen: string | undefined
  #since = 0
  #token: string | undefined
  #leaseMs: number

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs
  }

  get pauseMs(): number {
    return this.#token === undefined ? 20 : Math.min(500, this.#leaseMs / 20)
  }

  isFree(state: LeaseState | undefined): boolean {
    const { runId, isHasty, onWait } = this.#options
    const status = checkLease(state)
    if (status === 'free' || state === undefined) return true
    if (status === 'held') throw lockedError(runId, state)
    const { epoch, content } = state
    const seen = `${epoch} ${content?.owner.token} ${content?.renewals}`
    if (seen === this.#seen) return performance.now() - this.#since >= this.#leaseMs
    if (content !== undefined && content.owner.token === this.#token) throw lockedError(runId, state) // it was renewed
    const isFirst = this.#seen === undefined
    this.#seen = seen
    this.#since = performance.now()
    this.#token = content?.owner.token
    this.#leaseMs = content?.leaseMs ?? this.#options.leaseMs
    if (isHasty === true) throw lockedError(runId, state)
    const who = content === undefined ? {} : { host: content.owner.host, pid: content.owner.pid }
    if (isFirst || content !== undefined) onWait?.({ runId, ...who, leaseMs: this.#leaseMs })
    return false
  }
}

/** The lease of this epoch; undefined when another process has it, or a later one. */
async function createLease(
  path: string,
  epoch: number,
  head: JournalHead,
  options: LeaseOptions,
): Promise<Lease | undefined> {
  await makePrivateFolder(path)
  const file = join(path, String(epoch))
  const owner = createOwner()
  const lease = new Lease(file, epoch, owner, head, options)
  let isOurs = false
  try {
    const handle = await open(file, 'wx', 0o600)
    isOurs = true
    await writeContent(handle, lease)
    const others = await listEpochs(path)
    if (others.every((other) => other <= epoch)) {
      for (const other of others) if (other < epoch) await unlink(join(path, String(other))).catch(ignoreMissing)
      return lease
    }
  } catch (error) {
    forgetOwner(owner)
    const { code } = error as NodeJS.ErrnoException
    if (isOurs || (code !== 'EEXIST' && code !== 'ENOENT')) throw error
    return undefined
  }
  forgetOwner(owner)
  await unlink(file).catch(ignoreMissing)
  return undefined
}

async function writeContent(handle: FileHandle, lease: Lease): Promise<void> {
  try {
    await handle.writeFile(lease.text())
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** The right to write to a run's journal, until another process takes it. */
export class Lease {
  readonly epoch: number
  readonly owner: Owner
  readonly #path: string
  readonly #runId: string
  readonly #leaseMs: number
  #head: JournalHead
  #renewals = 0
  #isReleased = false

  constructor(path: string, epoch: number, owner: Owner, head: JournalHead, { runId, leaseMs }: LeaseOptions) {
    this.#path = path
    this.epoch = epoch
    this.owner = owner
    this.#head = head
    this.#runId = runId
    this.#leaseMs = leaseMs
  }

  /** How far the journal goes, as the lease says. */
  get head(): JournalHead {
    return this.#head
  }

  /**
   * Renews the lease, and notes how far the journal goes. Throws `run_locked` when another process has taken it. Synchronous: it takes
   * some microseconds, and a trip to the thread pool a hundred.
   */
  renew(head: JournalHead = this.#head): void {
    this.#head = head
    this.#renewals += 1
    const file = this.#open()
    try {
      this.#checkToken(file)
      writeSync(file, this.text(), 0)
    } finally {
      closeSync(file)
    }
  }

  /** Lets others take the run at once. A lease that was lost is somebody else's. */
  release(): void {
    this.#isReleased = true
    try {
      this.renew()
    } catch (error) {
      if (!ToolwireError.is(error)) throw error
    } finally {
      forgetOwner(this.owner)
    }
  }

  /** The file's content. Always of one length: it is overwritten in place. */
  text(): string {
    const { owner } = this
    const head = this.#head
    const content = { owner, leaseMs: this.#leaseMs, renewals: this.#renewals, isReleased: this.#isReleased, head }
    return `${sealText('', writeJson(content as unknown as Json)).text.padEnd(1_023)}\n`
  }

  #open(): number {
    try {
      return openSync(this.#path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ESTALE') throw this.#lost()
      throw error
    }
  }

  /** The run may have been deleted and started anew, with a lease of the same epoch. */
  #checkToken(file: number): void {
    const buffer = Buffer.alloc(160)
    const length = readSync(file, buffer, 0, buffer.length, 0)
    if (!buffer.toString('latin1', 0, length).includes(this.owner.token)) throw this.#lost()
  }

  #lost(): ToolwireError {
    const message = `another process took over the run "${this.#runId}" because this one had not renewed its lease; it continues there`
    return new ToolwireError('run_locked', message)
  }
}
