// How a generation fails: every end without a value is an error that carries what the model said, and how far it came.
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import type { Json } from '../json/types.js'
import type { RunResult } from '../loop/result.js'
import type { Assignment } from './options.js'
import type { Rung } from './plan.js'
import type { Repair } from './result.js'

/** What was said, spent and put right so far. */
export interface Progress {
  messages: readonly Message[] | undefined
  calls: number
  usage: Usage
  losses: readonly Loss[]
  response: CompletionResponse | undefined
  readonly repairs: Repair[]
  retries: number
}

/** An answer that does not fit, and why. */
export interface Unusable {
  readonly code: ErrorCode
  readonly reason: string
  readonly text: string
}

/** Whether the model said that it will not answer, in the field its wire has for it. */
export function isRefusal(response: CompletionResponse | undefined): boolean {
  return (response?.message.content ?? []).some(
    (part) => part.type === 'text' && Object.values(part.extra ?? {}).some((own) => own?.$refusal === true),
  )
}

/** The error of an answer that was refused or filtered. */
export function refusal(result: RunResult, rung: Rung, progress: Progress): ToolwireError {
  return ended('content_filtered', 'the model refused to answer, or its answer was filtered', result, rung, progress)
}

/** The error of an answer that ran out of tokens. */
export function truncated(result: RunResult, rung: Rung, progress: Progress): ToolwireError {
  return ended('truncated', 'the answer was cut off; raise maxTokens or ask for less', result, rung, progress)
}

/** The error of a run that came to its end without a value. */
export function ended(
  code: ErrorCode,
  message: string,
  result: RunResult,
  rung: Rung,
  progress: Progress,
): ToolwireError {
  return new ToolwireError(code, message, {
    retryable: false,
    detail: detailOf(rung, progress, result.text),
    partial: result.response,
  })
}

/** The error after the last try. */
export function failure(
  { code, reason, text }: Unusable,
  rung: Rung,
  progress: Progress,
  { name, retries }: Assignment,
): ToolwireError {
  const message = `the model gave no usable "${name}" in ${retries + 1} tries (${rung}): ${reason}`
  return new ToolwireError(code, message, {
    retryable: false,
    detail: { ...detailOf(rung, progress, text), reason },
    partial: progress.response,
  })
}

/** The error when no more answers may be asked for. */
export function exhausted(rung: Rung, progress: Progress, { maxCalls, name }: Assignment): ToolwireError {
  const message = `the model gave no "${name}" within ${maxCalls} answers; raise maxCalls, or ask for less`
  return new ToolwireError('limit_exceeded', message, {
    detail: detailOf(rung, progress, progress.response?.text ?? ''),
    partial: progress.response,
  })
}

/** The same error, with what the generation knows. */
export function enriched(error: ToolwireError, rung: Rung, progress: Progress, text: string): ToolwireError {
  const { code, message, retryable, retryAfterMs, status, requestId, detail, partial } = error
  const more = { ...detail, ...detailOf(rung, progress, text) }
  return new ToolwireError(code, message, {
    retryable,
    retryAfterMs,
    status,
    requestId,
    detail: more,
    cause: error,
    partial,
  })
}

function detailOf(rung: Rung, { calls, repairs }: Progress, text: string): { readonly [key: string]: Json } {
  return { rung, calls, text, attempts: repairs.map(({ kind, reason, text: said }) => ({ kind, reason, text: said })) }
}
