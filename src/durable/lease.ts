// The lease of a run: a folder with one small file, whose name is the epoch. Whoever makes the file of the next epoch owns the run
// and deletes the earlier ones. The owner rewrites its file on a timer and after each write to the journal; another process takes a
// lease that it has watched, by its own clock, for the whole lease time without a change.
// The trap: an owner that was stopped may wake up at any moment. So it opens its file by name after it has recorded what it is about
// to do, and before it does it: if the file is gone, somebody else reads that record, or has the run without it. The new owner reads
// the journal only after it has deleted the file.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolwireError } from '../errors/error.js'
import { makePrivateFolder } from './files.js'
import { checkLease, encodeLease, type LeaseState, listEpochs, lockedError, readLease } from './lease-file.js'
import { emptyHead, type JournalHead } from './lines.js'
import { createOwner, forgetOwner, type Owner } from './owner.js'

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

/** Waits, if need be, until the run is free, and takes it. Rejects when its owner lives. */
export async function acquireLease(path: string, options: LeaseOptions, minEpoch = 1): Promise<Lease> {
  const watch = new LeaseWatch(options)
  for (;;) {
    const isNew = await makePrivateFolder(path)
    const state = isNew ? undefined : await readLease(path)
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

  /** Notes how far the journal goes. It is written with the next renewal. */
  note(head: JournalHead): void {
    this.#head = head
  }

  /**
   * Renews the lease, and writes how far the journal goes. Throws `run_locked` when another process has taken it. Synchronous: it takes
   * some microseconds, and a trip to the thread pool a hundred.
   */
  renew(): void {
    this.#renewals += 1
    const file = this.#open()
    try {
      this.#checkToken(file)
      writeSync(file, this.text(), 0)
    } finally {
      closeSync(file)
    }
  }

  /** Lets others take the run at once. Never throws: a lease that can't be released expires, and one that was lost is somebody else's. */
  release(): void {
    this.#isReleased = true
    try {
      this.renew()
    } catch {
      // see above
    } finally {
      forgetOwner(this.owner)
    }
  }

  /** What its file says. */
  text(): string {
    const [owner, head] = [this.owner, this.#head]
    return encodeLease({ owner, leaseMs: this.#leaseMs, renewals: this.#renewals, isReleased: this.#isReleased, head })
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
