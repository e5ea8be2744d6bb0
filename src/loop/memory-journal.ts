// The journal of a run that need not outlive its process. A step that failed is forgotten, so that it can be tried again.
import type { Json } from '../json/types.js'
import type { Journal } from './journal.js'

/** A journal that lives as long as the process: for tests, and for runs that need none to survive it. */
export function memoryJournal(runId: string): Journal {
  const done = new Map<string, Promise<Json>>()
  const step = <T extends Json>(name: string, fn: () => Promise<T>): Promise<T> => {
    const known = done.get(name)
    if (known !== undefined) return known as Promise<T>
    const result = Promise.resolve().then(fn)
    done.set(name, result)
    result.catch(() => done.delete(name))
    return result
  }
  return { runId, step, all: (steps) => Promise.all(steps.map(([name, fn]) => step(name, fn))) }
}

/** The journal of a run that nobody can ask again: its steps are run and forgotten. */
export function noJournal(runId: string): Journal {
  return { runId, step: (_name, fn) => fn(), all: (steps) => Promise.all(steps.map((step) => step[1]())) }
}
