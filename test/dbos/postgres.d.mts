export interface Postgres {
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}
export declare function startPostgres(): Promise<Postgres | undefined>
