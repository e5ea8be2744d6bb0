// What the readers of calls in text share: the tools that may be meant, and what a reader found.
import type { JsonObject } from '../../json/types.js'

/** The tools of the request, by the names the model knows; only these are ever called. */
export type DeclaredTools = ReadonlyMap<string, JsonObject | undefined>
export interface TextCall {
  readonly name: string
  /** Strict JSON of an object. */
  readonly arguments: string
}
/** Calls that were read, and the index behind them. */
export interface Block {
  readonly calls: readonly TextCall[]
  readonly end: number
}

/** What a sticky pattern matches at an index. */
export function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index
  return pattern.exec(text) ?? undefined
}
