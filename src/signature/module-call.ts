// One call of a module: ask, read, and ask again with the error while the budget lasts. The same path streams and does not.
import { textMessage } from '../conversation/conversation.js'
import type { CompletionEvent } from '../conversation/events.js'
import { withPartial } from '../conversation/fold.js'
import { mergeLosses } from '../conversation/loss-log.js'
import type { Loss } from '../conversation/losses.js'
import type { Message } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { addUsage, type Usage } from '../conversation/usage.js'
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { ask, foreignFailure } from '../loop/answer.js'
import { eventsOf } from '../loop/channel.js'
import { type Lifetime, startLifetime, within } from '../loop/stop.js'
import { toolResult, toolResults } from '../tools/results.js'
import type { Adapter, Demo, FieldReader, FormatContext, Parsed, Plan } from './adapter.js'
import { isToolField, type SignatureData } from './field.js'
import type { FieldEvent, OutputRetry, Prediction } from './prediction.js'
import { type Resolved, resolve, type SignatureSettings } from './settings.js'
import { callParts } from './tool-fields.js'

/** What is passed on to the model with every request. */
export type RequestSettings = Pick<
  CompletionRequest,
  'toolChoice' | 'parallelToolCalls' | 'maxTokens' | 'temperature' | 'topP' | 'stop' | 'reasoning' | 'extra'
>
/** How a module asks its model. */
export interface ModuleOptions extends SignatureSettings {
  /** Examples: values of fields by name, an input and an output at least. */
  readonly demos?: readonly Demo[] | undefined
  readonly request?: RequestSettings | undefined
  /** Told of every answer that could not be used and is asked for again. */
  readonly onRetry?: ((retry: OutputRetry) => void) | undefined
}
/** Those of the module for this call alone, with a deadline and a signal. */
export interface CallOptions extends ModuleOptions {
  readonly signal?: AbortSignal | undefined
  /** Wall time of the whole call; no limit. */
  readonly timeoutMs?: number | undefined
}

/** A call that was checked and not yet begun. */
export interface Setup {
  readonly module: string
  readonly signature: SignatureData
  readonly inputs: object
  readonly settings: Resolved
  readonly demos: readonly Demo[]
  readonly request: RequestSettings
  readonly onRetry: ((retry: OutputRetry) => void) | undefined
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

export function setupOf(
  module: string,
  signature: SignatureData,
  inputs: object,
  own: ModuleOptions,
  call: CallOptions,
): Setup {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY } = call
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ToolwireError('misuse', 'signal must be an AbortSignal')
  }
  const demos = call.demos ?? own.demos ?? []
  if (!Array.isArray(demos))
    throw new ToolwireError('misuse', 'demos must be a list of examples, each an object of field values')
  return {
    module,
    signature,
    inputs,
    settings: resolve(call, own),
    demos,
    request: { ...own.request, ...call.request },
    onRetry: call.onRetry ?? own.onRetry,
    signal,
    timeoutMs,
  }
}

/** Failures of the answer itself: asked for again, with the error. */
const outputFailures: readonly ErrorCode[] = ['missing_required_output', 'malformed_response', 'malformed_arguments']
/** Failures of the way it was asked for, where there is another way. */
const refusals: readonly ErrorCode[] = ['unsupported_feature', 'invalid_request']

/** How far a call has come. */
interface Progress {
  rung: number
  usage: Usage
  modelCalls: number
  losses: readonly Loss[]
  retries: readonly OutputRetry[]
  /** What was said since the first request: failed answers and what was wrong with them. */
  corrections: readonly Message[]
}

/** The call as events; its value is the result. Failures are thrown, with what was spent in their detail. */
export async function* callEvents(
  setup: Setup,
  streaming: boolean,
): AsyncGenerator<FieldEvent<Prediction>, Prediction> {
  const progress: Progress = { rung: 0, usage: {}, modelCalls: 0, losses: [], retries: [], corrections: [] }
  const lifetime = startLifetime(setup.signal, setup.timeoutMs)
  try {
    for (;;) {
      const attempt = yield* attempted(setup, progress, lifetime, streaming)
      if (attempt.done) {
        for (const [field, value] of Object.entries(attempt.result.outputs)) yield { type: 'field', field, value }
        yield { type: 'done', result: attempt.result }
        return attempt.result
      }
      yield { type: 'retry', retry: attempt.retry }
    }
  } catch (error) {
    throw lifetime.stop === undefined ? error : stopError(lifetime, error)
  } finally {
    lifetime.close()
  }
}

type Attempt =
  | { readonly done: true; readonly result: Prediction }
  | { readonly done: false; readonly retry: OutputRetry }

async function* attempted(
  setup: Setup,
  progress: Progress,
  lifetime: Lifetime,
  streaming: boolean,
): AsyncGenerator<FieldEvent<Prediction>, Attempt> {
  const { adapter, model, toolMode } = setup.settings
  const context = { capabilities: model.capabilities, toolMode, demos: setup.demos, rung: progress.rung }
  const plan = planBy(adapter, setup.signature, setup.inputs, context)
  const request = requestOf(setup, plan, progress)
  let response: CompletionResponse | undefined
  try {
    progress.modelCalls += 1
    response = yield* askFor(setup, request, lifetime, streaming)
    progress.usage = addUsage(progress.usage, response.usage ?? {})
    progress.losses = mergeLosses(progress.losses, response.losses)
    const parsed = await adapter.parse(setup.signature, response, plan)
    return { done: true, result: resultOf(setup, progress, plan, request, response, parsed) }
  } catch (error) {
    return { done: false, retry: retryOf(setup, progress, plan, response, error) }
  }
}

/** The plan of an adapter, which may be anybody's code. */
export function planBy(adapter: Adapter, signature: SignatureData, inputs: object, context: FormatContext): Plan {
  const plan = guarded(`the adapter "${adapter.name}" failed`, () => adapter.format(signature, inputs, context))
  if (Array.isArray(plan?.request?.messages) && Array.isArray(plan.rungs)) return plan
  throw new ToolwireError(
    'misuse',
    `the adapter "${adapter.name}" gave no plan; it needs a request with messages, and rungs`,
  )
}

/** Asks the model; while it answers, text fields are told as they grow. */
async function* askFor(
  setup: Setup,
  request: CompletionRequest,
  lifetime: Lifetime,
  streaming: boolean,
): AsyncGenerator<FieldEvent<Prediction>, CompletionResponse> {
  const { model, adapter } = setup.settings
  const reader: FieldReader | undefined = streaming ? adapter.readFields?.(setup.signature.outputs) : undefined
  return yield* eventsOf<FieldEvent<Prediction>, CompletionResponse>(({ emit }) => {
    const isShown = (name: string): boolean =>
      !setup.signature.outputs.some((field) => field.internal && field.name === name)
    const tell = async (deltas: ReturnType<FieldReader['end']>): Promise<void> => {
      for (const delta of deltas) if (isShown(delta.field)) await emit({ type: 'field_delta', ...delta })
    }
    const onEvent = async (event: CompletionEvent): Promise<void> => {
      if (event.type === 'text_delta') await tell(reader?.push(event.text) ?? [])
      if (event.type === 'finish') await tell(reader?.end() ?? [])
    }
    const isStreamed = reader !== undefined && model.capabilities?.streaming !== 'no'
    return within(lifetime, () => ask(model, request, { signal: lifetime.signal }, isStreamed ? onEvent : undefined))
  })
}

function requestOf(setup: Setup, plan: Plan, progress: Progress): CompletionRequest {
  const { toolChoice, parallelToolCalls, ...settings } = setup.request
  const hasTools = (plan.request.tools?.length ?? 0) > 0
  // A choice without tools is refused by providers, and a prompted model has none in its request.
  const choice = {
    ...(toolChoice === undefined || !hasTools ? {} : { toolChoice }),
    ...(parallelToolCalls === undefined || !hasTools ? {} : { parallelToolCalls }),
  }
  const messages = [...plan.request.messages, ...progress.corrections]
  return { model: setup.settings.model.id, ...settings, ...choice, ...plan.request, messages }
}

/** What is asked next, or the error when nothing is. */
function retryOf(
  setup: Setup,
  progress: Progress,
  plan: Plan,
  response: CompletionResponse | undefined,
  error: unknown,
): OutputRetry {
  if (!ToolwireError.is(error))
    throw foreignFailure('misuse', `the adapter "${setup.settings.adapter.name}" failed`, error)
  const hasRung = progress.rung + 1 < plan.rungs.length
  const again = response === undefined ? hasRung && refusals.includes(error.code) : outputFailures.includes(error.code)
  if (!again || progress.modelCalls > setup.settings.maxOutputRetries) throw withSpent(error, progress, response)
  const retry = { modelCall: progress.modelCalls, rung: rungOf(plan, progress), error }
  progress.retries = [...progress.retries, retry]
  if (hasRung) progress.rung += 1
  if (response !== undefined) progress.corrections = [...progress.corrections, ...correctionOf(response, error)]
  guarded('the onRetry hook failed', () => setup.onRetry?.(retry))
  return retry
}

/** Foreign code, whose failures are misuse. */
function guarded<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw foreignFailure('misuse', what, error)
  }
}

/** The answer as it came, every call in it answered, and what was wrong. */
function correctionOf(response: CompletionResponse, error: ToolwireError): readonly Message[] {
  const { message } = response
  const calls = message.content.filter(isCall)
  const results = calls.map((call) => toolResult.error(call, { category: 'invalid_arguments', message: error.message }))
  const text = `Your answer could not be used: ${error.message}\nAnswer again, complete and in the form asked for.`
  return [
    ...(message.content.length === 0 ? [] : [message]),
    ...(results.length === 0 ? [] : [toolResults(results)]),
    textMessage('user', text),
  ]
}

function rungOf(plan: Plan, progress: Progress): string {
  return plan.rungs[Math.min(progress.rung, plan.rungs.length - 1)] ?? ''
}

function resultOf(
  setup: Setup,
  progress: Progress,
  plan: Plan,
  request: CompletionRequest,
  response: CompletionResponse,
  parsed: Parsed,
): Prediction {
  const { module, signature, inputs, settings } = setup
  const { usage, modelCalls, retries, losses } = progress
  const isHidden = (name: string): boolean => signature.outputs.some((field) => field.internal && field.name === name)
  const outputs = Object.fromEntries([...parsed.outputs].filter(([name]) => !isHidden(name)))
  const told = {
    outputs,
    usage,
    modelCalls,
    retries,
    mode: plan.mode,
    rung: rungOf(plan, progress),
    response,
    losses,
    turn: { inputs: plainInputs(setup), outputs: Object.fromEntries(parsed.outputs), message: response.message },
    trace: {
      module,
      signature,
      inputs,
      outputs: Object.fromEntries(parsed.outputs),
      messages: [...request.messages, response.message],
      ...(request.tools === undefined ? {} : { tools: request.tools }),
      model: settings.model.id,
      adapter: settings.adapter.name,
      usage,
      modelCalls,
    },
  }
  if (parsed.kind === 'answer') return { kind: 'answer', ...told }
  const toolCalls = response.toolCalls.length > 0 ? response.toolCalls : callParts(parsed.calls)
  return { kind: 'calls', calls: parsed.calls, toolCalls, ...told }
}

/** The inputs that are part of the turn: tools and history are given anew with each call. */
function plainInputs({ signature, inputs }: Setup): object {
  const isTold = (name: string): boolean =>
    signature.inputs.some((field) => field.name === name && !isToolField(field) && field.type.kind !== 'history')
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => isTold(name)))
}

/** The error with what it took to get there. */
function withSpent(error: ToolwireError, progress: Progress, response: CompletionResponse | undefined): ToolwireError {
  const { code, message, retryable, retryAfterMs, status, requestId } = error
  const { modelCalls, retries, usage } = progress
  const detail = { ...error.detail, modelCalls, retries: retries.map((retry) => retry.error.code), usage: { ...usage } }
  const told = new ToolwireError(code, message, { retryable, retryAfterMs, status, requestId, detail, cause: error })
  if (response !== undefined) return withPartial(told, response)
  return error.partial === undefined ? told : withPartial(told, error.partial as CompletionResponse)
}

function stopError(lifetime: Lifetime, error: unknown): unknown {
  const stop = lifetime.stop
  if (stop?.error !== undefined) return stop.error
  return new ToolwireError('timeout', 'the time of the call was over before it was answered', {
    retryable: false,
    cause: error,
  })
}
