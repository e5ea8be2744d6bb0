// `react`: the model calls tools until it submits the outputs. The loop is `run`; what is added here is the way in (the plan), the
// way out (the submit tool), and what to do when the model stops short or its context is full.
import { textMessage } from '../conversation/conversation.js'
import { mergeLosses } from '../conversation/loss-log.js'
import type { Loss } from '../conversation/losses.js'
import { isCall, type Message } from '../conversation/messages.js'
import { addUsage, type Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import type { RunOptions, Turn } from '../loop/options.js'
import type { RunResult } from '../loop/result.js'
import { run } from '../loop/run.js'
import { type Awaitable, awaitable, drained } from '../model/awaitable.js'
import type { Model } from '../model/model.js'
import { systemClock } from '../tools/clock.js'
import { ToolExecutor } from '../tools/execute.js'
import type { SignatureData } from './field.js'
import { type Setup, setupOf } from './module-call.js'
import { signatureOf } from './predict.js'
import type { OutputRetry } from './prediction.js'
import { promptedModel } from './prompted-model.js'
import { reactEvents, withDeltas } from './react-events.js'
import { checkReactSignature, planReact, type ReactPlan, reactTools } from './react-plan.js'
import type {
  ForcedAfter,
  ReactCallOptions,
  ReactEvent,
  ReactFailure,
  ReactOptions,
  ReactResult,
  ReactStop,
} from './react-result.js'
import { type AnyFields, type CallsField, makeSignature, type Signature, type SignatureOf } from './signature.js'
import { submitName, submitTool } from './submit.js'

/** An agent for a signature. Misuse rejects before the first request; everything later is told by the result. */
export interface Agent<Inputs = AnyFields, Outputs = AnyFields> {
  (inputs: Inputs, options?: ReactCallOptions): Promise<ReactResult<Outputs>>
  stream(inputs: Inputs, options?: ReactCallOptions): Awaitable<ReactEvent<Outputs>, ReactResult<Outputs>>
  readonly module: 'react'
  readonly signature: SignatureData
  readonly demos: NonNullable<ReactOptions['demos']>
  /** The same agent with other options. */
  with(options: ReactOptions): Agent<Inputs, Outputs>
  /** The same agent with another instruction. */
  instruct(instruction: string): Agent<Inputs, Outputs>
}

type AgentOf<S> = S extends Signature<infer Inputs, infer Outputs, infer _> ? Agent<Inputs, Outputs> : never

/** Lets the model call the tools until it calls `submit` with the outputs of the signature. */
export function react<const Text extends string>(signature: Text, options?: ReactOptions): AgentOf<SignatureOf<Text>>
export function react<Inputs, Outputs, Calls extends CallsField>(
  signature: Signature<Inputs, Outputs, Calls>,
  options?: ReactOptions,
): Agent<Inputs, Outputs>
export function react(given: string | Signature, options: ReactOptions = {}): Agent {
  const signature = signatureOf(given)
  checkReactSignature(signature)
  const call = async (inputs: AnyFields, own: ReactCallOptions = {}): Promise<ReactResult<AnyFields>> =>
    drained(new Reaction(signature, inputs, options, own, false).events())
  return Object.assign(call, {
    stream: (inputs: AnyFields, own: ReactCallOptions = {}) => {
      const reaction = new Reaction(signature, inputs, options, own, true)
      return awaitable(() => ({
        events: reaction.events(),
        leave: () => reaction.leave(),
        left: () => reaction.result(),
      }))
    },
    module: 'react' as const,
    signature,
    demos: options.demos ?? [],
    with: (more: ReactOptions) => react(signature, { ...options, ...more }),
    instruct: (instruction: string) =>
      react(makeSignature<AnyFields, AnyFields, CallsField>({ ...signature, instruction }), options),
  })
}

const mostDrops = 3

/** One call of an agent on its way. */
class Reaction {
  readonly #setup: Setup
  readonly #options: ReactCallOptions
  readonly #streaming: boolean
  readonly #plan: ReactPlan
  readonly #model: Model
  readonly #executor: ToolExecutor
  readonly #leaving = new AbortController()
  #outputs: ReadonlyMap<string, unknown> | undefined
  #messages: readonly Message[]
  #startedAt = 0
  #usage: Usage = {}
  #modelCalls = 0
  #calls = 0
  #dropped = 0
  #losses: readonly Loss[] = []
  #retries: readonly OutputRetry[] = []
  #last: RunResult | undefined
  #forced: ForcedAfter | undefined
  #failure: ReactFailure | undefined

  constructor(signature: SignatureData, inputs: object, own: ReactOptions, call: ReactCallOptions, streaming: boolean) {
    const given = Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined))
    this.#options = { ...own, ...given }
    this.#setup = setupOf('react', signature, inputs, own, call)
    this.#streaming = streaming
    const tools = reactTools(this.#setup, this.#options)
    const submit = submitTool(signature.outputs, (values) => {
      this.#outputs ??= values
    })
    this.#executor = new ToolExecutor([...tools, submit])
    this.#plan = planReact(this.#setup, [...tools, submit])
    const { plan, inner, callsName } = this.#plan
    const { model, adapter } = this.#setup.settings
    this.#model = plan.mode === 'native' ? model : promptedModel(model, adapter, inner, callsName)
    this.#messages = plan.request.messages
  }

  leave(): void {
    this.#leaving.abort(new ToolwireError('aborted', 'the reader of the events left'))
  }

  async *events(): AsyncGenerator<ReactEvent<AnyFields>, ReactResult<AnyFields>> {
    this.#startedAt = systemClock.now()
    while (this.#outputs === undefined && this.#failure === undefined) {
      this.#last = yield* this.#segment()
      if (this.#outputs === undefined && this.#failure === undefined) yield* this.#goOn(this.#last)
    }
    const result = this.result()
    if (result.kind === 'answer') {
      for (const [field, value] of Object.entries(result.outputs)) yield { type: 'field', field, value }
    }
    yield { type: 'done', result }
    return result
  }

  /** Runs the loop until it is over, or the outputs are there. */
  async *#segment(): AsyncGenerator<ReactEvent<AnyFields>, RunResult> {
    const finished = new AbortController()
    const found: OutputRetry[] = []
    const options = this.#runOptions(finished, found)
    const result = this.#streaming
      ? yield* reactEvents(run.stream(options), this.#setup.signature.outputs, found)
      : await run(options)
    this.#usage = addUsage(this.#usage, result.usage)
    this.#modelCalls += result.turns
    this.#calls += result.calls
    this.#losses = mergeLosses(this.#losses, result.losses)
    this.#messages = result.messages
    return result
  }

  #runOptions(finished: AbortController, found: OutputRetry[]): RunOptions {
    const { resume, approvals, signal } = this.#options
    const { concurrency, approve, policy, exposeErrors, maxResultBytes, repair, audit, log, secrets } = this.#options
    const { toolTimeoutMs, maxTurns = 20, maxCallsPerTurn, maxIdenticalCalls } = this.#options
    // The limits are those of the whole call: what earlier runs took is gone.
    const timeoutMs = leftOf(this.#options.timeoutMs, systemClock.now() - this.#startedAt)
    const maxTokensTotal = leftOf(this.#options.maxTokensTotal, this.#usage.total ?? 0)
    const { toolChoice, ...settings } = this.#setup.request
    const signals = [finished.signal, this.#leaving.signal, ...(signal === undefined ? [] : [signal])]
    const isResumed = resume !== undefined && this.#modelCalls === 0
    const forced = { toolChoice: this.#forcedChoice(), forceEveryTurn: true, maxTurns: this.#retriesLeft() + 1 }
    return {
      ...settings,
      ...{ concurrency, approve, policy, exposeErrors, maxResultBytes, repair, audit, log, secrets },
      ...{ toolTimeoutMs, maxCallsPerTurn, maxTokensTotal, maxIdenticalCalls, timeoutMs },
      ...(this.#forced === undefined ? { toolChoice, maxTurns: leftOf(maxTurns, this.#modelCalls) } : forced),
      ...(isResumed ? { resume, approvals, maxTurns } : { messages: this.#messages }),
      model: this.#streaming ? withDeltas(this.#model) : this.#model,
      executor: this.#executor,
      signal: AbortSignal.any(signals),
      onTurn: (turn) => {
        this.#look(turn, found)
        if (this.#outputs !== undefined || this.#failure !== undefined) finished.abort()
      },
    }
  }

  /** Counts outputs that did not fit against the budget. */
  #look({ turn, calls, results }: Turn, found: OutputRetry[]): void {
    for (const [index, call] of calls.entries()) {
      const result = results[index]
      if (call.name !== submitName || result?.isError !== true) continue
      const code = call.type === 'broken_call' ? 'malformed_arguments' : 'malformed_response'
      const message = result.error?.message ?? 'the outputs do not fit'
      const detail = { arguments: call.arguments, ...result.error?.details }
      const error = new ToolwireError(code, message, { retryable: false, detail })
      if (this.#retriesLeft() === 0) {
        this.#failure = { reason: 'invalid_outputs', error }
        return
      }
      const retry: OutputRetry = { modelCall: this.#modelCalls + turn, rung: submitName, error }
      this.#retries = [...this.#retries, retry]
      found.push(retry)
      this.#setup.onRetry?.(retry)
    }
  }

  #retriesLeft(): number {
    return Math.max(0, this.#setup.settings.maxOutputRetries - this.#retries.length)
  }

  #forcedChoice(): RunOptions['toolChoice'] {
    const { toolChoiceNamed, toolChoiceRequired } = this.#model.capabilities
    if (toolChoiceNamed !== 'no') return { tool: submitName }
    return toolChoiceRequired === 'no' ? 'auto' : 'required'
  }

  /** What follows a loop that ended without outputs: less context, a demand for the outputs, or the end. */
  *#goOn(result: RunResult): Generator<ReactEvent<AnyFields>, void> {
    const { reason, detail, error } = result.stop
    if (reason === 'error' && error?.code === 'context_too_long') {
      const shorter = this.#dropped < mostDrops ? this.#withoutOldest() : undefined
      if (shorter === undefined) {
        this.#failure = { reason: 'context_too_long', error }
        return
      }
      this.#messages = shorter
      this.#dropped += 1
      yield { type: 'context_dropped', dropped: this.#dropped }
      return
    }
    const over =
      reason === 'answer' || reason === 'max_turns' ? reason : detail === 'identical_calls' ? detail : undefined
    if (over === undefined) {
      const failed = reason === 'budget' || reason === 'aborted' || reason === 'needs_approval' ? reason : 'error'
      this.#failure = {
        reason: failed,
        ...(detail === undefined ? {} : { detail }),
        ...(error === undefined ? {} : { error }),
      }
    } else if (this.#forced !== undefined) {
      this.#failure = { reason: 'no_submit', detail: this.#forced }
    } else {
      this.#forced = over
      this.#messages = [
        ...this.#messages,
        textMessage('user', `Call \`${submitName}\` now, with the outputs as you know them.`),
      ]
    }
  }

  /** The conversation without the oldest turn of calls behind the plan's own messages. */
  #withoutOldest(): readonly Message[] | undefined {
    const head = this.#plan.plan.request.messages.length
    const start = this.#messages.findIndex(
      (message, index) => index >= head && message.role === 'assistant' && message.content.some(isCall),
    )
    if (start === -1) return undefined
    let end = start + 1
    while (this.#messages[end]?.role === 'tool') end += 1
    return [...this.#messages.slice(0, start), ...this.#messages.slice(end)]
  }

  result(): ReactResult<AnyFields> {
    const { settings, signature, inputs } = this.#setup
    const { plan } = this.#plan
    const outputs = this.#outputs ?? new Map<string, unknown>()
    const spent = { usage: this.#usage, modelCalls: this.#modelCalls, retries: this.#retries }
    const messages = this.#messages
    const course = {
      ...spent,
      mode: plan.mode,
      messages,
      calls: this.#calls,
      dropped: this.#dropped,
      losses: this.#losses,
      trace: {
        module: 'react',
        signature,
        inputs,
        outputs: Object.fromEntries(outputs),
        messages,
        ...(plan.request.tools === undefined ? {} : { tools: plan.request.tools }),
        model: settings.model.id,
        adapter: settings.adapter.name,
        usage: this.#usage,
        modelCalls: this.#modelCalls,
      },
    }
    if (this.#outputs === undefined) {
      const stop: ReactFailure = this.#failure ?? { reason: 'aborted' }
      const state = this.#last?.state
      return { kind: 'stopped', stop, ...(state === undefined ? {} : { state }), ...course }
    }
    const hidden = new Set(signature.outputs.filter(({ internal }) => internal).map(({ name }) => name))
    const stop: ReactStop =
      this.#forced === undefined ? { reason: 'submit' } : { reason: 'forced_submit', after: this.#forced }
    return {
      kind: 'answer',
      outputs: Object.fromEntries([...outputs].filter(([name]) => !hidden.has(name))),
      stop,
      ...course,
    }
  }
}

/** What is left of a limit; never nothing, so that the run itself tells that it is reached. A limit that makes no sense stays. */
function leftOf(limit: number | undefined, taken: number): number | undefined {
  return limit === undefined || !(limit >= 1) ? limit : Math.max(1, limit - taken)
}
