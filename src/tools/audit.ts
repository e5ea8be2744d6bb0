// The trail of what was asked, decided and done. Trap: a record never holds arguments, results or messages, only their digest.
import type { ToolErrorCategory } from '../conversation/messages.js'

/** `refused`: never put to a decision (unknown tool, broken or invalid call, aborted before). */
export type AuditDecision = 'allowed' | 'denied' | 'paused' | 'refused'

/** What was decided about one call and what became of it. Arguments are there as a digest only. */
export interface AuditRecord {
  readonly runId: string
  readonly turn: number
  readonly callId: string
  readonly tool: string
  /** Where the tool came from; absent when there is no such tool. */
  readonly source?: string
  /** SHA-256 of the argument text as it was run. */
  readonly argumentsDigest: string
  readonly decision: AuditDecision
  readonly outcome: 'success' | 'paused' | ToolErrorCategory
  /** The arguments were repaired before the call ran. */
  readonly repaired: boolean
  /** How an abandoned tool ended after its call had been answered: a second record for the same call. */
  readonly late: boolean
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
}

export type Audit = (record: AuditRecord) => void
export interface Log {
  warn(message: string, detail?: { readonly [key: string]: unknown }): void
}

/** Calls a hook of the program; what it throws or rejects with never reaches a run. */
export function notify(hook: () => unknown, onFailure: () => void = () => {}): void {
  try {
    Promise.resolve(hook()).catch(onFailure)
  } catch {
    onFailure()
  }
}
