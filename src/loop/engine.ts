// What every workflow engine needs around its steps, whoever records them.
// The trap: an engine may start a second attempt of a run while the first one still works in this process. It must not run again
// what the first is running, nor what it ran: attempts join by the name of the step.
import { ToolwireError } from '../errors/error.js'
import { errorFromJson } from '../errors/stored.js'
import { canonicalJson } from '../json/canonical.js'
import { isJsonObject } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'
import { foreignFailure } from './answer.js'
import type { Journal } from './journal.js'
import type { RunOptions } from './options.js'
import type { RunResult } from './result.js'
import { run } from './run.js'
import { type Approvals, checkApprovals } from './state.js'

/** What a run on an engine begins with. It is stored: plain JSON. */
export interface EngineInput extends Pick<RunOptions, 'prompt' | 'system' | 'messages' | 'resume' | 'approvals'> {
  /** Whatever the program wants to know of when it makes the options. */
  readonly parameters?: Json | undefined
}

/** What the process that has the run brings along. */
export type EngineOptions = Omit<
  RunOptions,
  'prompt' | 'system' | 'messages' | 'conversation' | 'resume' | 'approvals' | 'journal' | 'runId' | 'signal'
>

/** How an engine runs a step by name and remembers what it gave; steps side by side are begun in order. */
export interface Engine {
  step(name: string, fn: () => Promise<Json>): PromiseLike<Json>
  all(steps: readonly (readonly [name: string, fn: () => Promise<Json>])[]): PromiseLike<readonly Json[]>
  /** Whether what the engine threw says that the records are those of another program. */
  isMismatch(error: unknown): boolean
}

export interface Attempt {
  readonly journal: Journal
  /** What the engine itself threw, which it must get back: that it lost the run, or that the run was cancelled. */
  readonly failure: unknown
  /** Settles when nothing that it began is running any more. */
  settled(): Promise<void>
  /** The attempt is over. */
  end(): void
}

interface Shared {
  attempts: number
  readonly steps: Map<string, Promise<Json>>
}

/** The runs this process has in hand. */
const runs = new Map<string, Shared>()

/** One attempt of a run on an engine. `key` names the run among all of the process. */
export function startAttempt(key: string, runId: string, engine: Engine): Attempt {
  const shared = runs.get(key) ?? { attempts: 0, steps: new Map<string, Promise<Json>>() }
  runs.set(key, shared)
  shared.attempts += 1
  let failure: unknown
  let isOver = false

  const joined = (name: string, fn: () => Promise<Json>): (() => Promise<Json>) => {
    return () => {
      const outcome = shared.steps.get(name) ?? outcomeOf(fn)
      shared.steps.set(name, outcome)
      return outcome
    }
  }
  const guarded = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (engine.isMismatch(error)) throw mismatch(runId, error)
      failure ??= error
      throw error
    }
  }
  return {
    journal: {
      runId,
      async step<T extends Json>(name: string, fn: () => Promise<T>): Promise<T> {
        return valueIn(await guarded(() => engine.step(name, joined(name, fn)))) as T
      },
      async all<T extends Json>(steps: readonly (readonly [string, () => Promise<T>])[]): Promise<readonly T[]> {
        const asked = steps.map(([name, fn]) => [name, joined(name, fn)] as const)
        return (await guarded(() => engine.all(asked))).map((outcome) => valueIn(outcome) as T)
      },
    },
    get failure() {
      return failure
    },
    async settled() {
      await Promise.all(shared.steps.values()) // outcomes never reject
    },
    end() {
      if (isOver) return
      isOver = true
      shared.attempts -= 1
      if (shared.attempts === 0) runs.delete(key)
    },
  }
}

/** Takes an attempt to its end. Gives the result as plain JSON; what the engine threw is thrown. */
export async function finishAttempt(
  attempt: Attempt,
  input: EngineInput,
  options: EngineOptions,
  signal: AbortSignal,
): Promise<JsonObject> {
  // named one by one: the input comes from outside, and must not set an option
  const { prompt, system, messages, resume, approvals } = input
  const begin = Object.entries({ prompt, system, messages, resume, approvals }).filter(
    ([, value]) => value !== undefined,
  )
  try {
    const result = await run({ ...options, ...Object.fromEntries(begin), journal: attempt.journal, signal })
    if (attempt.failure !== undefined) throw attempt.failure
    signal.throwIfAborted()
    return resultToJson(result)
  } finally {
    attempt.end()
  }
}

/** The id under which an engine keeps a run that was resumed so many times. */
function idAfter(runId: string, resumes: number): string {
  return resumes === 0 ? runId : `${runId}/resume/${resumes}`
}

/**
 * How a run that waits for approval goes on: under which id, and with what. `kept` gives the result that the engine has: one
 * that was altered on its way is refused, whatever it says was approved.
 */
export async function resumption(
  { runId, state }: RunResult,
  approvals: Approvals,
  kept: (id: string) => Promise<RunResult>,
): Promise<{ readonly id: string; readonly input: EngineInput }> {
  if (state === undefined) throw new ToolwireError('misuse', `the run "${runId}" does not wait for approval`)
  checkApprovals(approvals, state.pending)
  const stored = await kept(idAfter(runId, state.resumes))
  if (textOfState(stored) !== textOfState({ state })) {
    const message = `the state of the run "${runId}" is not the one it waits in; it was altered, or is that of another run`
    throw new ToolwireError('misuse', message)
  }
  return { id: idAfter(runId, state.resumes + 1), input: { resume: state, approvals } }
}

function textOfState({ state }: Pick<RunResult, 'state'>): string {
  return state === undefined ? '' : canonicalJson(JSON.parse(writeJson(state as unknown as Json)) as Json)
}

/** The error for an approval that was given before. */
export function usedApproval(runId: string, id: string, cause?: unknown): ToolwireError {
  const message = `the approval of the run "${runId}" was used before; an approval counts once. The run goes on as "${id}"`
  return new ToolwireError('misuse', message, { cause })
}

/** A step's outcome as data: engines retry what throws, and keep of an error only its text. */
async function outcomeOf(fn: () => Promise<Json>): Promise<Json> {
  try {
    return { value: await fn() }
  } catch (error) {
    return { error: foreignFailure('server_error', 'a step failed', error).toJSON() }
  }
}

function valueIn(outcome: Json): Json {
  if (isJsonObject(outcome) && outcome.value !== undefined) return outcome.value
  throw errorFromJson(isJsonObject(outcome) ? outcome.error : outcome)
}

/** The error for records of another program. */
export function mismatch(runId: string, cause: unknown): ToolwireError {
  const message = `the run "${runId}" has recorded other steps than it would take now; it was recorded by another program or with other options`
  return new ToolwireError('journal_mismatch', message, { cause })
}

/** A result as plain JSON, which `resultFromJson` reads back. */
export function resultToJson(result: RunResult): JsonObject {
  return JSON.parse(writeJson(result as unknown as Json)) as JsonObject
}

/** The result of a run as an engine kept it: errors are errors again, but for their partial answers. */
export function resultFromJson(json: unknown): RunResult {
  if (!isJsonObject(json) || !isJsonObject(json.stop)) {
    throw new ToolwireError('server_error', 'the engine has no result of this run', { retryable: false })
  }
  const { stop } = json
  const error = stop.error === undefined ? {} : { error: errorFromJson(stop.error) }
  return { ...json, stop: { ...stop, ...error } } as unknown as RunResult
}
