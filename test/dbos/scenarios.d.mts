import type { Postgres } from './postgres.mjs'

interface Outcome {
  readonly faults: readonly string[]
  readonly inDoubt?: number | string
}
type Scenario = (postgres: Postgres) => Promise<Outcome>
export declare const workerKill: Scenario
export declare const managing: Scenario
export declare const changedProgram: Scenario
