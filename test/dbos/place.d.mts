import type { Postgres } from './postgres.mjs'

export function prepare(postgres: Postgres): Promise<unknown>
