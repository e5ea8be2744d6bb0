// Runs on a Restate server, seen from any process: started, waited for, listed, cancelled. Needs neither model nor tools.
import { setTimeout as pause } from 'node:timers/promises'
import { ToolwireError } from '../errors/error.js'
import { errorFromJson } from '../errors/stored.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { mismatch, resultFromJson, resumption, usedApproval } from '../loop/engine.js'
import type { RunResult } from '../loop/result.js'
import type { Approvals } from '../loop/state.js'
import { type Ask, asking, type Reply, type RestateServer, refused } from './server.js'
import type { RestateInput } from './service.js'

/** How one run is started. */
export interface RestateStart {
  /** Started twice under one id, it runs once. Random when left out. */
  readonly runId?: string | undefined
}

/** A run that was started: its id, and its result when it is there. */
export interface RestateRun {
  readonly runId: string
  /**
   * Waits for the end, wherever the run is. Rejects when it was cancelled (`aborted`), when the program was changed
   * (`journal_mismatch`), when its options were misuse, or when the server cannot be reached for a minute (`network`).
   */
  result(): Promise<RunResult>
}

/** A run as the server has it. */
export interface RestateRunSummary {
  readonly runId: string
  /** As Restate spells it: scheduled, pending, running, backing-off, suspended, paused, completed. */
  readonly status: string
  /** Of a completed one. Success means that there is a result; its `stop` tells more. */
  readonly isSuccess?: boolean
  /** Why the last attempt failed, or the run. */
  readonly failure?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A run as the server has it, with its steps. */
export interface RestateRunDetails extends RestateRunSummary {
  /** The names of the steps that were begun, in order. */
  readonly steps: readonly string[]
}

/** Runs as workflows of Restate: started, looked for, resumed, cancelled. */
export interface RestateRuns {
  start(input: RestateInput, options?: RestateStart): Promise<RestateRun>
  /** A run that was started, here or elsewhere. */
  get(runId: string): RestateRun
  /** Goes on with a run that waits for approval, as a run `id/resume/n` with the same idempotency keys. An answer counts once. */
  resume(result: RunResult, approvals: Approvals): Promise<RestateRun>
  /** The last started first. */
  list(filter?: { readonly limit?: number }): Promise<readonly RestateRunSummary[]>
  show(runId: string): Promise<RestateRunDetails>
  /** Stops it within about a second, tools that heed their signal included. One that is done is refused. */
  cancel(runId: string): Promise<void>
}

/** What Restate answers when steps do not fit. */
const mismatchStatus = 570
/** How long one request for a result waits before the state of the run is looked at. */
const waitMs = 5_000
/** How long a server may be away while somebody waits for a result. */
const longestAbsenceMs = 60_000

/** The runs of the service that `restateService` made under the same name. */
export function restateRuns(name: string, server: RestateServer = {}): RestateRuns {
  const ask = asking(server)
  const get = (runId: string): RestateRun => ({ runId, result: () => resultOf(ask, name, runId) })
  const send = async (input: RestateInput, runId: string): Promise<boolean> => {
    const reply = await ask('ingress', {
      method: 'POST',
      path: `/${segments(name, runId)}/run/send`,
      body: input as Json,
    })
    if (reply.status !== 202 && reply.status !== 200) throw refused(`the run "${runId}"`, reply)
    return reply.body.status === 'Accepted'
  }
  return {
    async start(input, { runId = crypto.randomUUID() } = {}) {
      await send(input, runId)
      return get(runId)
    },
    get,
    async resume(result, approvals) {
      const { id, input } = await resumption(result, approvals, (kept) => get(kept).result())
      if (!(await send(input, id))) throw usedApproval(result.runId, id)
      return get(id)
    },
    async list({ limit = 100 } = {}) {
      const rows = await listed(ask, `${ofService(name)} order by created_at desc limit ${Math.trunc(limit)}`)
      return rows.map(summaryOf)
    },
    async show(runId) {
      const row = await found(ask, name, runId)
      const where = `id = ${quoted(row.id)} and entry_type = 'Command: Run'`
      const steps = await query(ask, `select name from sys_journal where ${where} order by index`)
      return { ...summaryOf(row), steps: steps.map((step) => String(step.name)) }
    },
    async cancel(runId) {
      const { id } = await found(ask, name, runId)
      const reply = await ask('admin', {
        method: 'PATCH',
        path: `/invocations/${encodeURIComponent(String(id))}/cancel`,
      })
      if (reply.status === 409)
        throw new ToolwireError('misuse', `the run "${runId}" is done; there is nothing to cancel`)
      if (reply.status >= 300) throw refused(`to cancel the run "${runId}"`, reply)
    },
  }
}

const segments = (name: string, runId: string): string => `${encodeId(name)}/${encodeId(runId)}`

/** Percent-encoding leaves dots as they are, and `..` would be another path. */
function encodeId(id: string): string {
  if (id !== '' && !/^\.{1,2}$/.test(id) && id.isWellFormed()) return encodeURIComponent(id)
  throw new ToolwireError(
    'misuse',
    `${JSON.stringify(id)} cannot be the id of a run or the name of a service; use another one`,
  )
}

/** Asks until the run is over. A server that starts anew is asked again. */
async function resultOf(ask: Ask, name: string, runId: string): Promise<RunResult> {
  let lastSeen = Date.now()
  for (;;) {
    const signal = AbortSignal.timeout(waitMs)
    try {
      const path = `/restate/workflow/${segments(name, runId)}/attach`
      const reply = await ask('ingress', { method: 'GET', path, signal })
      if (reply.status === 200) return resultFromJson(reply.body)
      if (reply.status !== 503) throw failureOf(runId, reply)
    } catch (error) {
      if (signal.aborted) {
        lastSeen = Date.now()
        await checkProgram(ask, name, runId)
        continue
      }
      const isAway = ToolwireError.is(error) && error.code === 'network' && Date.now() - lastSeen < longestAbsenceMs
      if (!isAway) throw error
    }
    await pause(250)
  }
}

/** Told here, as Restate tries a program whose steps do not fit again and again. Where the admin side is closed, nobody knows. */
async function checkProgram(ask: Ask, name: string, runId: string): Promise<void> {
  const row = await found(ask, name, runId).catch(() => undefined)
  const failure = row?.last_failure
  if (typeof failure === 'string' && failure.startsWith(`[${mismatchStatus}`)) throw mismatch(runId, new Error(failure))
}

function failureOf(runId: string, reply: Reply): ToolwireError {
  const { message, metadata } = reply.body
  const said = typeof message === 'string' ? message : 'no reason given'
  if (reply.body.source !== 'invocation') return refused(`the result of the run "${runId}"`, reply)
  if (reply.status === 404) return new ToolwireError('not_found', `there is no run "${runId}"`)
  if (reply.status === 409) return new ToolwireError('aborted', `the run "${runId}" was cancelled`)
  if (reply.status === mismatchStatus) return mismatch(runId, new Error(said))
  const code = isJsonObject(metadata) ? metadata.code : undefined
  return errorFromJson({ code, message: said, status: reply.status })
}

const quoted = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`
const ofService = (name: string): string => `target_service_name = ${quoted(name)} and target_handler_name = 'run'`

function listed(ask: Ask, where: string): Promise<readonly JsonObject[]> {
  const columns = 'id, target_service_key, status, completion_result, completion_failure, last_failure, created_at'
  return query(ask, `select ${columns} from sys_invocation where ${where}`)
}

async function found(ask: Ask, name: string, runId: string): Promise<JsonObject> {
  const [row] = await listed(ask, `${ofService(name)} and target_service_key = ${quoted(runId)}`)
  if (row === undefined) throw new ToolwireError('not_found', `there is no run "${runId}"`)
  return row
}

async function query(ask: Ask, sql: string): Promise<readonly JsonObject[]> {
  const reply = await ask('admin', { method: 'POST', path: '/query', body: { query: sql } })
  if (reply.status !== 200) throw refused('a query', reply)
  const { rows } = reply.body
  return Array.isArray(rows) ? rows.filter(isJsonObject) : []
}

function summaryOf(row: JsonObject): RestateRunSummary {
  const { target_service_key: runId, status, completion_result: result, created_at: createdAt } = row
  const failure = row.completion_failure ?? row.last_failure
  return {
    runId: String(runId),
    status: String(status),
    ...(result === undefined || result === null ? {} : { isSuccess: result === 'success' }),
    ...(typeof failure === 'string' ? { failure } : {}),
    createdAt: Date.parse(String(createdAt)),
  }
}
