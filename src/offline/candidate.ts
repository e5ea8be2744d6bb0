// A piece of the request that may be the value of a parameter.

export type CandidateKind =
  | 'quote'
  | 'list'
  | 'email'
  | 'url'
  | 'path'
  | 'named'
  | 'date'
  | 'time'
  | 'number'
  | 'expression'
  | 'id'
  | 'currency'
  | 'language'
  | 'name'
  | 'place'
  | 'phrase'
  | 'chunk'

export interface Candidate {
  readonly kind: CandidateKind
  readonly start: number
  readonly end: number
  /** The value as text: without quotes, signs in expressions. */
  readonly text: string
  /** Of a number. */
  readonly value?: number
  readonly percent?: boolean
  /** The sign before it, such as `$`. */
  readonly sign?: string
  /** The word after it. */
  readonly unit?: string
  /** `YYYY-MM-DD` of a date, `HH:MM` of a time. */
  readonly standard?: string
  /** Of a date. */
  readonly year?: number
  /** Of a list in brackets. */
  readonly items?: readonly string[]
  /** The word a phrase follows; `verb` for what the first verb is followed by. */
  readonly cue?: string
}

export interface Span {
  readonly start: number
  readonly end: number
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && a.end > b.start
}

export function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && outer.end >= inner.end
}
