// The calls of one turn under one deadline and one set of slots. Trap: whatever a tool, a schema, an approver or a hook does,
// every call is settled exactly once, and nothing here rejects.
import type { AnyCall, ToolCall, ToolFailure, ToolResult } from '../conversation/messages.js'
import { digest } from '../json/digest.js'
import type { Checked } from '../schema/issue.js'
import { issueText } from '../schema/issue.js'
import { type Admission, admit, rateLimited } from './admission.js'
import { type CallOutcome, settleAround } from './around.js'
import { type AuditDecision, type AuditRecord, notify } from './audit.js'
import { remainingMs } from './clock.js'
import type { OnProgress, Settings } from './executor-options.js'
import { failureOf } from './failure.js'
import { Gate, type ToolBudgets } from './limits.js'
import { brokenFailure, late, type Preparation, prepare, type Repair, wholeCall } from './preparation.js'
import { isPromiseLike, LazySignal, type Raced, race, type Settled, type Soon } from './race.js'
import type { ToolSource } from './registry.js'
import { failedResult, resultOf } from './results.js'
import type { AnyTool, ToolContext, ToolProgress } from './tool.js'

type Ready = Preparation & { readonly state: 'ready' }

/** What is known of one call while it is on its way. */
interface Passage {
  readonly call: AnyCall
  readonly startedAt: number
  readonly idempotencyKey: string
  repair: Repair | undefined
}

export class Batch {
  readonly #tools: ToolSource
  readonly #budgets: ToolBudgets
  readonly #settings: Settings
  readonly #slots: Gate
  readonly #deadlineAt: number
  readonly #seen = new Map<string, number>()

  constructor(tools: ToolSource, budgets: ToolBudgets, settings: Settings) {
    this.#tools = tools
    this.#budgets = budgets
    this.#settings = settings
    this.#slots = new Gate(settings.concurrency)
    this.#deadlineAt = settings.clock.now() + settings.deadlineMs
  }

  /** Decides about a call and runs it. Never rejects; calls settled side by side share the batch's slots. */
  settle(call: AnyCall): Promise<CallOutcome> {
    const { clock, around, audit } = this.#settings
    const startedAt = audit === undefined ? 0 : clock.now()
    const passage: Passage = { call, startedAt, idempotencyKey: this.#keyOf(call), repair: undefined }
    if (around === undefined) return this.#settle(passage)
    return settleAround(
      around,
      call,
      () => this.#settle(passage),
      () => this.#tools.get(call.name),
    )
  }

  // Only what is a promise is awaited: most of what is decided here is decided at once.
  async #settle(passage: Passage): Promise<CallOutcome> {
    try {
      const preparing = this.#prepare(passage)
      const prepared = preparing instanceof Promise ? await preparing : preparing
      switch (prepared.state) {
        case 'ready': {
          const admitting = this.#admit(prepared)
          const admission = admitting instanceof Promise ? await admitting : admitting
          if (admission.state !== 'admitted') return this.#turnAway(passage, prepared, admission)
          const running = this.#run(prepared, passage)
          const result = running instanceof Promise ? await running : running
          admission.leave() // an abandoned tool's place too: one that never ends must not stop all later calls
          return this.#answer(passage, 'allowed', result)
        }
        case 'paused':
          this.#record(passage, 'paused', 'paused')
          return { state: 'paused', call: prepared.call, argumentsDigest: digest(prepared.call.arguments) }
        case 'refused':
        case 'denied':
          return this.#fail(passage, prepared.state, prepared.failure)
      }
    } catch (error) {
      // Only a tool object that breaks its own contract comes here: a getter that throws, fields of the wrong type.
      return this.#fail(passage, 'refused', failureOf(error, this.#settings))
    }
  }

  #prepare(passage: Passage): Soon<Preparation> {
    const settings = this.#settings
    const whole = wholeCall(passage.call, settings)
    if (whole === undefined) return { state: 'refused', failure: brokenFailure(passage.call, settings.argumentLimits) }
    if (whole.repair !== undefined) this.#report(passage, whole.repair)
    return prepare(whole, this.#tools, settings, this.#deadlineAt)
  }

  #admit({ tool }: Ready): Soon<Admission> {
    const { signals, clock, timeoutMs } = this.#settings
    const patienceMs = tool.timeoutMs ?? timeoutMs
    const limits = { slots: this.#slots, signals, clock, deadlineAt: this.#deadlineAt, patienceMs }
    return admit(this.#budgets.of(tool), limits)
  }

  #turnAway(passage: Passage, { tool }: Ready, admission: Exclude<Admission, { state: 'admitted' }>): CallOutcome {
    const failure =
      admission.state === 'rate_limited' ? rateLimited(tool, admission.retryAfterMs) : late(admission.state)
    return this.#fail(passage, 'allowed', failure)
  }

  #run({ call, tool, input }: Ready, passage: Passage): Soon<ToolResult> {
    const settings = this.#settings
    const { signals, clock } = settings
    const ownMs = tool.timeoutMs ?? settings.timeoutMs
    const leftMs = remainingMs(this.#deadlineAt, clock)
    if (leftMs <= 0) return failedResult(call, late('timed_out'), settings)
    const own = new LazySignal()
    const work = (): unknown => {
      const value: unknown = tool.execute(input, this.#contextOf(call, passage, own))
      if (tool.checkOutput === undefined) return value
      const check = (output: unknown): unknown => tool.checkOutput?.(output)
      return isPromiseLike(value) ? Promise.resolve(value).then(check) : check(value)
    }
    const onLate = (settled: Settled<unknown>): void =>
      notify(() => this.#record(passage, 'allowed', lateOutcome(tool, settled), true))
    const ended = (raced: Raced<unknown>): ToolResult =>
      this.#resultOf(call, tool, raced, ownMs <= leftMs ? ownMs : undefined)
    const raced = race(work, { signals, clock, timeoutMs: Math.min(ownMs, leftMs), own, onLate })
    return raced instanceof Promise ? raced.then(ended) : ended(raced)
  }

  #contextOf(call: ToolCall, { idempotencyKey }: Passage, signal: LazySignal): ToolContext {
    const { runId, turn, onProgress } = this.#settings
    const context = {
      get signal() {
        return signal.get()
      },
      call,
      idempotencyKey,
      runId,
      turn,
    }
    return onProgress === undefined ? context : withProgress(context, onProgress)
  }

  #resultOf(call: ToolCall, tool: AnyTool, raced: Raced<unknown>, timeoutMs: number | undefined): ToolResult {
    const settings = this.#settings
    switch (raced.state) {
      case 'done': {
        if (tool.checkOutput === undefined) return resultOf(call, raced.value, settings)
        const checked = raced.value as Checked<unknown>
        if (checked.ok) return resultOf(call, checked.value, settings)
        const message = `Tool "${call.name}" returned a value that does not match its output schema`
        const details = { issues: issueText(checked.issues) }
        return failedResult(call, { category: 'unknown', message, details }, settings)
      }
      case 'failed':
        return failedResult(call, failureOf(raced.error, settings), settings)
      case 'timed_out': {
        const limit = timeoutMs === undefined ? 'the deadline of its batch' : `${timeoutMs} ms`
        const message = `Tool "${call.name}" did not finish within ${limit}; whether it took effect is not known`
        return failedResult(call, { category: 'execution_timeout', message }, settings)
      }
      case 'aborted': {
        const message = `The run was aborted while tool "${call.name}" was running; whether it took effect is not known`
        return failedResult(call, { category: 'cancelled', message }, settings)
      }
    }
  }

  #fail(passage: Passage, decision: AuditDecision, failure: ToolFailure): CallOutcome {
    return this.#answer(passage, decision, failedResult(passage.call, failure, this.#settings))
  }

  #answer(passage: Passage, decision: AuditDecision, result: ToolResult): CallOutcome {
    if (this.#settings.audit !== undefined)
      this.#record(passage, decision, result.error?.category ?? (result.isError ? 'unknown' : 'success'))
    const { call, repair } = passage
    if (repair === undefined) return { state: 'answered', call, result }
    const artifacts = { ...result.artifacts, repair: { note: repair.note, arguments: repair.arguments } }
    return { state: 'answered', call, result: { ...result, artifacts } }
  }

  #report(passage: Passage, repair: Repair): void {
    passage.repair = repair
    const { id, name } = passage.call
    notify(() => this.#settings.log?.warn(`Arguments of "${name}" were repaired`, { callId: id, note: repair.note }))
  }

  #record(passage: Passage, decision: AuditDecision, outcome: AuditRecord['outcome'], isLate = false): void {
    const { audit, log } = this.#settings
    if (audit === undefined) return
    notify(
      () => audit(this.#recordOf(passage, decision, outcome, isLate)),
      () => notify(() => log?.warn('The audit hook failed', { callId: passage.call.id })),
    )
  }

  #recordOf(passage: Passage, decision: AuditDecision, outcome: AuditRecord['outcome'], isLate: boolean): AuditRecord {
    const { call, startedAt, repair } = passage
    const { clock, runId, turn } = this.#settings
    const source = this.#tools.get(call.name)?.source
    return {
      runId,
      turn,
      callId: call.id,
      tool: call.name,
      ...(source === undefined ? {} : { source }),
      argumentsDigest: digest(repair?.arguments ?? call.arguments),
      decision,
      outcome,
      repaired: repair !== undefined,
      late: isLate,
      startedAt: Math.round(startedAt),
      durationMs: Math.round(clock.now() - startedAt),
    }
  }

  /** A second call with the same id in one turn is another call: its effect must not be taken for the first one's. */
  #keyOf(call: AnyCall): string {
    const { runId, turn } = this.#settings
    const count = (this.#seen.get(call.id) ?? 0) + 1
    this.#seen.set(call.id, count)
    return `${runId}/${turn}/${call.id}${count === 1 ? '' : `/${count}`}`
  }
}

function lateOutcome(tool: AnyTool, settled: Settled<unknown>): AuditRecord['outcome'] {
  if (settled.state === 'failed') return failureOf(settled.error).category
  return tool.checkOutput === undefined || (settled.value as Checked<unknown>).ok ? 'success' : 'unknown'
}

/** What an abandoned tool still says of its progress is not passed on. */
function withProgress(context: ToolContext, onProgress: OnProgress): ToolContext {
  const progress = (update: ToolProgress): void =>
    context.signal.aborted ? undefined : notify(() => onProgress(context.call, update))
  return Object.assign(context, { progress })
}
