// What every workflow engine needs around its steps, whoever records them.
// The trap: an engine may start a second attempt of a run while the first one still works in this process. It must not run again
// what the first is running, nor what it ran: attempts join by the name of the step.
import { ToolwireError } from '../errors/error.js'
import { errorFromJson } from '../errors/stored.js'
import { isJsonObject } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'
import { foreignFailure } from './answer.js'
import type { Journal } from './journal.js'
import type { RunResult } from './result.js'

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
    end() {
      shared.attempts -= 1
      if (shared.attempts === 0) runs.delete(key)
    },
  }
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

function mismatch(runId: string, cause: unknown): ToolwireError {
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
