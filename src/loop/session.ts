// One run on its way: what was said, spent and decided so far. Its method `run` is the loop, for `run` and `run.stream` alike.
import type { Conversation } from '../conversation/conversation.js'
import type { CompletionEvent } from '../conversation/events.js'
import { withPartial } from '../conversation/fold.js'
import { freeze } from '../conversation/freeze.js'
import { LossLog } from '../conversation/loss-log.js'
import type { AnyCall, ToolResult } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import { cancelled } from '../conversation/pairing.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { addUsage, type Usage } from '../conversation/usage.js'
import { onAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import type { Json } from '../json/types.js'
import { toolResults } from '../tools/results.js'
import { ask, foreignFailure, readAnswer, recordedAnswer } from './answer.js'
import { type CallBatch, type Outcome, resumedBatch, settleBatch } from './batch.js'
import { createRepeatGuard, overBudget } from './budget.js'
import type { Events } from './channel.js'
import { isOpen, isStore, type Journal, type OpenJournal } from './journal.js'
import { noJournal } from './memory-journal.js'
import { requestOf, type Setup } from './options.js'
import { ApprovalLedger, beginRecorded } from './recorded.js'
import type { RunEvent, RunResult } from './result.js'
import type { RunState } from './state.js'
import { aborted, checkAlive, type Lifetime, type Stop, startLifetime, stopText, within } from './stop.js'

export class Session {
  readonly #setup: Setup
  /** Where events go when somebody reads them. */
  readonly #events: Events<RunEvent> | undefined
  readonly #isRepeating: ReturnType<typeof createRepeatGuard>
  readonly #approvals: ApprovalLedger
  #lifetime: Lifetime | undefined
  #journal: Journal | OpenJournal
  #conversation: Conversation
  #turn: number
  #calls: number
  #usage: Usage
  readonly #losses = new LossLog()
  #response: CompletionResponse | undefined
  /** The calls of the last answer while they have no message of results. */
  #batch: CallBatch | undefined
  #inDoubt: readonly AnyCall[] = []
  #stop: Stop | undefined
  #result: RunResult | undefined

  constructor(setup: Setup, events: Events<RunEvent> | undefined) {
    const { resume } = setup
    this.#setup = setup
    this.#events = events
    this.#isRepeating = createRepeatGuard(setup.limits)
    this.#conversation = setup.conversation
    this.#turn = resume?.turn ?? 0
    this.#calls = resume?.calls ?? 0
    this.#usage = resume?.usage ?? {}
    this.#batch = resume === undefined ? undefined : resumedBatch(resume, setup.approvals)
    this.#journal = isStore(setup.journal) ? noJournal(setup.runId) : setup.journal
    this.#approvals = new ApprovalLedger(isStore(setup.journal) ? setup.approvals : new Map())
  }

  /** The loop. Never rejects; its last event and its value are the result. */
  async run(): Promise<RunResult> {
    const { options, limits, resume } = this.#setup
    const lifetime = startLifetime(options.signal, limits.timeoutMs)
    this.#lifetime = lifetime
    try {
      await this.#open(lifetime)
      if (resume !== undefined && this.#batch !== undefined) {
        this.#response = readAnswer({ message: resume.messages.at(-1), finishReason: 'tool_calls' })
        await this.#runCalls(lifetime, this.#batch, this.#response)
      }
      while (this.#stop === undefined) await this.#takeTurn(lifetime)
      this.#approvals.end(this.#setup.runId)
    } catch (error) {
      // The model, its tools and the hook have told of their failures already.
      const failure = foreignFailure('server_error', 'the journal failed', error)
      this.#stop = lifetime.stop ?? { reason: 'error', error: failure }
    } finally {
      lifetime.close()
      await this.#close()
    }
    const result = this.result()
    await this.#tell({ type: 'done', result })
    return result
  }

  /** Ends the run from outside; what is on its way settles soon. */
  end(stop: Stop): void {
    this.#stop ??= stop
    this.#lifetime?.end(stop)
  }

  /** The result of a run that is over. Calls that have no result by now are answered with the reason of the stop. */
  result(): RunResult {
    this.#result ??= this.#seal(this.#stop ?? { reason: 'error' })
    return this.#result
  }

  /** Takes the run out of its store, with the conversation it began with. */
  async #open(lifetime: Lifetime): Promise<void> {
    const { journal: store, runId, conversation } = this.#setup
    if (!isStore(store)) return
    const journal = await store.open(runId, lifetime.signal)
    this.#journal = journal
    onAbort(journal.cancelled, (reason) => lifetime.end(aborted(reason)))
    checkAlive(lifetime)
    this.#conversation = await beginRecorded(journal, conversation)
  }

  /** A journal that cannot be closed is told of unless the run has failed already. */
  async #close(): Promise<void> {
    const journal = this.#journal
    if (!isOpen(journal)) return
    await journal.close(this.#stop ?? { reason: 'aborted' }).catch((error: unknown) => {
      const failure = foreignFailure('server_error', 'the journal could not be closed', error)
      if (this.#stop?.reason !== 'error') this.#stop = { reason: 'error', error: failure }
    })
  }

  /** Waits until the reader has taken the event and asks for more: the pace is the reader's. */
  #tell(event: RunEvent): Promise<void> | undefined {
    return this.#events?.emit(event)
  }

  async #takeTurn(lifetime: Lifetime): Promise<void> {
    checkAlive(lifetime)
    this.#turn += 1
    if (this.#events !== undefined) await this.#tell({ type: 'turn_start', turn: this.#turn })
    const response = await this.#askModel(lifetime)
    const batch = this.#take(response)
    if (batch === undefined) return this.#endTurn(lifetime, response, [], [])
    return this.#runCalls(lifetime, batch, response)
  }

  /** Takes the answer into the conversation. Gives its calls, if it has any. */
  #take(response: CompletionResponse): CallBatch | undefined {
    this.#usage = addUsage(this.#usage, response.usage ?? {})
    this.#losses.add(response.losses)
    const calls = response.message.content.filter(isCall)
    if (calls.length === 0) this.#stop = stopOf(response)
    this.#response = response
    this.#conversation = this.#conversation.append(response.message)
    if (calls.length === 0) return undefined
    this.#batch = { turn: this.#turn, calls, outcomes: [], resumes: 0, pending: [], approvals: new Map() }
    this.#stop = overBudget(this.#setup.limits, calls, this.#usage)
    return this.#batch
  }

  /** Emits an event of the model, unless it is a loss that an earlier turn reported. */
  #tellNew(event: CompletionEvent): Promise<void> | undefined {
    if (event.type === 'loss' && this.#losses.has(event.loss)) return undefined
    return this.#tell({ ...event, turn: this.#turn })
  }

  #withNewLosses(response: CompletionResponse): CompletionResponse {
    const losses = this.#losses.selectNew(response.losses)
    return losses === response.losses ? response : freeze({ ...response, losses })
  }

  async #askModel(lifetime: Lifetime): Promise<CompletionResponse> {
    const { model, deltas } = this.#setup.options
    const journal = this.#journal
    const turn = this.#turn
    const request = requestOf(this.#setup, this.#conversation.messages, turn)
    const isStreamed = this.#events !== undefined && model.capabilities?.streaming !== 'no'
    const onEvent = isStreamed ? (event: CompletionEvent) => this.#tellNew(event) : undefined
    let fresh: CompletionResponse | undefined
    const step = async (): Promise<Json> => {
      this.#approvals.end(this.#setup.runId)
      fresh = this.#withNewLosses(await ask(model, request, { signal: lifetime.signal, deltas }, onEvent))
      return recordedAnswer(fresh)
    }
    const recorded = await within(lifetime, () => journal.step(`turn/${turn}/model`, step))
    checkAlive(lifetime)
    const response = fresh ?? this.#withNewLosses(readAnswer(recorded))
    if (this.#events !== undefined && !(fresh !== undefined && isStreamed))
      for (const event of unfold(response)) await this.#tell({ ...event, turn })
    return response
  }

  /** Runs what may run of the batch, and puts the results into the conversation when no call waits. */
  async #runCalls(lifetime: Lifetime, batch: CallBatch, response: CompletionResponse): Promise<void> {
    const { calls } = batch
    if (this.#stop !== undefined) return this.#endTurn(lifetime, response, calls, [])
    const work = (): Promise<boolean> => settleBatch(this.#setup, this.#journal, batch, lifetime.signal, this)
    const isFresh = await within(lifetime, work)
    checkAlive(lifetime)
    const results = resultsOf(batch)
    if (results.length < calls.length) return this.#wait(lifetime, batch, response, isFresh)
    this.#conversation = this.#conversation.append(freeze(toolResults(results)))
    this.#batch = undefined
    if (this.#isRepeating(calls, results)) this.#stop = { reason: 'budget', detail: 'identical_calls' }
    return this.#endTurn(lifetime, response, calls, results)
  }

  started({ turn }: CallBatch, call: AnyCall): void {
    this.#events?.post({ type: 'tool_start', turn, call })
  }

  settled({ turn }: CallBatch, call: AnyCall, outcome: Outcome): void {
    if (outcome.state === 'answered') this.#calls += 1
    if (outcome.state === 'answered' && outcome.inDoubt === true) this.#inDoubt = [...this.#inDoubt, call]
    this.#events?.post(
      outcome.state === 'answered'
        ? { type: 'tool_result', turn, call, result: outcome.result }
        : { type: 'tool_paused', turn, call },
    )
  }

  /** Calls wait for approval: the run goes on where a store has or takes it, and stops otherwise. */
  async #wait(lifetime: Lifetime, batch: CallBatch, response: CompletionResponse, isFresh: boolean): Promise<void> {
    const journal = this.#journal
    const canAsk = !isFresh && this.#setup.options.approve !== undefined
    const next = isOpen(journal) ? await this.#approvals.take(journal, batch, canAsk) : undefined
    if (next !== undefined) {
      this.#batch = next
      return this.#runCalls(lifetime, next, response)
    }
    this.#stop = { reason: 'needs_approval' }
    return this.#endTurn(lifetime, response, batch.calls, [])
  }

  async #endTurn(
    lifetime: Lifetime,
    response: CompletionResponse,
    calls: readonly AnyCall[],
    results: readonly ToolResult[],
  ): Promise<void> {
    const { options, limits } = this.#setup
    const turn = this.#turn
    if (this.#events !== undefined) await this.#tell({ type: 'turn_end', turn, response, results })
    const { onTurn } = options
    if (onTurn !== undefined) {
      const told = within(lifetime, async () => onTurn({ turn, response, calls, results, usage: this.#usage }))
      await told.catch((error: unknown) => {
        throw foreignFailure('misuse', 'the onTurn hook failed', error)
      })
    }
    if (turn >= limits.maxTurns) this.#stop ??= { reason: 'max_turns' }
  }

  #seal(stop: Stop): RunResult {
    const batch = this.#batch
    const results = batch?.calls.map((call, ordinal) => {
      const outcome = batch.outcomes[ordinal]
      return outcome?.state === 'answered' ? outcome.result : cancelled(call, stopText(stop))
    })
    const { messages } = this.#conversation
    const state = stop.reason === 'needs_approval' && batch !== undefined ? this.#state(batch) : undefined
    return {
      runId: this.#setup.runId,
      text: this.#response?.text ?? '',
      messages: results === undefined ? messages : [...messages, freeze(toolResults(results))],
      ...(this.#response === undefined ? {} : { response: this.#response }),
      stop,
      usage: this.#usage,
      turns: this.#turn,
      calls: this.#calls,
      losses: this.#losses.losses,
      ...(this.#inDoubt.length === 0 ? {} : { inDoubt: this.#inDoubt }),
      ...(state === undefined ? {} : { state }),
    }
  }

  #state(batch: CallBatch): RunState {
    const entries = batch.outcomes.map((outcome, ordinal) => ({ outcome, ordinal }))
    return {
      version: 1,
      runId: this.#setup.runId,
      turn: batch.turn,
      resumes: batch.resumes,
      calls: this.#calls,
      usage: this.#usage,
      messages: this.#conversation.messages,
      results: entries.flatMap(({ outcome, ordinal }) =>
        outcome?.state === 'answered' ? [{ ordinal, result: outcome.result }] : [],
      ),
      pending: entries.flatMap(({ outcome }) => (outcome?.state === 'paused' ? [outcome.pending] : [])),
    }
  }
}

function resultsOf({ outcomes }: CallBatch): readonly ToolResult[] {
  return outcomes.flatMap((outcome) => (outcome?.state === 'answered' ? [outcome.result] : []))
}

/** Why an answer without calls ends the run; nothing when the model only paused. */
function stopOf(response: CompletionResponse): Stop | undefined {
  switch (response.finishReason) {
    case 'pause':
      return undefined
    case 'length':
    case 'content_filter':
      return { reason: 'answer', detail: response.finishReason }
    case 'error':
      throw withPartial(new ToolwireError('server_error', 'the model ended its answer with an error'), response)
    default:
      return { reason: 'answer' }
  }
}
