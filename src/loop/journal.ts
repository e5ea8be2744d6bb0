// What makes a run repeatable after a crash: named steps whose results are remembered. In memory here; on disk and in databases elsewhere.
import type { Json } from '../json/types.js'

/**
 * `step` runs `fn` once for a name and remembers what it gave; asked again for a name that is done, it gives that without
 * running `fn`. Results are JSON. `all` is the same for steps that run side by side, in the order given.
 */
export interface Journal {
  readonly runId: string
  step<T extends Json>(name: string, fn: () => Promise<T>): Promise<T>
  all<T extends Json>(steps: readonly (readonly [name: string, fn: () => Promise<T>])[]): Promise<readonly T[]>
}
