// What a generation tells: events while it goes on, one result, or one error.
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import type { RunEvent } from '../loop/result.js'
import type { Rung } from './plan.js'

/** Something that was put right on the way. `text` is what the model had said. */
export interface Repair {
  /**
   * `fence`, `words`: the value stood in a code fence, or among words. `text_instead_of_call`: it was said in text where a call was
   * asked for. `retry`: the model was told what is wrong and asked again. `next_rung`: this way did not work, the next was taken.
   */
  readonly kind: 'fence' | 'words' | 'text_instead_of_call' | 'retry' | 'next_rung'
  readonly rung: Rung
  readonly reason: string
  readonly text: string
}

/** The value, and how it came about. */
export interface GenerateResult<T> {
  /** Checked against the schema; never missing, never half a value. */
  readonly value: T
  /** The way it was got. */
  readonly rung: Rung
  /** Answers asked of the model. */
  readonly calls: number
  readonly repairs: readonly Repair[]
  /** The sum over all answers. */
  readonly usage: Usage
  /** The whole conversation, plain JSON. */
  readonly messages: readonly Message[]
  /** The JSON text of the value, as the model said it in the terms of the schema. */
  readonly text: string
  readonly response?: CompletionResponse
  readonly losses: readonly Loss[]
}

/** The events of the run as they are, and those of the generation. */
export type GenerateEvent =
  | Exclude<RunEvent, { readonly type: 'done' }>
  | { readonly type: 'rung'; readonly rung: Rung }
  | { readonly type: 'repair'; readonly repair: Repair }
  /** The value so far, with `partials`: unchecked, and the same object each time. */
  | { readonly type: 'partial'; readonly value: unknown }
