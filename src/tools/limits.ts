// How many at once and how many per time: one budget per tool for the life of an executor, and slots for each batch.
import type { AnyTool, RateLimit } from './tool.js'

/** A place in a gate, taken or still waited for. `leave` is safe at any time and more than once. */
export interface Pass {
  readonly ready: Promise<void>
  /** Whether it had to be waited for. */
  readonly queued: boolean
  leave(): void
}

const admitted = Promise.resolve()

/** Lets a fixed number in at once; the others wait in the order they came. */
export class Gate {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(places: number) {
    this.#free = Math.max(1, places || 1)
  }

  /** Takes a place where one is free, to be given back once. */
  take(): boolean {
    if (this.#free < 1) return false
    this.#free -= 1
    return true
  }

  readonly giveBack = (): void => {
    if (this.#waiting.size === 0) this.#free += 1
    else this.#admitNext()
  }

  enter(): Pass {
    const queued = this.#free < 1
    let inside = !queued
    let wake = (): void => {}
    const admit = (): void => {
      inside = true
      wake()
    }
    if (queued) this.#waiting.add(admit)
    else this.#free -= 1
    const ready = queued
      ? new Promise<void>((resolve) => {
          wake = resolve
        })
      : admitted
    const leave = (): void => {
      this.#waiting.delete(admit)
      if (inside) this.#admitNext()
      inside = false
    }
    return { ready, queued, leave }
  }

  #admitNext(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

/** Start times such that no span of `perMs` holds more than `calls` of them. */
export class RateWindow {
  readonly limit: RateLimit
  #starts: number[] = []

  constructor(limit: RateLimit) {
    this.limit = limit
  }

  /** Reserves the earliest start from `now` on; Infinity, and no reservation, when the limit lets nothing through. */
  reserve(now: number): number {
    const { calls, perMs } = this.limit
    if (!(calls >= 1)) return Number.POSITIVE_INFINITY
    this.#starts = this.#starts.filter((start) => start > now - perMs)
    const blocking = this.#starts[this.#starts.length - Math.floor(calls)]
    const start = blocking === undefined ? now : Math.max(now, blocking + perMs)
    this.#starts.push(start)
    this.#starts.sort((a, b) => a - b)
    return start
  }

  cancel(start: number): void {
    const index = this.#starts.indexOf(start)
    if (index !== -1) this.#starts.splice(index, 1)
  }

  /** Moves a reservation that was not used in time to `now`. False when there is no room now: it is then cancelled. */
  move(start: number, now: number): boolean {
    this.cancel(start)
    const moved = this.reserve(now)
    if (moved <= now) return true
    this.cancel(moved)
    return false
  }
}

export interface ToolBudget {
  readonly gate: Gate | undefined
  readonly window: RateWindow | undefined
}

const unlimited: ToolBudget = { gate: undefined, window: undefined }

/** The budgets of an executor's tools, by source and name, so that a redefined tool does not start with a fresh one. */
export class ToolBudgets {
  readonly #budgets = new Map<string, ToolBudget & { readonly concurrency: number | undefined }>()

  of(tool: AnyTool): ToolBudget {
    const { concurrency, rateLimit } = tool
    if (concurrency === undefined && rateLimit === undefined) return unlimited
    const key = JSON.stringify([tool.source, tool.name])
    const known = this.#budgets.get(key)
    const sameGate = known !== undefined && known.concurrency === concurrency
    const limit = known?.window?.limit
    const sameWindow = known !== undefined && limit?.calls === rateLimit?.calls && limit?.perMs === rateLimit?.perMs
    if (sameGate && sameWindow) return known
    const budget = {
      concurrency,
      gate: sameGate ? known.gate : concurrency === undefined ? undefined : new Gate(concurrency),
      window: sameWindow ? known.window : rateLimit === undefined ? undefined : new RateWindow(rateLimit),
    }
    this.#budgets.set(key, budget)
    return budget
  }
}
