// What a run's journal records, read as hostile data: a claim when a process takes the run, a step that is done, how an attempt
// stopped, and that a damaged journal was salvaged. How records become lines is in lines.ts.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

/** A process took the run. Its lines carry the epoch of its lease. */
export interface Claim {
  readonly type: 'claim'
  /** The format of the file. */
  readonly version: 2
  readonly runId: string
  /** The checksum of the record that this process continues from; empty in a new journal. */
  readonly after: string
  /** How many bytes of an unfinished line the process found at the end; absent when the last line was whole. */
  readonly torn?: number
  readonly host: string
  readonly pid: number
  readonly at: number
  /** What the program wants to remember with the run, such as how it was called. */
  readonly note?: JsonObject
}

export type JournalRecord =
  | Claim
  | { readonly type: 'step'; readonly name: string; readonly at: number; readonly value: Json }
  | { readonly type: 'stop'; readonly reason: string; readonly detail?: string; readonly at: number }
  /** `isDoubtful`: the lost part may have started calls, so the calls that follow may be repetitions. */
  | { readonly type: 'salvage'; readonly line: number; readonly isDoubtful: boolean; readonly at: number }

/** The record in a parsed line; undefined when it isn't one of this version. */
export function parseRecord(json: Json): JournalRecord | undefined {
  if (!isJsonObject(json) || typeof json.at !== 'number') return undefined
  const { at } = json
  switch (json.type) {
    case 'claim':
      return parseClaim(json, at)
    case 'step':
      if (typeof json.name !== 'string' || json.value === undefined) return undefined
      return { type: 'step', name: json.name, at, value: json.value }
    case 'stop': {
      if (typeof json.reason !== 'string') return undefined
      const detail = typeof json.detail === 'string' ? { detail: json.detail } : {}
      return { type: 'stop', reason: json.reason, ...detail, at }
    }
    case 'salvage':
      if (typeof json.line !== 'number' || typeof json.isDoubtful !== 'boolean') return undefined
      return { type: 'salvage', line: json.line, isDoubtful: json.isDoubtful, at }
    default:
      return undefined
  }
}

function parseClaim(json: JsonObject, at: number): Claim | undefined {
  const { version, runId, after, torn, host, pid, note } = json
  if (version !== 2 || typeof runId !== 'string' || typeof after !== 'string') return undefined
  if (typeof host !== 'string' || typeof pid !== 'number') return undefined
  const known = {
    ...(typeof torn === 'number' ? { torn } : {}),
    ...(isJsonObject(note) ? { note } : {}),
  }
  return { type: 'claim', version, runId, after, host, pid, ...known, at }
}
