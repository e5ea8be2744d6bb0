// The calls of one answer, run as steps of the journal: one intent for the batch, then one step per call.
// The trap: an intent that was recorded by an earlier attempt means that a call without a record may have taken effect.

import { freeze } from '../conversation/freeze.js'
import type { AnyCall, ToolResult } from '../conversation/messages.js'
import { decodeResult } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { canonicalJson } from '../json/canonical.js'
import type { Json } from '../json/types.js'
import type { CallOutcome } from '../tools/around.js'
import type { Batch } from '../tools/batch.js'
import { toolResult } from '../tools/results.js'
import { isOpen, type Journal } from './journal.js'
import type { Setup } from './options.js'
import { type ApprovalAnswer, approveFrom, callsOf, type PendingCall, type RunState } from './state.js'

/** What became of one call. */
export type Outcome =
  /** `inDoubt`: the run was interrupted while the tool ran, and nobody knows whether it took effect. */
  | { readonly state: 'answered'; readonly result: ToolResult; readonly inDoubt?: true }
  | { readonly state: 'paused'; readonly pending: PendingCall }

/** The calls of one answer and what is known of each, by position. */
export interface CallBatch {
  readonly turn: number
  readonly calls: readonly AnyCall[]
  readonly outcomes: (Outcome | undefined)[]
  /** Which time the batch is taken up; 0 unless the run was resumed. */
  readonly resumes: number
  /** Calls that waited for approval when the run was resumed. */
  readonly pending: readonly PendingCall[]
  /** What was answered about them. */
  readonly approvals: ReadonlyMap<string, ApprovalAnswer>
}

/** The batch of a run that waited for approval, with the results it had. */
export function resumedBatch(state: RunState, approvals: CallBatch['approvals']): CallBatch {
  const outcomes: (Outcome | undefined)[] = []
  for (const { ordinal, result } of state.results) outcomes[ordinal] = { state: 'answered', result }
  const { turn, resumes, pending } = state
  return { turn, calls: callsOf(state), outcomes, resumes: resumes + 1, pending, approvals }
}

/** Told of each call as it begins and comes to its end. */
interface BatchEvents {
  started(batch: CallBatch, call: AnyCall): void
  settled(batch: CallBatch, call: AnyCall, outcome: Outcome): void
}

/**
 * Settles every call of the batch that has no outcome yet, and writes the outcomes into it as they come. Gives whether the
 * batch was begun by this attempt, not by one that came to its end earlier.
 */
export async function settleBatch(
  setup: Setup,
  journal: Journal,
  batch: CallBatch,
  signal: AbortSignal,
  events: BatchEvents,
): Promise<boolean> {
  const isDoubtful = isOpen(journal) && journal.isDoubtful === true
  const work = new BatchWork(setup, batch, signal, events, isDoubtful)
  work.checkIntent(await journal.step(`${work.place}/intent`, () => work.begin()))
  work.keep(await journal.all(work.steps()))
  return work.isFresh
}

class BatchWork {
  readonly place: string
  /** This attempt began the batch. */
  isFresh = false
  readonly #setup: Setup
  readonly #batch: CallBatch
  readonly #signal: AbortSignal
  readonly #events: BatchEvents
  /** The journal has lost records: no batch is known to be new. */
  readonly #isDoubtful: boolean
  /** The positions of the calls without an outcome, and what is recorded before they run. */
  readonly #open: number[] = []
  readonly #intent: Json[] = []

  constructor(setup: Setup, batch: CallBatch, signal: AbortSignal, events: BatchEvents, isDoubtful: boolean) {
    const { calls, outcomes, turn, resumes } = batch
    this.place = resumes === 0 ? `turn/${turn}` : `turn/${turn}/resume/${resumes}`
    this.#setup = setup
    this.#batch = batch
    this.#signal = signal
    this.#events = events
    this.#isDoubtful = isDoubtful
    calls.forEach((call, ordinal) => {
      if (outcomes[ordinal] !== undefined) return
      this.#open.push(ordinal)
      this.#intent.push({ ordinal, id: call.id, name: call.name, arguments: call.arguments })
    })
  }

  begin(): Promise<Json> {
    this.isFresh = true
    return Promise.resolve(this.#intent)
  }

  /** The records must be those of this program: another intent means that it would make other calls than were made. */
  checkIntent(recorded: Json): void {
    if (this.isFresh || canonicalJson(recorded) === canonicalJson(this.#intent)) return
    const message = `the journal has other calls at ${this.place} than the run would make now; the program or the journal was changed`
    throw new ToolwireError('journal_mismatch', message)
  }

  steps(): readonly (readonly [name: string, fn: () => Promise<Json>])[] {
    const { executor, execution, options } = this.#setup
    const { turn, resumes, pending, approvals } = this.#batch
    const approve = resumes === 0 ? options.approve : approveFrom(approvals, pending, options.approve)
    const executing = executor.batch({ ...execution, turn, signal: this.#signal, approve })
    return this.#open.map((ordinal) => [`${this.place}/call/${ordinal}`, () => this.#settle(ordinal, executing)])
  }

  async #settle(ordinal: number, executing: Batch): Promise<Json> {
    const call = this.#batch.calls[ordinal] as AnyCall
    const outcome = this.#isInDoubt(call)
      ? inDoubt(call, this.isFresh)
      : outcomeOf(await this.#execute(call, executing), ordinal)
    this.#settled(call, ordinal, outcome)
    return outcome as unknown as Json
  }

  /** An earlier attempt began the call or may have, and a second time may be once too often. */
  #isInDoubt(call: AnyCall): boolean {
    const begun = this.isFresh && !this.#isDoubtful ? undefined : this.#setup.executor.tools.get(call.name)
    return begun !== undefined && !begun.repeatable
  }

  #execute(call: AnyCall, executing: Batch): Promise<CallOutcome> {
    this.#events.started(this.#batch, call)
    return executing.settle(call)
  }

  /** Takes the outcomes that were recorded earlier. */
  keep(recorded: readonly Json[]): void {
    this.#open.forEach((ordinal, index) => {
      const { calls, outcomes } = this.#batch
      const call = calls[ordinal] as AnyCall
      if (outcomes[ordinal] === undefined) this.#settled(call, ordinal, readOutcome(recorded[index], call, ordinal))
    })
  }

  #settled(call: AnyCall, ordinal: number, outcome: Outcome): void {
    this.#batch.outcomes[ordinal] = outcome
    this.#events.settled(this.#batch, call, outcome)
  }
}

/** The executor's outcome as plain data. A result that cannot be stored is told to the model as a failure. */
function outcomeOf(outcome: CallOutcome, ordinal: number): Outcome {
  const { call } = outcome
  if (outcome.state === 'paused') {
    const { id: callId, name, arguments: text } = outcome.call
    return freeze({
      state: 'paused',
      pending: { callId, name, arguments: text, digest: outcome.argumentsDigest, ordinal },
    })
  }
  try {
    return { state: 'answered', result: decodeResult(outcome.result) }
  } catch {
    return failure(call, 'The tool gave a result that cannot be stored')
  }
}

/** An outcome as the journal kept it. */
function readOutcome(json: unknown, call: AnyCall, ordinal: number): Outcome {
  const kept = (typeof json === 'object' && json !== null ? json : {}) as { readonly [key: string]: unknown }
  if (kept.state === 'paused') {
    const { digest, arguments: text } = (kept.pending ?? {}) as { readonly [key: string]: unknown }
    return {
      state: 'paused',
      pending: { callId: call.id, name: call.name, arguments: String(text), digest: String(digest), ordinal },
    }
  }
  const result = decodeResult(kept.result)
  return { state: 'answered', result, ...(kept.inDoubt === true ? { inDoubt: true } : {}) }
}

function inDoubt(call: AnyCall, isFresh: boolean): Outcome {
  const why = isFresh
    ? `Part of the journal of this run was lost, and tool "${call.name}" may have run before`
    : `The run was interrupted while tool "${call.name}" was running`
  const message = `${why}; whether it took effect is not known, and it was not run again`
  return freeze({ ...failure(call, message), inDoubt: true })
}

function failure(call: AnyCall, message: string): Outcome & { readonly state: 'answered' } {
  return freeze({ state: 'answered', result: decodeResult(toolResult.error(call, { category: 'unknown', message })) })
}
