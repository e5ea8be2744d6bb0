// The lines of a run's file, read as hostile data. One JSON object per line: a claim when a process takes the run, its release,
// a step that is done, how an attempt stopped, a request to cancel.
// The trap: a crash may cut a line anywhere, and the next process writes behind the cut; any other line that cannot be read
// means that the file was damaged, and replaying the rest could run a recorded call again.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'

/** Who has the run: enough to tell on the same machine whether that process still lives. */
export interface Claim {
  readonly type: 'claim'
  /** The format of the file. */
  readonly version: 1
  readonly runId: string
  readonly token: string
  readonly host: string
  /** Changes when the machine starts anew; absent where the system does not tell. */
  readonly boot?: string
  readonly pid: number
  readonly thread: number
  /** When the process started, in the system's own unit; absent where the system does not tell. */
  readonly started?: string
  readonly at: number
  /** What the program wants to remember with the run, such as how it was called. */
  readonly note?: JsonObject
}

export type JournalRecord =
  | Claim
  | { readonly type: 'release'; readonly token: string; readonly at: number }
  | { readonly type: 'step'; readonly name: string; readonly at: number; readonly value: Json }
  | { readonly type: 'stop'; readonly reason: string; readonly detail?: string; readonly at: number }
  | { readonly type: 'cancel'; readonly at: number }

/** What a request to cancel looks like in the file; in data, line breaks are escaped. */
export const cancelMark = '\n{"type":"cancel"'

/** The record as a line of the file. */
export function lineOf(record: JournalRecord): string {
  return `${writeJson(record as unknown as Json)}\n`
}

export interface JournalLines {
  readonly records: readonly JournalRecord[]
  /** Whether the last line has no line break: what is written next begins with one. */
  readonly isOpenEnded: boolean
}

/**
 * Reads a whole file; `what` names it in the error. A record without its line break counts: cut text is never a whole object.
 */
export function readLines(bytes: Uint8Array, what: string): JournalLines {
  const records: JournalRecord[] = []
  let cut: number | undefined
  for (const [index, text] of linesIn(bytes)) {
    if (text === '') continue
    const record = recordOf(text)
    if (record === undefined) cut ??= index + 1
    else if (cut !== undefined && record.type !== 'claim' && record.type !== 'cancel') throw corrupted(what, cut)
    else {
      cut = undefined
      records.push(record)
    }
  }
  return { records, isOpenEnded: bytes.length > 0 && bytes.at(-1) !== 10 }
}

function* linesIn(bytes: Uint8Array): Generator<readonly [index: number, text: string]> {
  const decoder = new TextDecoder()
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    yield [index, decoder.decode(bytes.subarray(start, end))]
    start = end + 1
  }
}

function corrupted(what: string, line: number): ToolwireError {
  const message = `${what} cannot be read at line ${line}: the file was damaged or edited; restore it from a copy, or start the run under another id`
  return new ToolwireError('journal_corrupted', message, { detail: { line } })
}

/** Undefined when the line is no record of this version. */
function recordOf(text: string): JournalRecord | undefined {
  let json: Json
  try {
    json = parseBody(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(json) || typeof json.at !== 'number') return undefined
  const { at } = json
  switch (json.type) {
    case 'claim':
      return claimOf(json, at)
    case 'release':
      return typeof json.token === 'string' ? { type: 'release', token: json.token, at } : undefined
    case 'step':
      if (typeof json.name !== 'string' || json.value === undefined) return undefined
      return { type: 'step', name: json.name, at, value: json.value }
    case 'stop': {
      if (typeof json.reason !== 'string') return undefined
      const detail = typeof json.detail === 'string' ? { detail: json.detail } : {}
      return { type: 'stop', reason: json.reason, ...detail, at }
    }
    case 'cancel':
      return { type: 'cancel', at }
    default:
      return undefined
  }
}

function claimOf(json: JsonObject, at: number): Claim | undefined {
  const { version, runId, token, host, boot, pid, thread, started, note } = json
  if (version !== 1 || typeof runId !== 'string' || typeof token !== 'string') return undefined
  if (typeof host !== 'string' || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  if (typeof thread !== 'number') return undefined
  const known = {
    ...(isJsonObject(note) ? { note } : {}),
    ...(typeof boot === 'string' ? { boot } : {}),
    ...(typeof started === 'string' ? { started } : {}),
  }
  return { type: 'claim', version, runId, token, host, ...known, pid, thread, at }
}
