// Journals as files, one per run: `run({ journal: fileJournal('./runs'), runId })` survives the end of its process.
// A step counts when it is recorded, and its record is on the disk before anything is done because of it. What the records mean is in records.ts, who may write them in owner.ts.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolwireError } from '../errors/error.js'
import type { Json, JsonObject } from '../json/types.js'
import type { JournalStore, OpenJournal } from '../loop/journal.js'
import type { Stop } from '../loop/stop.js'
import { type Appender, createAppender } from './append.js'
import { type JournalFile, openJournalFile, pathOf, syncFolder, writeText } from './files.js'
import { dropClaim, livingOwner, lockedBy, makeClaim } from './owner.js'
import { type Claim, cancelMark, type JournalRecord, lineOf, readLines } from './records.js'
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
  /** Takes a run from a process that seems to live. Only when you know that it does not: two processes would run its tools. */
  readonly takeOver?: boolean | undefined
}

/** How often a run looks whether somebody cancelled it while one of its steps takes long. */
const cancelCheckMs = 500

/** An answer of the model need not wait for the disk: it goes there with the intent to run its calls, and what has no effect can be asked again. */
const isAnswer = /^turn\/\d+\/model$/

/** Keeps runs in a folder, which is made when it is missing. */
export function fileJournal(folder: string, options: FileJournalOptions = {}): JournalStore {
  return fileJournalOn(openJournalFile, folder, options)
}

type OpenFile = (path: string) => Promise<JournalFile>

/** The same over files that the caller opens, so that a disk which fails can be tried out. */
export function fileJournalOn(openFile: OpenFile, folder: string, options: FileJournalOptions = {}): JournalStore {
  return { open: (runId) => openRun(openFile, folder, runId, options) }
}

async function openRun(
  openFile: OpenFile,
  folder: string,
  runId: string,
  options: FileJournalOptions,
): Promise<OpenJournal> {
  const path = join(folder, pathOf(runId))
  const what = `the journal of the run "${runId}"`
  await mkdir(folder, { recursive: true })
  const file = await openFile(path)
  const claim = makeClaim(runId, options.note)
  try {
    const line = scrubber(options.secrets ?? [])(lineOf(claim))
    const { records, size } = await takeRun(file, claim, { line, path, what, takeOver: options.takeOver === true })
    const entry = records.length === 1 ? syncFolder(folder) : Promise.resolve()
    return journalOf({ file, entry, claim, size, what, options }, records)
  } catch (error) {
    dropClaim(claim)
    await file.close()
    throw error
  }
}

interface Taking {
  /** The claim as it is written. */
  readonly line: string
  readonly path: string
  readonly what: string
  readonly takeOver: boolean
}

/**
 * Claims the run, and gives its records with the claim. The claim need not be on the disk: no process outlives the machine. Rejects when a living process has it, or
 * when it was cancelled.
 */
async function takeRun(
  file: JournalFile,
  claim: Claim,
  { line, path, what, takeOver }: Taking,
): Promise<{ readonly records: readonly JournalRecord[]; readonly size: number }> {
  const before = readLines(await readFile(path), what)
  const reason = takeOver ? undefined : livingOwner(before.records)
  if (reason !== undefined) throw lockedBy(reason)
  await writeText(file, `${before.isOpenEnded ? '\n' : ''}${line}`)
  const bytes = await readFile(path)
  const { records } = readLines(bytes, what)
  const refusal = refusalOf(records, claim, takeOver)
  if (refusal === undefined) return { records, size: bytes.length }
  await writeText(file, lineOf({ type: 'release', token: claim.token, at: Date.now() }))
  throw refusal
}

function refusalOf(records: readonly JournalRecord[], claim: Claim, takeOver: boolean): ToolwireError | undefined {
  const owner = takeOver ? undefined : livingOwner(records, claim)
  if (owner !== undefined) return lockedBy(owner)
  if (!records.some((record) => record.type === 'cancel')) return undefined
  return new ToolwireError('aborted', `the run "${claim.runId}" was cancelled; start it anew under another id`)
}

interface OpenRun {
  readonly file: JournalFile
  /** Settles when the folder's entry of a new file is on the disk. */
  readonly entry: Promise<void>
  readonly claim: Claim
  /** How much of it was read when it was opened. */
  readonly size: number
  readonly what: string
  readonly options: FileJournalOptions
}

function journalOf(opened: OpenRun, records: readonly JournalRecord[]): OpenJournal {
  const { file, entry, claim, what, options } = opened
  const appender = createAppender(file, what)
  const scrub = scrubber(options.secrets ?? [])
  const maxBytes = options.maxRecordBytes ?? 64 * 1024 * 1024
  const record = async (name: string, value: Json): Promise<void> => {
    const line = scrub(lineOf({ type: 'step', name, at: Date.now(), value }))
    const bytes = Buffer.byteLength(line)
    if (bytes > maxBytes) throw tooLong(name, bytes, maxBytes)
    await Promise.all([entry, isAnswer.test(name) ? appender.hand(line) : appender.append(line)])
  }
  const known = records.flatMap((entry) => (entry.type === 'step' ? [[entry.name, entry.value] as const] : []))
  const steps = createSteps(claim.runId, known, record)
  const watch = watchForCancel(opened)
  return {
    runId: claim.runId,
    ...steps,
    cancelled: watch.signal,
    async close(stop) {
      watch.end()
      steps.end()
      await closeFile(opened, appender, stop)
    },
  }
}

async function closeFile({ file, claim }: OpenRun, appender: Appender, stop: Stop): Promise<void> {
  const at = Date.now()
  const detail = stop.detail ?? stop.error?.code
  const stopped = lineOf({ type: 'stop', reason: stop.reason, ...(detail === undefined ? {} : { detail }), at })
  try {
    await appender.append(stopped + lineOf({ type: 'release', token: claim.token, at }))
  } finally {
    await appender.idle()
    dropClaim(claim)
    await file.close()
  }
}

/** A signal that is aborted soon after another process wrote a cancel record. */
function watchForCancel({ file, claim, size }: OpenRun): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  let seen = size
  const look = async (): Promise<void> => {
    const { size } = await file.stat()
    const from = Math.max(0, seen - cancelMark.length)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    seen = size
    if (buffer.subarray(0, bytesRead).includes(cancelMark)) {
      controller.abort(new ToolwireError('aborted', `the run "${claim.runId}" was cancelled`))
    }
  }
  const timer = setInterval(() => look().catch(() => {}), cancelCheckMs)
  timer.unref()
  return { signal: controller.signal, end: () => clearInterval(timer) }
}

function tooLong(name: string, length: number, limit: number): ToolwireError {
  const message = `the result of the step ${name} takes ${length} bytes in the journal, more than ${limit}; let the tool give less, or raise maxRecordBytes`
  return new ToolwireError('limit_exceeded', message)
}
