// A streamed answer. Every content event carries the position of its part, so `fold` rebuilds the order whatever arrives first.

import type { ToolwireError } from '../errors/error.js'
import type { Json } from '../json/types.js'
import type { Loss } from './losses.js'
import type { BrokenCall, Extra, Opaque, OpaquePart, Origin, ToolCall } from './messages.js'
import type { FinishReason, Metadata } from './response.js'
import type { Usage } from './usage.js'

/**
 * What a model says, piece by piece, on every wire the same. A stream begins with `start` and ends with `finish` or
 * an error; give a `switch` over it a last branch.
 */
export type CompletionEvent =
  | {
      readonly type: 'start'
      readonly id: string
      readonly model: string
      readonly origin?: Origin
      /** Fields of the wire's own message object that are not modelled. */
      readonly extra?: Extra
      readonly metadata?: Metadata
    }
  | { readonly type: 'text_delta'; readonly part: number; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly part: number; readonly text: string }
  /** Puts a signature or unmodelled fields onto a text or reasoning part; creates the part when nothing came before. */
  | {
      readonly type: 'attach'
      readonly part: number
      readonly of: 'text' | 'reasoning'
      readonly opaque?: Opaque
      readonly extra?: Extra
    }
  | { readonly type: 'opaque'; readonly part: number; readonly value: OpaquePart }
  /** A fragment of the arguments, for interfaces that show them grow. Only with `deltas` on. The first may carry the continuation. */
  | {
      readonly type: 'tool_call_delta'
      readonly part: number
      readonly id: string
      readonly name: string
      readonly text: string
      readonly opaque?: Opaque
    }
  | { readonly type: 'tool_call'; readonly part: number; readonly call: ToolCall }
  | { readonly type: 'broken_call'; readonly part: number; readonly call: BrokenCall }
  /** Totals so far: a later one replaces an earlier one, bucket by bucket. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly metadata?: Metadata }
  | { readonly type: 'loss'; readonly loss: Loss }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly raw?: string; readonly metadata?: Metadata }
  | { readonly type: 'error'; readonly error: ToolwireError }
  /** Something the wire said that this version does not know: kept, never dropped. */
  | { readonly type: 'unknown'; readonly raw: Json }

/** Fails to compile where a union has a member that a switch forgot. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value ${JSON.stringify(value)}`)
}
