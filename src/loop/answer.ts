// A model's answer as the loop takes it: checked, plain JSON, frozen; the same for a fresh one and one out of a journal.
// The trap: a model may be anybody's code. Nothing of its answer is used before it was read here, and it may throw anything.
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, fold, withPartial } from '../conversation/fold.js'
import { freeze, isFrozen } from '../conversation/freeze.js'
import type { Loss } from '../conversation/losses.js'
import type { CompletionResponse, FinishReason, Metadata } from '../conversation/response.js'
import { decodeMessage } from '../conversation/stored.js'
import { fieldsAt, isArgumentText, jsonAt, oneOf, refuse, startReading } from '../conversation/stored-fields.js'
import { unfold } from '../conversation/unfold.js'
import type { Usage } from '../conversation/usage.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { redact } from '../json/redact.js'
import type { Json } from '../json/types.js'
import { checkCapabilities } from '../model/capabilities.js'
import type { CallOptions, Model, ModelRequest } from '../model/model.js'

const finishReasons: readonly FinishReason[] = ['stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error']

/** Asks the model once. Events go to `emit` as they come; without `emit` the answer is asked for whole. */
export async function ask(
  model: Model,
  request: ModelRequest,
  options: CallOptions & { readonly signal: AbortSignal },
  emit: ((event: CompletionEvent) => Promise<void> | undefined) | undefined,
): Promise<CompletionResponse> {
  const folder = emit === undefined ? undefined : createFolder()
  try {
    checkRequestable(model, request)
    if (emit === undefined || folder === undefined) return readAnswer(await model.complete(request, options))
    let finished = false
    for await (const event of model.stream(request, options)) {
      folder.push(event)
      finished ||= event.type === 'finish'
      await emit(event)
      if (options.signal.aborted) throw options.signal.reason // nobody reads on: the model's stream is closed, also one that knows no signal
    }
    const { response, error } = folder.done()
    if (error !== undefined) throw error
    if (!finished) throw new ToolwireError('truncated', 'the answer ended before the model said that it was done')
    return readAnswer(response)
  } catch (error) {
    const failure = foreignFailure('server_error', `the model "${model.name}" failed`, error)
    throw failure.partial === undefined && folder !== undefined ? withPartial(failure, folder.done().response) : failure
  }
}

/** Refuses a request for something the model can't do, whoever wrote the model. */
function checkRequestable({ id, name, capabilities }: Model, request: ModelRequest): void {
  // A model of a program without types may say nothing of itself.
  if (capabilities !== undefined) checkCapabilities({ model: id, ...request }, capabilities, name)
}

/** The answer, read as foreign data. A call whose arguments are no object is taken as broken, so that it is answered and not run. */
export function readAnswer(value: unknown): CompletionResponse {
  if (typeof value === 'object' && value !== null && isFrozen(value)) return value as CompletionResponse
  try {
    const fields = fieldsAt(value, '')
    const text = (key: string): string => {
      const field = fields.take(key)
      return typeof field.value === 'string' ? field.value : ''
    }
    const finishReason = oneOf(fields.take('finishReason'), finishReasons)
    const message = decodeMessage(withBrokenCalls(fields.take('message').value), '/message')
    if (message.role !== 'assistant') return refuse({ value: message, path: '/message/role' }, 'must be assistant')
    const raw = text('rawFinishReason')
    const rest = {
      usage: fields.take('usage').value,
      losses: fields.take('losses').value,
      metadata: fields.take('metadata').value,
    }
    const { usage, losses, metadata } = jsonAt({ value: rest, path: '' }, startReading())
    const read = {
      id: text('id'),
      model: text('model'),
      message,
      finishReason,
      ...(raw === '' ? {} : { rawFinishReason: raw }),
      ...(isJsonObject(usage) ? { usage: countsOf(usage) } : {}),
      losses: (Array.isArray(losses) ? losses : []) as readonly Loss[],
      metadata: (isJsonObject(metadata) ? metadata : {}) as Metadata,
    }
    return freeze(fold(unfold({ ...read, text: '', toolCalls: [], brokenCalls: [], requiresToolExecution: false })))
  } catch (error) {
    throw new ToolwireError('malformed_response', 'the model gave an answer that cannot be read; see the cause', {
      cause: error,
    })
  }
}

/** The answer as a journal keeps it, which `readAnswer` reads back: without what follows from the message. */
export function recordedAnswer(response: CompletionResponse): Json {
  const { text: _text, toolCalls: _calls, brokenCalls: _broken, requiresToolExecution: _requires, ...kept } = response
  return kept as unknown as Json
}

/** Whatever foreign code threw, as the one error class; `what` says whose fault it was. Not retryable: nobody knows. */
export function foreignFailure(code: ErrorCode, what: string, error: unknown): ToolwireError {
  if (ToolwireError.is(error)) return error
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : 'it gave no reason'
  return new ToolwireError(code, `${what}: ${redact(text)}`, { retryable: false, cause: error })
}

function withBrokenCalls(message: unknown): unknown {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return message
  const content: readonly unknown[] = message.content
  if (!content.some(isUnreadable)) return message
  return { ...message, content: content.map((part) => (isUnreadable(part) ? { ...part, ...repaired(part) } : part)) }
}

interface CallLike {
  readonly type: 'tool_call'
  readonly arguments: string
}

function isUnreadable(part: unknown): part is CallLike {
  if (!isJsonObject(part) || part.type !== 'tool_call' || typeof part.arguments !== 'string') return false
  return !isArgumentText(part.arguments)
}

/** No text means no arguments; any other text that is no object must not run. */
function repaired(call: CallLike): object {
  return call.arguments.trim() === '' ? { arguments: '{}' } : { type: 'broken_call', reason: 'malformed' }
}

function countsOf(usage: { readonly [key: string]: unknown }): Usage {
  const counts: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning', 'total'] as const) {
    const count = usage[key]
    if (typeof count === 'number' && count >= 0) counts[key] = count
  }
  return counts
}
