// What a run is asked for. Everything that is wrong with the options is found here, before anything starts.
import { checkMessages } from '../conversation/check-request.js'
import { Conversation, textMessage } from '../conversation/conversation.js'
import type { AnyCall, Message, ToolResult } from '../conversation/messages.js'
import { textOf } from '../conversation/messages.js'
import { answerOpenCalls } from '../conversation/pairing.js'
import type { CompletionRequest, ToolChoice } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import type { Model, ModelRequest } from '../model/model.js'
import { ToolExecutor } from '../tools/execute.js'
import type { ExecuteOptions } from '../tools/executor-options.js'
import { ToolRegistry, type ToolSource } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { type Budget, type Limits, limitsOf } from './budget.js'
import { isStore, type Journal, type JournalStore } from './journal.js'
import { noJournal } from './memory-journal.js'
import { type ApprovalAnswer, type Approvals, checkApprovals, decodeState, type RunState } from './state.js'

/** What is passed on to the model with every turn. */
type RequestSettings = Pick<
  CompletionRequest,
  'parallelToolCalls' | 'output' | 'maxTokens' | 'temperature' | 'topP' | 'stop' | 'reasoning' | 'extra'
>
/** What is passed on to the executor with every batch. */
type ExecutorSettings = Pick<
  ExecuteOptions,
  | 'concurrency'
  | 'approve'
  | 'policy'
  | 'exposeErrors'
  | 'maxResultBytes'
  | 'argumentLimits'
  | 'repair'
  | 'audit'
  | 'around'
  | 'log'
  | 'secrets'
  | 'onProgress'
>

/** One turn that is over, as `onTurn` sees it. */
export interface Turn {
  readonly turn: number
  readonly response: CompletionResponse
  readonly calls: readonly AnyCall[]
  /** In call order; empty when the answer had no calls, or when they wait or were not run. */
  readonly results: readonly ToolResult[]
  /** Of all turns so far. */
  readonly usage: Usage
}

/** What a run is given. Only `model` is required; limits have defaults. */
export interface RunOptions extends RequestSettings, ExecutorSettings, Budget {
  readonly model: Model
  /** The tools the model may call. A registry is read once, at the start. */
  readonly tools?: readonly AnyTool[] | ToolSource | undefined
  /** Instead of `tools`: an executor that is shared with other runs, and so are its limits. */
  readonly executor?: ToolExecutor | undefined
  /** Put in front of the messages, unless they begin with it already. */
  readonly system?: string | undefined
  /** A user message at the end. */
  readonly prompt?: string | undefined
  /** What was said before. Calls in it that have no result are answered as cancelled, never run. */
  readonly messages?: readonly Message[] | undefined
  readonly conversation?: Conversation | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** A choice that forces calls holds for the first turn only, or the run could never answer. This keeps it for all. */
  readonly forceEveryTurn?: boolean | undefined
  /** How long one tool may run that names no time of its own; 60,000. `timeoutMs` is the time of the whole run. */
  readonly toolTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Fragments of tool arguments as `tool_call_delta` events of `run.stream`, for `growingCalls`. Off unless asked for. */
  readonly deltas?: boolean | undefined
  /** Called after each turn, and waited for. What it throws ends the run with an error. */
  readonly onTurn?: ((turn: Turn) => unknown) | undefined
  /** What remembers the steps of the run. With a store, a run that is known by `runId` goes on where it was. */
  readonly journal?: Journal | JournalStore | undefined
  /** The name of the run, and part of the idempotency keys that tools get; the journal's, or random. */
  readonly runId?: string | undefined
  /** The state of a run that stopped with `needs_approval`. */
  readonly resume?: RunState | undefined
  /** Answers to the calls that wait in `resume`, or in the store, by call id. Each counts once. */
  readonly approvals?: Approvals | undefined
}

/** Options that were checked, with defaults filled in. */
export interface Setup {
  readonly options: RunOptions
  readonly executor: ToolExecutor
  /** What the executor is told for the calls of every turn. */
  readonly execution: ExecuteOptions
  readonly limits: Limits
  readonly settings: RequestSettings
  readonly runId: string
  readonly journal: Journal | JournalStore
  /** Empty when a store is to know what the run began with. */
  readonly conversation: Conversation
  readonly resume: RunState | undefined
  readonly approvals: ReadonlyMap<string, ApprovalAnswer>
}

export function checkOptions(options: RunOptions): Setup {
  checkShapes(options)
  const { tools } = options
  const resume = options.resume === undefined ? undefined : decodeState(options.resume)
  const runId = runIdOf(options, resume)
  const journal = options.journal ?? noJournal(runId)
  const setup: Setup = {
    options,
    executor: options.executor ?? new ToolExecutor(tools instanceof ToolRegistry ? tools.snapshot() : (tools ?? [])),
    execution: executionOf(options, runId),
    limits: limitsOf(options),
    settings: settingsOf(options),
    runId,
    journal,
    conversation: resume === undefined ? startOf(options) : resumedFrom(options, resume),
    resume,
    approvals: isStore(journal)
      ? new Map(Object.entries(options.approvals ?? {}))
      : checkApprovals(options.approvals ?? {}, resume?.pending ?? []),
  }
  setup.executor.batch(setup.execution) // misuse of its options shows now, not in the first turn
  checkChoice(options.toolChoice, setup.executor.tools)
  return setup
}

/** For callers without types: what is not of the right kind is told by name. */
function checkShapes(options: RunOptions): void {
  const { model, tools, executor, onTurn, signal, journal } = options ?? {}
  const wrong = (is: boolean, message: string): void => {
    if (is) throw new ToolwireError('misuse', message)
  }
  const isModel = typeof model?.complete === 'function' && typeof model.stream === 'function'
  wrong(!isModel, 'run needs a model; make one with openai(), anthropic() or another model factory')
  wrong(tools !== undefined && executor !== undefined, 'give run either tools or an executor, not both')
  wrong(executor !== undefined && !(executor instanceof ToolExecutor), 'executor must be a ToolExecutor')
  wrong(onTurn !== undefined && typeof onTurn !== 'function', 'onTurn must be a function')
  wrong(signal !== undefined && !(signal instanceof AbortSignal), 'signal must be an AbortSignal')
  wrong(journal !== undefined && !isJournal(journal), 'journal must be a store, or have the functions step and all')
}

function isJournal(journal: Journal | JournalStore): boolean {
  if (typeof journal !== 'object' || journal === null) return false
  return isStore(journal) || (typeof journal.step === 'function' && typeof journal.all === 'function')
}

function runIdOf(options: RunOptions, resume: RunState | undefined): string {
  const { journal, runId } = options
  if (journal !== undefined && !isStore(journal)) return journal.runId
  if (journal !== undefined && resume !== undefined) {
    const message = 'the journal knows the state of its run; leave out resume, and give runId and the approvals'
    throw new ToolwireError('misuse', message)
  }
  return runId ?? resume?.runId ?? crypto.randomUUID()
}

function executionOf(options: RunOptions, runId: string): ExecuteOptions {
  const { concurrency, policy, exposeErrors, maxResultBytes, argumentLimits, repair } = options
  const { audit, around, log, secrets, approve, onProgress, toolTimeoutMs } = options
  const limits = { concurrency, maxResultBytes, argumentLimits, timeoutMs: toolTimeoutMs }
  return { ...limits, policy, exposeErrors, repair, audit, around, log, secrets, approve, onProgress, runId }
}

function startOf(options: RunOptions): Conversation {
  const { system, prompt, messages, conversation, journal } = options
  if (messages !== undefined && conversation !== undefined) {
    throw new ToolwireError('misuse', 'give run either messages or a conversation, not both')
  }
  if (messages !== undefined) checkMessages(messages)
  const history = new Conversation(messages ?? conversation?.messages ?? []).messages
  const [first] = history
  const hasSystem = system === undefined || (first?.role === 'system' && textOf(first.content) === system)
  const started = hasSystem ? history : [textMessage('system', system), ...history]
  const answered = answerOpenCalls(started, 'the call has no result in the history')
  const start = new Conversation(answered)
  const asked = prompt === undefined ? start : start.user(prompt)
  if (asked.length === 0 && (journal === undefined || !isStore(journal)))
    throw new ToolwireError('misuse', 'run has nothing to ask; give it a prompt, messages or a conversation')
  return asked
}

function resumedFrom(options: RunOptions, state: RunState): Conversation {
  const { prompt, messages, conversation, system } = options
  if ([prompt, messages, conversation, system].some((given) => given !== undefined)) {
    throw new ToolwireError(
      'misuse',
      'a resumed run has its history in the state; leave out prompt, system, messages and conversation',
    )
  }
  const given = runIdOf(options, state)
  if (given !== state.runId) {
    throw new ToolwireError(
      'misuse',
      `the state belongs to the run "${state.runId}", not "${given}"; use its id and its journal`,
    )
  }
  return new Conversation(state.messages)
}

function checkChoice(choice: ToolChoice | undefined, tools: ToolSource): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  const isChoice =
    choice === 'required' ||
    (typeof choice === 'object' && choice !== null && ('tool' in choice || Array.isArray(choice.allowed)))
  if (!isChoice) {
    const forms = "'auto', 'none', 'required', { tool } or { allowed, mode }"
    throw new ToolwireError('misuse', `toolChoice must be ${forms}, not ${JSON.stringify(choice)}`)
  }
  const known = tools.list().map((tool) => tool.name)
  const names = choice === 'required' ? [] : 'tool' in choice ? [choice.tool] : choice.allowed
  const missing = names.find((name) => !known.includes(name))
  if (missing === undefined && known.length > 0) return
  const asked = missing === undefined ? 'some tool' : `the tool "${missing}"`
  const message = `toolChoice asks for ${asked}, which the run does not have; it has ${known.join(', ') || 'no tools'}`
  throw new ToolwireError('misuse', message)
}

/** What the model is asked in one turn. */
export function requestOf(setup: Setup, messages: readonly Message[], turn: number): ModelRequest {
  const specs = setup.executor.tools.list().map((tool) => tool.spec)
  const toolChoice = choiceOf(setup.options, turn)
  return {
    messages,
    ...(specs.length === 0 ? {} : { tools: specs }),
    ...setup.settings,
    ...(toolChoice === undefined ? {} : { toolChoice }),
  }
}

function settingsOf(options: RunOptions): RequestSettings {
  const { parallelToolCalls, output, maxTokens, temperature, topP, stop, reasoning, extra } = options
  const given = { parallelToolCalls, output, maxTokens, temperature, topP, stop, reasoning, extra }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** The choice of one turn: one that forces calls is over after the first. */
function choiceOf(options: RunOptions, turn: number): ToolChoice | undefined {
  const { toolChoice: choice } = options
  if (turn === 1 || options.forceEveryTurn === true || choice === undefined || choice === 'none') return choice
  return typeof choice === 'object' && 'allowed' in choice ? { ...choice, mode: 'auto' } : 'auto'
}
