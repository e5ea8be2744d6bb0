// Journals as files, one per run: `run({ journal: fileJournal('./runs'), runId })` survives the end of its process.
// A step counts when it is recorded, and its record is on the disk before anything is done because of it. Its lines are in lines.ts, and who may write them in lease.ts.
import { lstat, mkdir } from 'node:fs/promises'
import { ToolwireError } from '../errors/error.js'
import type { Json, JsonObject } from '../json/types.js'
import type { JournalStore, OpenJournal } from '../loop/journal.js'
import type { Stop } from '../loop/stop.js'
import { type Appender, createAppender, type WrittenLine } from './append.js'
import { type JournalFile, openJournalFile, readOpenFile, runPaths, syncFolder, writeText } from './files.js'
import { acquireLease, type Lease, type LeaseWait } from './lease.js'
import { defaultLeaseMs, isLeaseTime, maxLeaseMs } from './lease-file.js'
import {
  claimAfter,
  type JournalContent,
  type JournalDamage,
  type JournalHead,
  readJournal,
  recordText,
  sealText,
  sumOf,
} from './lines.js'
import type { JournalRecord } from './records.js'
import { scrubber } from './scrub.js'
import { createSteps } from './steps.js'

/** What is kept of a run, and who may go on with it. */
export interface FileJournalOptions {
  /** Values that are never written; what a run reads back has `[redacted]` in their place. */
  readonly secrets?: readonly string[] | undefined
  /** The longest record in bytes; 64 MiB. A longer one fails its step. */
  readonly maxRecordBytes?: number | undefined
  /** Kept with the run, for whoever reads it: how it was called, say. */
  readonly note?: JsonObject | undefined
  /**
   * Takes the run at once, even from a process that lives. That process stops at its next record; calls it is running are in doubt here,
   * and not repeated.
   */
  readonly takeOver?: boolean | undefined
  /**
   * How long the run stays reserved for this process after it was last heard of; 10,000 ms. A process on the same machine takes the run
   * of one that is gone at once; any other waits this long.
   */
  readonly leaseMs?: number | undefined
  /** Called when opening a run has to wait for the lease of a process that may be gone. */
  readonly onWait?: ((wait: LeaseWait) => void) | undefined
}

/** How often a run looks whether somebody cancelled it while one of its steps takes long. */
const cancelCheckMs = 500

/** An answer of the model need not wait for the disk: it goes there with the intent to run its calls, and what has no effect can be asked again. */
const isAnswer = /^turn\/\d+\/model$/

/** Steps that nothing irrevocable follows: if they are lost, the model is asked again, or a call is in doubt. */
const isHarmless = /^(start|turn\/\d+\/model|turn\/.*\/call\/\d+)$/

/** Keeps runs in a folder, which is made when it is missing. */
export function fileJournal(folder: string, options: FileJournalOptions = {}): JournalStore {
  return fileJournalOn(openJournalFile, folder, options)
}

type OpenFile = (path: string) => Promise<JournalFile>

/** The same over files that the caller opens, so that a disk which fails can be tried out. */
export function fileJournalOn(openFile: OpenFile, folder: string, options: FileJournalOptions = {}): JournalStore {
  return { open: (runId, signal) => openRun(openFile, folder, runId, options, signal) }
}

interface OpenRun {
  readonly runId: string
  readonly file: JournalFile
  readonly lease: Lease
  readonly content: JournalContent
  readonly cancelPath: string
  readonly what: string
  readonly options: FileJournalOptions
}

async function openRun(
  openFile: OpenFile,
  folder: string,
  runId: string,
  options: FileJournalOptions,
  signal: AbortSignal | undefined,
): Promise<OpenJournal> {
  const paths = runPaths(folder, runId)
  const what = `the journal of the run "${runId}"`
  const { takeOver, onWait, leaseMs = defaultLeaseMs } = options
  if (!isLeaseTime(leaseMs)) {
    throw new ToolwireError('misuse', `leaseMs must be a positive number, up to ${maxLeaseMs}; got ${leaseMs}`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (let minEpoch = 1; ; ) {
    const lease = await acquireLease(paths.lease, { runId, leaseMs, takeOver, onWait, signal }, minEpoch)
    let file: JournalFile | undefined
    try {
      file = await openFile(paths.journal)
      const content = readJournal(await readOpenFile(file), runId, lease.head)
      if (content.damage !== undefined) throw createCorruptionError(what, content.damage)
      if (content.epoch < lease.epoch) {
        const opened = { runId, file, lease, content, cancelPath: paths.cancel, what, options }
        return await claimRun(opened, content.head.records === 0 ? syncFolder(folder) : Promise.resolve())
      }
      minEpoch = content.epoch + 1 // the journal was put here without its lease
    } catch (error) {
      lease.release()
      await file?.close()
      throw error
    }
    lease.release()
    await file.close()
  }
}

/** The claim need not be on the disk: no process outlives the machine. */
async function claimRun(opened: OpenRun, entry: Promise<void>): Promise<OpenJournal> {
  const { runId, file, lease, content, cancelPath, options } = opened
  if (await exists(cancelPath))
    throw new ToolwireError('aborted', `the run "${runId}" was cancelled; start it again under another id`)
  const { host, pid } = lease.owner
  const note = options.note === undefined ? {} : { note: options.note }
  const lines = new LineWriter(opened)
  const claim = lines.write(claimAfter(content, { runId, host, pid, at: Date.now(), ...note }))
  await writeText(file, `${content.isOpenEnded ? '\n' : ''}${claim}`)
  lines.confirm([{ line: claim, isIntent: true }])
  return createJournal(opened, lines, entry)
}

/** Makes the lines of one owner, each chained to the one before, and tells the lease which of them are written. */
class LineWriter {
  readonly #lease: Lease
  readonly #scrub: (text: string) => string
  readonly #maxBytes: number
  #sum: string
  #written: JournalHead

  constructor({ lease, content, options }: OpenRun) {
    this.#lease = lease
    this.#scrub = scrubber(options.secrets ?? [])
    this.#maxBytes = options.maxRecordBytes ?? 64 * 1024 * 1024
    this.#sum = content.head.sum
    this.#written = content.head
  }

  write(record: JournalRecord): string {
    const json = this.#scrub(recordText(record, this.#lease.epoch))
    if (record.type === 'step') {
      const bytes = Buffer.byteLength(json)
      if (bytes > this.#maxBytes) throw tooLong(record.name, bytes, this.#maxBytes)
    }
    const { text, sum } = sealText(this.#sum, json)
    this.#sum = sum
    return `${text}\n`
  }

  /**
   * Called after these lines are in the file and before anything is done because of them. Throws when the lease is lost, which is checked
   * where calls follow, and at the end.
   */
  confirm(lines: readonly WrittenLine[]): void {
    const last = lines.at(-1)
    if (last === undefined) return
    this.#written = { records: this.#written.records + lines.length, sum: sumOf(last.line) }
    this.#lease.note(this.#written)
    if (lines.some(({ isIntent }) => isIntent)) this.#lease.renew()
  }
}

function createJournal(opened: OpenRun, lines: LineWriter, entry: Promise<void>): OpenJournal {
  const { runId, file, content, what } = opened
  const appender = createAppender(file, what, (written) => lines.confirm(written))
  const record = async (name: string, value: Json): Promise<void> => {
    const line = lines.write({ type: 'step', name, at: Date.now(), value })
    await Promise.all([
      entry,
      isAnswer.test(name) ? appender.hand(line) : appender.append(line, !isHarmless.test(name)),
    ])
  }
  const known = content.records.flatMap((each) => (each.type === 'step' ? [[each.name, each.value] as const] : []))
  const steps = createSteps(runId, known, record)
  const watch = watchRun(opened)
  return {
    runId,
    ...steps,
    cancelled: watch.signal,
    isDoubtful: content.records.some((each) => each.type === 'salvage' && each.isDoubtful),
    async close(stop) {
      watch.end()
      steps.end()
      await closeRun(opened, lines, appender, stop)
    },
  }
}

async function closeRun({ file, lease }: OpenRun, lines: LineWriter, appender: Appender, stop: Stop): Promise<void> {
  const detail = stop.detail ?? stop.error?.code
  const kept = detail === undefined ? {} : { detail }
  try {
    await appender.append(lines.write({ type: 'stop', reason: stop.reason, ...kept, at: Date.now() }), true)
  } finally {
    await appender.idle()
    lease.release()
    await file.close()
  }
}

/** Renews the lease. The signal is aborted when that is lost, and soon after another process cancelled the run. */
function watchRun({ runId, lease, cancelPath, options }: OpenRun): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const renew = setInterval(
    () => {
      try {
        lease.renew()
      } catch (error) {
        if (ToolwireError.is(error)) controller.abort(error) // what else fails is tried again
      }
    },
    (options.leaseMs ?? defaultLeaseMs) / 5,
  )
  const look = async (): Promise<void> => {
    if (await exists(cancelPath)) controller.abort(new ToolwireError('aborted', `the run "${runId}" was cancelled`))
  }
  const cancel = setInterval(() => look().catch(() => {}), cancelCheckMs)
  renew.unref()
  cancel.unref()
  return {
    signal: controller.signal,
    end: () => {
      clearInterval(renew)
      clearInterval(cancel)
    },
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** The error for a journal that can't be trusted. */
export function createCorruptionError(what: string, { line, reason, isOldFormat }: JournalDamage): ToolwireError {
  if (isOldFormat === true) {
    const message = `${what} was written by an earlier version of toolwire; finish it with that version, or start the run under another id`
    return new ToolwireError('journal_mismatch', message, { detail: { line } })
  }
  const message = `${what} is damaged at line ${line}: ${reason}. Restore the file, keep what comes before with "toolwire runs check ID --salvage", or start the run under another id`
  return new ToolwireError('journal_corrupted', message, { detail: { line, reason } })
}

function tooLong(name: string, length: number, limit: number): ToolwireError {
  const message = `the result of the step ${name} takes ${length} bytes in the journal, more than ${limit}; let the tool give less, or raise maxRecordBytes`
  return new ToolwireError('limit_exceeded', message)
}
