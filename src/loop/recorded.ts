// What a run out of a store remembers besides its steps: what it began with, and the approvals it was given.
// The trap: a changed program must not be fed the records of the old one, and an approval must not count twice.
import { Conversation } from '../conversation/conversation.js'
import type { Message } from '../conversation/messages.js'
import { decodeConversation } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { canonicalJson } from '../json/canonical.js'
import { isJsonObject } from '../json/parse.js'
import type { Json } from '../json/types.js'
import type { CallBatch } from './batch.js'
import type { OpenJournal } from './journal.js'
import { type ApprovalAnswer, type Approvals, checkApprovals, type PendingCall } from './state.js'

/** The conversation the run begins with: the one that is recorded, or the given one, recorded now. */
export async function beginRecorded(journal: OpenJournal, given: Conversation): Promise<Conversation> {
  let isFresh = false
  const recorded = await journal.step('start', async (): Promise<Json> => {
    isFresh = true
    if (given.length > 0) return { messages: given.messages } as unknown as Json
    const message = `there is no run "${journal.runId}" to go on with; give a prompt, messages or a conversation to start it`
    throw new ToolwireError('not_found', message)
  })
  if (isFresh) return given
  const messages = decodeConversation(isJsonObject(recorded) ? recorded.messages : recorded)
  if (given.length > 0 && textOfAll(given.messages) !== textOfAll(messages)) {
    const message = `the run "${journal.runId}" began with other messages; leave them out to go on with it, or use another runId`
    throw new ToolwireError('journal_mismatch', message)
  }
  return new Conversation(messages)
}

function textOfAll(messages: readonly Message[]): string {
  return canonicalJson(JSON.parse(JSON.stringify(messages)) as Json)
}

/** Answers to waiting calls, each used once. */
export class ApprovalLedger {
  readonly #unused: Map<string, ApprovalAnswer>

  constructor(given: ReadonlyMap<string, ApprovalAnswer>) {
    this.#unused = new Map(given)
  }

  /**
   * The batch as it goes on after a pause: with the approvals recorded for it, or with those given now, which are recorded
   * first. Nothing when nobody has answered: the run waits. `canAsk` says that the run can ask about the calls itself.
   */
  async take(journal: OpenJournal, batch: CallBatch, canAsk: boolean): Promise<CallBatch | undefined> {
    const pending = batch.outcomes.flatMap((outcome) => (outcome?.state === 'paused' ? [outcome.pending] : []))
    const given = pending.filter(({ callId }) => this.#unused.has(callId))
    const resumes = batch.resumes + 1
    const name = `turn/${batch.turn}/resume/${resumes}/approvals`
    if (given.length === 0 && !canAsk && !journal.has(name)) return undefined
    let isFresh = false
    const recorded = await journal.step(name, async (): Promise<Json> => {
      isFresh = true
      return this.#use(given, pending) as unknown as Json
    })
    const approvals = checkApprovals((isJsonObject(recorded) ? recorded : {}) as Approvals, pending)
    if (!isFresh) this.#refuseUsed([...approvals.keys()])
    const outcomes = batch.outcomes.map((outcome) => (outcome?.state === 'paused' ? undefined : outcome))
    return { ...batch, outcomes, resumes, pending, approvals }
  }

  /** Refuses what is left: it would do nothing, and whoever gave it believes otherwise. */
  end(runId: string): void {
    const [left] = this.#unused.keys()
    if (left === undefined) return
    const message = `no call "${left}" waits for approval in the run "${runId}"; read the run to see what waits`
    throw new ToolwireError('misuse', message)
  }

  #use(given: readonly PendingCall[], pending: readonly PendingCall[]): Approvals {
    const answers = Object.fromEntries(given.map(({ callId }) => [callId, this.#unused.get(callId) ?? 'allow']))
    checkApprovals(answers, pending)
    for (const callId of Object.keys(answers)) this.#unused.delete(callId)
    return answers
  }

  #refuseUsed(callIds: readonly string[]): void {
    const used = callIds.find((callId) => this.#unused.has(callId))
    if (used === undefined) return
    throw new ToolwireError('misuse', `the approval of the call "${used}" was used before; an approval counts once`)
  }
}
