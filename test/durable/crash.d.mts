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
