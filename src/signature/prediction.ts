// What a module gives: the outputs, or the calls the model wants made, and what it took to get them.
import type { Loss } from '../conversation/losses.js'
import type { ToolCall } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import type { ToolwireError } from '../errors/error.js'
import type { Flat } from '../schema/infer.js'
import type { Plan } from './adapter.js'
import type { CallValue, HistoryTurn } from './infer.js'
import type { AnyFields, CallsField } from './signature.js'
import type { Trace } from './trace.js'

/** An answer that could not be used and was asked for again. */
export interface OutputRetry {
  /** Which model call failed, from 1 on. */
  readonly modelCall: number
  readonly rung: string
  readonly error: ToolwireError
}

export interface Spent {
  /** Of all model calls, the failed ones too. */
  readonly usage: Usage
  readonly modelCalls: number
  readonly retries: readonly OutputRetry[]
}

interface Told extends Spent {
  readonly mode: Plan['mode']
  /** Which way of asking was answered. */
  readonly rung: string
  readonly response: CompletionResponse
  readonly losses: readonly Loss[]
  readonly trace: Trace
  /** This turn for the `history` of a next call; add the `results` of its calls. */
  readonly turn: HistoryTurn
}

/** A prediction that is an answer: its outputs, checked. */
export interface AnswerOf<Outputs> extends Told {
  readonly kind: 'answer'
  readonly outputs: Outputs
}
/** The other outputs are those that came along with the calls. */
export interface CallsResult<Outputs> extends Told {
  readonly kind: 'calls'
  readonly calls: readonly CallValue[]
  /** The same calls as an executor takes them. */
  readonly toolCalls: readonly ToolCall[]
  readonly outputs: Outputs
}

/** Only what a signature can give: no calls without a `tool_calls` field, no answer where the field is required. */
export type Prediction<Outputs = AnyFields, Calls extends CallsField = CallsField> = [Calls] extends [undefined]
  ? AnswerOf<Outputs>
  : [Calls] extends [{ name: infer Name extends string; optional: infer Optional }]
    ?
        | CallsResult<
            Flat<
              { [Key in Name]: readonly CallValue[] } & {
                [Key in Exclude<keyof Outputs, Name>]?: Outputs[Key] | undefined
              }
            >
          >
        | (true extends Optional ? AnswerOf<Flat<Omit<Outputs, Name> & { [Key in Name]?: undefined }>> : never)
    : AnswerOf<Outputs> | CallsResult<Outputs>

/** A module's call while it goes on. `retry` means that the deltas since the last one are void. */
export type FieldEvent<Result> =
  | { readonly type: 'field_delta'; readonly field: string; readonly text: string }
  | { readonly type: 'retry'; readonly retry: OutputRetry }
  | { readonly type: 'field'; readonly field: string; readonly value: unknown }
  | { readonly type: 'done'; readonly result: Result }
