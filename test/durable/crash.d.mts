export function crashOnce(
  turns: number,
  kill: string | number,
): Promise<{
  readonly faults: readonly string[]
  readonly inDoubt: number
  readonly wasKilled: boolean
  readonly recorded: number
}>
export function stepsIn(turns: number): number
export function durationOf(turns: number): Promise<number>
