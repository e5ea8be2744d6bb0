// Steps over records: what is recorded is given back, what is not is run and recorded.
// The trap: records of another program. Where a new step is run, every recorded one must have been asked for: one that was not
// means that the program now takes another course than the one that wrote it.
import { ToolwireError } from '../errors/error.js'
import type { Json } from '../json/types.js'
import type { Journal } from '../loop/journal.js'

export interface Steps extends Pick<Journal, 'step' | 'all'> {
  has(name: string): boolean
  /** What is still running is not recorded any more. */
  end(): void
}

export function createSteps(
  runId: string,
  recorded: readonly (readonly [name: string, value: Json])[],
  record: (name: string, value: Json) => Promise<void>,
): Steps {
  const done = new Map<string, Promise<Json>>()
  const unasked = new Map<string, Json>()
  for (const [name, value] of recorded) if (!unasked.has(name)) unasked.set(name, value)
  const names = new Set(unasked.keys())
  let isOpen = true

  const runStep = async <T extends Json>(name: string, fn: () => Promise<T>): Promise<T> => {
    const value = await fn()
    if (!isOpen) throw new ToolwireError('aborted', `the run "${runId}" ended before the step ${name} was recorded`)
    await record(name, value)
    return value
  }
  const start = <T extends Json>(name: string, fn: () => Promise<T>): Promise<T> => {
    const known = done.get(name)
    if (known !== undefined) return known as Promise<T>
    const value = unasked.get(name)
    const result = value === undefined ? runStep(name, fn) : Promise.resolve(value as T)
    unasked.delete(name)
    done.set(name, result)
    result.catch(() => done.delete(name)) // a step that failed can be tried again
    return result
  }
  const check = (asked: readonly string[]): void => {
    if (asked.every((name) => unasked.has(name) || done.has(name))) return
    const left = [...unasked.keys()].find((name) => !asked.includes(name))
    if (left === undefined) return
    const message = `the run "${runId}" has recorded the step ${left}, and would now take the step ${asked[0]}; it was recorded by another program or with other options`
    throw new ToolwireError('journal_mismatch', message)
  }
  return {
    has: (name) => names.has(name) || done.has(name),
    async step(name, fn) {
      check([name])
      return start(name, fn)
    },
    async all(steps) {
      check(steps.map(([name]) => name))
      return Promise.all(steps.map(([name, fn]) => start(name, fn)))
    },
    end() {
      isOpen = false
    },
  }
}
