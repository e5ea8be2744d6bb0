// What rows of hostile schemas and values are made of.
import type { JsonObject } from '../../src/json/types.js'

/** `valid`, `invalid`, the limit that ended the check, or the rule the schema breaks. */
export type Verdict = string

export interface HostileRow {
  readonly title: string
  readonly verdict: Verdict
  readonly schema: () => JsonObject
  /** The value to check, or the text of arguments to decode. */
  readonly value?: () => unknown
  readonly text?: () => string
}

export function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

export function nested(depth: number): unknown {
  return many(depth, () => 0).reduce((inner: unknown) => [inner], 1 as unknown)
}
