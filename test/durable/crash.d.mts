export function crashOnce(
  turns: number,
  kill: string | number,
): Promise<{
  readonly faults: readonly string[]
  readonly inDoubt: number
  readonly wasKilled: boolean
  readonly recorded: number
}>
export function placesIn(turns: number): readonly string[]

interface WorkerResult {
  readonly reason: string
  readonly error?: string
  readonly message?: string
  readonly answered: number
  readonly inDoubt: readonly string[]
}
export declare function crowd(
  turns: number,
  count: number,
): Promise<{ readonly results: readonly (WorkerResult | undefined)[]; readonly effects: readonly string[] }>
export declare function late(turns: number): Promise<readonly (WorkerResult | undefined)[]>

/** Where a worker runs: under a command, with modules that are loaded first. */
export interface WorkerPlace {
  readonly command?: readonly string[]
  readonly imports?: readonly string[]
  readonly leaseMs?: number
}
interface Both {
  readonly results: readonly (WorkerResult | undefined)[]
  readonly effects: readonly string[]
}
export declare function race(turns: number, places: readonly WorkerPlace[]): Promise<Both>
export declare function relay(
  turns: number,
  where: string,
  places: readonly WorkerPlace[],
): Promise<{
  readonly wasKilled: boolean
  readonly result: WorkerResult | undefined
  readonly effects: readonly string[]
}>
export declare function overtake(
  turns: number,
  step: number,
  places: readonly WorkerPlace[],
): Promise<Both & { readonly status: string | undefined }>
