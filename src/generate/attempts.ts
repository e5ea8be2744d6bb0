// One generation on its way: run after run of the loop, by the plan's rungs, until an answer fits or a limit is reached.
// The trap: nothing but a checked value may leave here; every other end is an error that carries what the model said.

import { textMessage } from '../conversation/conversation.js'
import { mergeLosses } from '../conversation/loss-log.js'
import type { ToolChoice } from '../conversation/request.js'
import { addUsage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import { growingValue } from '../json/growing.js'
import type { RunOptions, Turn } from '../loop/options.js'
import type { RunResult } from '../loop/result.js'
import { run } from '../loop/run.js'
import { issueText } from '../schema/issue.js'
import { extractJson } from './extraction.js'
import {
  ended,
  enriched,
  exhausted,
  failure,
  isRefusal,
  type Progress,
  refusal,
  truncated,
  type Unusable,
} from './failures.js'
import type { Assignment } from './options.js'
import { isGuess, type Rung } from './plan.js'
import { correction, instruction } from './prompts.js'
import type { GenerateEvent, GenerateResult, Repair } from './result.js'
import { createSubmission, type Submission } from './submission.js'

/** What one run of the loop came to. */
type Outcome =
  | Valued
  /** Worth another try: the model is told the reason. */
  | ({ readonly type: 'refused' } & Unusable)
  /** This way does not work with this model. */
  | { readonly type: 'impossible'; readonly error: ToolwireError; readonly text: string }

interface Valued {
  readonly type: 'value'
  readonly value: unknown
  readonly text: string
  readonly repair?: 'fence' | 'words' | 'text_instead_of_call'
}

export async function* attempts(
  assignment: Assignment,
  streaming: boolean,
): AsyncGenerator<GenerateEvent, GenerateResult<unknown>> {
  const progress: Progress = {
    messages: undefined,
    calls: 0,
    usage: {},
    losses: [],
    response: undefined,
    repairs: [],
    retries: 0,
  }
  const waiting = [...assignment.plan]
  let rung: Rung = waiting.shift() ?? 'prompted'
  yield { type: 'rung', rung }
  for (;;) {
    const outcome = yield* attempt(assignment, rung, progress, streaming)
    if (outcome.type === 'value') {
      const { value, text, repair } = outcome
      if (repair !== undefined) yield* repaired(progress, { kind: repair, rung, reason: repairWords[repair], text })
      return resultOf(value, text, rung, progress)
    }
    if (outcome.type === 'impossible') {
      const next = waiting.shift()
      if (next === undefined) throw outcome.error
      yield* repaired(progress, { kind: 'next_rung', rung, reason: outcome.error.message, text: outcome.text })
      rung = next
      yield { type: 'rung', rung }
      continue
    }
    progress.retries += 1
    if (progress.retries > assignment.retries) throw failure(outcome, rung, progress, assignment)
    yield* repaired(progress, { kind: 'retry', rung, reason: outcome.reason, text: outcome.text })
  }
}

const repairWords: Readonly<Record<NonNullable<Valued['repair']>, string>> = {
  fence: 'the value stood in a code fence',
  words: 'the value stood among words',
  text_instead_of_call: 'the value was said in text, not by a call',
}

function* repaired(progress: Progress, repair: Repair): Generator<GenerateEvent> {
  progress.repairs.push(repair)
  yield { type: 'repair', repair }
}

/** One run of the loop, and what its answer is worth. */
async function* attempt(
  assignment: Assignment,
  rung: Rung,
  progress: Progress,
  streaming: boolean,
): AsyncGenerator<GenerateEvent, Outcome> {
  if (progress.calls >= assignment.maxCalls) throw exhausted(rung, progress, assignment)
  const submission = rung === 'submit_tool' ? createSubmission(assignment) : undefined
  const done = new AbortController()
  const options = runOptions(assignment, rung, progress, submission, done)
  const result = streaming ? yield* told(options, assignment) : await run(options)
  progress.calls += result.turns
  progress.usage = addUsage(progress.usage, result.usage)
  progress.losses = mergeLosses(progress.losses, result.losses)
  progress.response = result.response
  progress.messages = result.messages
  return judged(result, assignment, rung, progress, submission)
}

function runOptions(
  assignment: Assignment,
  rung: Rung,
  progress: Progress,
  submission: Submission | undefined,
  done: AbortController,
): RunOptions {
  const {
    schema: _,
    name: __,
    rung: ___,
    partials: ____,
    maxOutputRetries,
    maxCalls,
    description,
    ...given
  } = assignment.options
  const submitName = submission?.tool.name ?? ''
  return {
    ...given,
    ...spoken(assignment, rung, progress, submitName),
    tools: submission === undefined ? assignment.tools : [...assignment.tools, submission.tool],
    maxTurns: assignment.maxCalls - progress.calls,
    ...(held.has(rung) ? { output: outputOf(assignment, rung) } : {}),
    ...(submission === undefined ? {} : submitChoice(assignment, submission, progress)),
    signal: given.signal === undefined ? done.signal : AbortSignal.any([given.signal, done.signal]),
    onTurn: async (turn: Turn) => {
      await given.onTurn?.(turn)
      submission?.note(turn.calls)
      if (submission !== undefined && isOver(submission, assignment, progress)) done.abort(finished)
    },
  }
}

/** The rungs on which the wire itself is told what to answer in. */
const held: ReadonlySet<Rung> = new Set(['native', 'native_with_tools', 'json_object'])

/** What is said to the model: first the request with the instruction of the rung, then what was wrong with the last answer. */
function spoken(
  assignment: Assignment,
  rung: Rung,
  { messages, repairs }: Progress,
  submitName: string,
): Pick<RunOptions, 'system' | 'prompt' | 'messages' | 'conversation'> {
  const { system, prompt, messages: given, conversation } = assignment.options
  const words = instruction(rung, assignment, submitName)
  if (messages === undefined) {
    const texts = [system, words].filter((text) => text !== undefined)
    return { system: texts.length === 0 ? undefined : texts.join('\n\n'), prompt, messages: given, conversation }
  }
  const last = repairs.at(-1)
  const again = last?.kind === 'retry' ? [textMessage('user', correction(rung, last.reason, submitName))] : []
  return {
    system: last?.kind === 'retry' ? undefined : words,
    prompt: undefined,
    messages: [...messages, ...again],
    conversation: undefined,
  }
}

/** The reason a run is ended with when the answer is there; the run itself knows no other way to be told. */
const finished = new ToolwireError('aborted', 'the answer was submitted')

function isOver(submission: Submission, assignment: Assignment, progress: Progress): boolean {
  const { accepted, isCut, refused } = submission
  return accepted !== undefined || isCut || progress.retries + refused.length > assignment.retries
}

function outputOf(
  { schema, name, options: { description } }: Assignment,
  rung: Rung,
): NonNullable<RunOptions['output']> {
  if (rung === 'json_object') return rung
  return { schema, name, strict: true, ...(description === undefined ? {} : { description }) }
}

/** A call is forced where nothing else could be called, and after an answer without one; not while a budget is thought with. */
function submitChoice(
  { tools, options }: Assignment,
  { tool }: Submission,
  { repairs }: Progress,
): { readonly toolChoice?: ToolChoice; readonly forceEveryTurn?: boolean } {
  const { capabilities } = options.model
  if (tools.length > 0 && repairs.at(-1)?.kind !== 'retry') return {}
  if (options.reasoning?.budgetTokens !== undefined) return { toolChoice: 'auto' }
  if (capabilities?.toolChoiceNamed !== 'no') return { toolChoice: { tool: tool.name }, forceEveryTurn: true }
  if (capabilities.toolChoiceRequired === 'no') return { toolChoice: 'auto' }
  return { toolChoice: 'required', forceEveryTurn: true }
}

/** The run as events, with the value as it grows where that is asked for. */
async function* told(
  options: RunOptions,
  { options: { partials } }: Assignment,
): AsyncGenerator<GenerateEvent, RunResult> {
  const stream = run.stream(options)
  let growing = growingValue()
  let isGrowing = partials === true
  for await (const event of stream) {
    if (event.type === 'done') return event.result
    yield event
    if (event.type === 'turn_start') {
      growing = growingValue()
      isGrowing = partials === true
    }
    if (event.type === 'text_delta' && isGrowing) {
      isGrowing = growing.push(event.text)
      if (isGrowing && growing.value !== undefined) yield { type: 'partial', value: growing.value }
    }
  }
  return stream
}

async function judged(
  result: RunResult,
  assignment: Assignment,
  rung: Rung,
  progress: Progress,
  submission: Submission | undefined,
): Promise<Outcome> {
  const accepted = submission?.accepted
  if (accepted !== undefined) return { type: 'value', ...accepted }
  const { stop, text } = result
  if (submission?.isCut === true) throw truncated(result, rung, progress)
  const wrong = submission?.refused ?? []
  for (const { reason, text: said } of wrong) progress.repairs.push({ kind: 'retry', rung, reason, text: said })
  progress.retries += wrong.length
  const last = wrong.at(-1)
  if (last !== undefined && progress.retries > assignment.retries) {
    throw failure({ code: 'malformed_response', ...last }, rung, progress, assignment)
  }
  if (stop.reason !== 'answer') return stopped(result, rung, progress, assignment)
  if (isRefusal(result.response)) throw refusal(result, rung, progress)
  if (stop.detail === 'length') throw truncated(result, rung, progress)
  if (stop.detail === 'content_filter') throw refusal(result, rung, progress)
  const dropped = result.losses.find((loss) => loss.path === '/output' && loss.kind === 'dropped')
  const outcome = await answered(text, assignment)
  if (outcome.type === 'value') {
    return submission === undefined || outcome.repair !== undefined
      ? outcome
      : { ...outcome, repair: 'text_instead_of_call' }
  }
  if (dropped !== undefined) return { type: 'impossible', error: failure(outcome, rung, progress, assignment), text }
  if (submission === undefined) return outcome
  const reason = `no answer was given through the tool "${submission.tool.name}"`
  return { type: 'refused', code: 'missing_required_output', reason, text }
}

/** What a text is worth: the one JSON value in it, checked. */
async function answered(
  text: string,
  { check }: Assignment,
): Promise<Exclude<Outcome, { readonly type: 'impossible' }>> {
  const found = extractJson(text)
  if (!found.ok) {
    const code = found.problem === 'empty' ? 'missing_required_output' : 'malformed_response'
    return { type: 'refused', code, reason: found.message, text }
  }
  const checked = await check(found.value)
  if (!checked.ok) return { type: 'refused', code: 'malformed_response', reason: issueText(checked.issues), text }
  const value = { type: 'value', value: checked.value, text: found.text } as const
  return found.unwrapped === undefined ? value : { ...value, repair: found.unwrapped }
}

/** A run that did not end in an answer. A request that is refused outright may be one for the next rung. */
function stopped(result: RunResult, rung: Rung, progress: Progress, assignment: Assignment): Outcome {
  const { stop, text } = result
  if (stop.reason === 'error' && stop.error !== undefined) {
    const { error } = stop
    const isRefused = error.code === 'invalid_request' || error.code === 'unsupported_feature'
    if (isRefused && isGuess(rung, assignment.options.model.capabilities ?? {})) {
      return { type: 'impossible', error: enriched(error, rung, progress, text), text }
    }
    throw enriched(error, rung, progress, text)
  }
  if (stop.reason === 'aborted' && stop.error !== undefined) throw enriched(stop.error, rung, progress, text)
  if (stop.reason === 'needs_approval') {
    throw ended(
      'unsupported_feature',
      'a tool waits for approval, which generate cannot wait for; decide in approve',
      result,
      rung,
      progress,
    )
  }
  if (stop.reason === 'max_turns') throw exhausted(rung, progress, assignment)
  throw ended(
    'limit_exceeded',
    `a limit was reached before the answer (${stop.detail ?? stop.reason})`,
    result,
    rung,
    progress,
  )
}

function resultOf(value: unknown, text: string, rung: Rung, progress: Progress): GenerateResult<unknown> {
  const { calls, repairs, usage, messages = [], response, losses } = progress
  return { value, rung, calls, repairs, usage, messages, text, losses, ...(response === undefined ? {} : { response }) }
}
