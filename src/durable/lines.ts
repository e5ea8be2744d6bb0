// The lines of a journal. Each is a JSON object that starts with a checksum over itself and the line before, and names the epoch
// of the lease it was written under. A crash may leave one unfinished line at the end; the next claim says how long it is.
// The trap: a process that lost its lease may still append. Its lines carry an old epoch and continue an old chain: they are
// valid and don't count. Everything else that doesn't fit is damage, and replaying around damage could repeat a call.
import { createHash } from 'node:crypto'
import { parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json } from '../json/types.js'
import { type Claim, type JournalRecord, parseRecord } from './records.js'

/** How far a journal goes: how many records count, and the checksum of the last. */
export interface JournalHead {
  readonly records: number
  readonly sum: string
}

/** Where and why a journal can't be trusted. */
export interface JournalDamage {
  /** From 1. */
  readonly line: number
  readonly reason: string
  /** The file was written by version 0.1 of the format, which had no checksums. */
  readonly isOldFormat?: true
}

export interface JournalContent {
  /** The records that count, up to the damage. */
  readonly records: readonly JournalRecord[]
  readonly head: JournalHead
  /** The highest epoch of a claim; 0 without one. */
  readonly epoch: number
  /** Whether the last line has no line break: what is written next begins with one. */
  readonly isOpenEnded: boolean
  /** The length of the unfinished line at the end. */
  readonly tornBytes: number
  /** Where the last intact line ends. */
  readonly intactBytes: number
  readonly damage?: JournalDamage
}

export const emptyHead: JournalHead = { records: 0, sum: '' }
const sumLength = 16
const opening = '{"sum":"'
const prefixLength = opening.length + sumLength + 2
const lineBreak = 10

/** The checksum of a text that follows the line with the checksum `previous`. */
export function checksum(previous: string, text: string | Uint8Array): string {
  return createHash('sha256').update(previous).update(text).digest('hex').slice(0, sumLength)
}

/** A JSON object's text with its checksum as the first member. */
export function sealText(previous: string, json: string): { readonly text: string; readonly sum: string } {
  const body = json.slice(1)
  const sum = checksum(previous, body)
  return { text: `${opening}${sum}",${body}`, sum }
}

/** The checksum of a line that `sealText` made. */
export function sumOf(line: string): string {
  return line.slice(opening.length, opening.length + sumLength)
}

/** The JSON text of a record, before its checksum. */
export function recordText(record: JournalRecord, epoch: number): string {
  return writeJson({ epoch, ...record } as unknown as Json)
}

interface Line {
  readonly sum: string
  readonly epoch: number
  readonly record: JournalRecord
  /** Everything behind the checksum. */
  readonly body: Uint8Array
}

/** Reads a whole file. With `expected`, a journal that ends before that is damaged too. */
export function readJournal(bytes: Uint8Array, runId: string, expected: JournalHead = emptyHead): JournalContent {
  const reader = new JournalReader(runId)
  let start = 0
  let number = 0
  while (start < bytes.length && reader.damage === undefined) {
    const found = bytes.indexOf(lineBreak, start)
    const end = found === -1 ? bytes.length : found
    number += 1
    if (found === -1) reader.readLast(bytes.subarray(start, end), number)
    else reader.readLine(bytes.subarray(start, end), number, end + 1)
    start = end + 1
  }
  reader.end(expected, number)
  return reader.content()
}

class JournalReader {
  damage: JournalDamage | undefined
  readonly #runId: string
  readonly #records: JournalRecord[] = []
  readonly #sums: string[] = []
  /** Where the record with a checksum is among those that count, from 1; the beginning is before them. */
  readonly #places = new Map([['', 0]])
  #epoch = 0
  /** The last checksum of each epoch, and all checksums: what lines of an earlier epoch continue. */
  readonly #chains = new Map<number, string>()
  readonly #known = new Set([''])
  /** A line that only a claim can explain: a crash cut it. */
  #cut: (JournalDamage & { readonly bytes: number }) | undefined
  #isOpenEnded = false
  #tornBytes = 0
  #intactBytes = 0

  constructor(runId: string) {
    this.#runId = runId
  }

  content(): JournalContent {
    const records = this.#records
    return {
      records,
      head: { records: records.length, sum: this.#sums.at(-1) ?? '' },
      epoch: this.#epoch,
      isOpenEnded: this.#isOpenEnded,
      tornBytes: this.#tornBytes,
      intactBytes: this.#intactBytes,
      ...(this.damage === undefined ? {} : { damage: this.damage }),
    }
  }

  readLine(bytes: Uint8Array, number: number, end: number): void {
    const line = bytes.length === 0 ? undefined : parseLine(bytes)
    const cut = this.#cut
    if (cut !== undefined && !explains(line, cut.bytes)) this.damage = describe(cut)
    else if (line === undefined) this.#cut = { ...unreadable(bytes, number), bytes: bytes.length }
    else {
      this.#cut = undefined
      this.#take(line, number)
      if (this.damage === undefined) this.#intactBytes = end
    }
  }

  /** The last line when it has no line break: whole, cut by a crash, or damaged. */
  readLast(bytes: Uint8Array, number: number): void {
    this.#isOpenEnded = true
    if (this.#cut !== undefined) return
    const line = parseLine(bytes)
    if (line !== undefined) {
      this.#take(line, number)
      if (this.damage === undefined) this.#intactBytes += bytes.length
    } else if (isBeginning(bytes)) this.#tornBytes = bytes.length
    else this.damage = unreadable(bytes, number)
  }

  end(expected: JournalHead, lines: number): void {
    if (this.damage !== undefined) return
    if (this.#cut !== undefined) this.damage = describe(this.#cut)
    else if (this.#records.length < expected.records) {
      const missing = expected.records - this.#records.length
      const line = this.#tornBytes > 0 ? lines : lines + 1
      this.damage = { line, reason: `the file ends here; ${missing} more records were written` }
    } else if (expected.records > 0 && this.#sums[expected.records - 1] !== expected.sum) {
      this.damage = { line: expected.records, reason: 'the file is not the one that was written last' }
    }
  }

  #take(line: Line, number: number): void {
    const { epoch, record, sum } = line
    const reason = this.#check(line)
    if (reason !== undefined) {
      this.damage = { line: number, reason }
      return
    }
    if (epoch > this.#epoch) this.#takeOver(line)
    if (epoch >= this.#epoch) {
      this.#places.set(sum, this.#records.push(record))
      this.#sums.push(sum)
    }
    this.#chains.set(epoch, sum)
    this.#known.add(sum)
  }

  /** Why the line can't follow the ones before; undefined when it can. */
  #check({ epoch, record, sum, body }: Line): string | undefined {
    const isClaim = record.type === 'claim'
    const previous = isClaim ? record.after : this.#chains.get(epoch)
    if (previous === undefined || !this.#known.has(previous)) return 'the line it follows is missing'
    if (checksum(previous, body) !== sum) return 'its checksum does not match'
    if (isClaim && record.runId !== this.#runId) return `it belongs to the run "${record.runId}"`
    if (this.#known.has(sum)) return 'it is there twice'
    if (isClaim && epoch > this.#epoch && !this.#places.has(previous)) return 'it follows a line that does not count'
    return (isClaim ? epoch === this.#epoch : epoch > this.#epoch) ? 'its epoch is not that of its claim' : undefined
  }

  /** Lines behind the one that a claim follows were written by an owner that had lost the run. */
  #takeOver({ epoch, record }: Line): void {
    const count = record.type === 'claim' ? (this.#places.get(record.after) ?? 0) : 0
    for (const sum of this.#sums.slice(count)) this.#places.delete(sum)
    this.#records.length = count
    this.#sums.length = count
    this.#epoch = epoch
  }
}

function explains(line: Line | undefined, cutBytes: number): boolean {
  const torn = line?.record.type === 'claim' ? line.record.torn : undefined
  return torn !== undefined && (cutBytes === 0 || cutBytes === torn)
}

function describe({ line, reason, isOldFormat }: JournalDamage): JournalDamage {
  return { line, reason, ...(isOldFormat === undefined ? {} : { isOldFormat }) }
}

function unreadable(bytes: Uint8Array, line: number): JournalDamage {
  if (bytes.length === 0) return { line, reason: 'it is empty' }
  if (bytes.includes(0)) return { line, reason: 'it contains NUL bytes' }
  const isOld = line === 1 && textOf(bytes).startsWith('{"type":"claim","version":1,')
  return { line, reason: 'it is not a record', ...(isOld ? { isOldFormat: true } : {}) }
}

function parseLine(bytes: Uint8Array): Line | undefined {
  const prefix = textOf(bytes.subarray(0, prefixLength))
  if (!/^\{"sum":"[0-9a-f]{16}",$/.test(prefix)) return undefined
  const json = parseText(textOf(bytes))
  const record = json === undefined ? undefined : parseRecord(json)
  if (record === undefined) return undefined
  const { epoch } = json as { readonly epoch?: Json }
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || epoch < 1) return undefined
  const sum = prefix.slice(opening.length, opening.length + sumLength)
  return { sum, epoch, record, body: bytes.subarray(prefixLength) }
}

/** Whether the bytes can be the beginning of a line. A whole object is not, nor one with something behind it: it was changed. */
function isBeginning(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte < 32)) return false
  const prefix = textOf(bytes.subarray(0, prefixLength)).replace(/[0-9a-f]/g, '0')
  if (!`${opening}${'0'.repeat(sumLength)}",`.startsWith(prefix)) return false
  const text = textOf(bytes)
  return parseText(text) === undefined && parseText(text.slice(0, -1)) === undefined
}

const decoder = new TextDecoder()

function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

function parseText(text: string): Json | undefined {
  try {
    return parseBody(text)
  } catch {
    return undefined
  }
}

/** The claim of a process that continues from what it read. */
export function claimAfter(content: JournalContent, claim: Omit<Claim, 'type' | 'version' | 'after' | 'torn'>): Claim {
  const torn = content.isOpenEnded ? { torn: content.tornBytes } : {}
  return { type: 'claim', version: 2, after: content.head.sum, ...torn, ...claim }
}
