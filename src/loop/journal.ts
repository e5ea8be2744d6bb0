// What makes a run repeatable after a crash: named steps whose results are remembered. In memory here; on disk and in databases elsewhere.
import type { Json } from '../json/types.js'
import type { Stop } from './stop.js'

/**
 * `step` runs `fn` once for a name and remembers what it gave; asked again for a name that is done, it gives that without
 * running `fn`. Results are JSON. `all` is the same for steps that run side by side, in the order given.
 */
export interface Journal {
  readonly runId: string
  step<T extends Json>(name: string, fn: () => Promise<T>): Promise<T>
  all<T extends Json>(steps: readonly (readonly [name: string, fn: () => Promise<T>])[]): Promise<readonly T[]>
}

/** The journal of one run that a store opened. Nobody else can write to it until it is closed. */
export interface OpenJournal extends Journal {
  /** Whether the step is recorded, so that asking for it would run nothing. */
  has(name: string): boolean
  /** Aborted when the run is cancelled from outside, by another process too, and when another process took it over. */
  readonly cancelled: AbortSignal
  /** A part of the records was lost. Calls that must not be repeated are in doubt, also those that seem new. */
  readonly isDoubtful?: boolean
  /** Waits for what is being recorded, notes how the run stopped, and lets others open it. */
  close(stop: Stop): Promise<void>
}

/** Where the journals of many runs live. `run({ journal: store, runId })` starts the run, or goes on with it. */
export interface JournalStore {
  /** Rejects when another process has the run. May wait to find out; `signal` ends that. */
  open(runId: string, signal?: AbortSignal): Promise<OpenJournal>
}

export function isStore(journal: Journal | JournalStore): journal is JournalStore {
  return 'open' in journal && typeof journal.open === 'function'
}

export function isOpen(journal: Journal): journal is OpenJournal {
  return 'close' in journal && typeof journal.close === 'function'
}
