// The loop as a workflow of DBOS on PostgreSQL: steps are rows, and any process with the same program goes on with a run.
// The trap: DBOS numbers steps in the order in which they are begun, so nothing here may wait between the steps of one batch.
import { DBOS, Error as DbosError, type WorkflowHandle } from '@dbos-inc/dbos-sdk'
import { onAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import type { Json, JsonObject } from '../json/types.js'
import {
  type Engine,
  type EngineInput,
  type EngineOptions,
  finishAttempt,
  resultFromJson,
  resumption,
  startAttempt,
  usedApproval,
} from '../loop/engine.js'
import type { RunResult } from '../loop/result.js'
import type { Approvals } from '../loop/state.js'

/** What a run begins with: `prompt`, `system`, `messages`, and `parameters` for whoever makes the options. It is stored: plain JSON. */
export type DbosInput = EngineInput
/** What the process that has the run brings along: the options of `run` but for what is in the input. */
export type DbosOptions = EngineOptions

/** How one run is started. */
export interface DbosStart {
  /** Started twice under one id, it runs once. Random when left out. */
  readonly runId?: string | undefined
  /** A queue that was made with `DBOS.registerQueue`, which limits how many run at once; without one it starts here and now. */
  readonly queue?: string | undefined
  /** A deadline that survives the process; `timeoutMs` of the options is that of one attempt. */
  readonly timeoutMs?: number | undefined
}

/** A run that was started: its id, and its result when it is there. */
export interface DbosRun {
  readonly runId: string
  /** Waits for the end, wherever the run is. Rejects when it was cancelled (`aborted`), or when its options were misuse. */
  result(): Promise<RunResult>
}

/** A run as the database has it. */
export interface DbosRunSummary {
  readonly runId: string
  /** As DBOS spells it: ENQUEUED, PENDING, SUCCESS, ERROR, CANCELLED, … SUCCESS means that there is a result; its `stop` tells more. */
  readonly status: string
  readonly executor?: string
  readonly createdAt: number
}

/** Runs as workflows of DBOS: started, looked for, resumed, cancelled, taken over. */
export interface DbosRuns {
  start(input: DbosInput, options?: DbosStart): Promise<DbosRun>
  /** A run that was started, here or elsewhere. */
  get(runId: string): DbosRun
  /** Goes on with a run that waits for approval, as a run `id/resume/n` with the same idempotency keys. An answer counts once. */
  resume(result: RunResult, approvals: Approvals, options?: Omit<DbosStart, 'runId'>): Promise<DbosRun>
  /** The last started first. */
  list(filter?: { readonly executor?: string; readonly limit?: number }): Promise<readonly DbosRunSummary[]>
  /** Stops it within about a second, tools that heed their signal included. */
  cancel(runId: string): Promise<void>
  /** A new run with the steps before the named one, such as `turn/2/model`, taken over from the old one. */
  fork(runId: string, step: string, options?: Pick<DbosStart, 'runId'>): Promise<DbosRun>
  /** Takes the runs of executors that are gone, and gives their ids. */
  takeOver(executors: readonly string[]): Promise<readonly string[]>
}

const engine: Engine = {
  step: (name, fn) => DBOS.runStep(fn, { name }),
  all: (steps) => Promise.all(steps.map(([name, fn]) => DBOS.runStep(fn, { name }))),
  isMismatch: (error) => error instanceof DbosError.DBOSUnexpectedStepError,
}

/**
 * Registers the loop as a workflow under a name. Call it before `DBOS.launch()`, in every process, with the same name.
 * `options` is asked in the process that runs, at the start of every attempt.
 */
export function dbosRuns(name: string, options: (input: DbosInput) => DbosOptions | Promise<DbosOptions>): DbosRuns {
  const workflow = DBOS.registerWorkflow(
    async (input: DbosInput): Promise<JsonObject> => attempt(DBOS.workflowID ?? '', input, await options(input)),
    { name },
  )
  const begin = async (input: DbosInput, given: DbosStart, isOnce: boolean): Promise<DbosRun> => {
    const { runId: workflowID, queue: queueName, timeoutMs: timeoutMS } = given
    const settings = Object.entries({ workflowID, queueName, timeoutMS }).filter(([, value]) => value !== undefined)
    const policy = isOnce ? { workflowIDReusePolicy: 'reject' as const } : {}
    const handle = await DBOS.startWorkflow(workflow, { ...Object.fromEntries(settings), ...policy })(input)
    return runOf(handle)
  }
  return {
    start: (input, given = {}) => begin(input, given, false),
    get,
    async resume(result, approvals, given = {}) {
      const { id, input } = await resumption(result, approvals, (kept) => get(kept).result())
      return begin(input, { ...given, runId: id }, true).catch((error: unknown) => {
        throw error instanceof DbosError.DBOSWorkflowIDInUseError ? usedApproval(result.runId, id, error) : error
      })
    },
    list: ({ executor, limit = 100 } = {}) =>
      listed(name, executor === undefined ? {} : { executorId: executor }, limit),
    cancel: (runId) => DBOS.cancelWorkflow(runId),
    async fork(runId, step, { runId: newWorkflowID } = {}) {
      const steps = (await DBOS.listWorkflowSteps(runId)) ?? []
      const found = steps.find((entry) => entry.name === step)
      if (found === undefined) {
        const known = steps.map((entry) => entry.name).join(', ')
        throw new ToolwireError('misuse', `the run "${runId}" has no step "${step}"; it has ${known || 'none'}`)
      }
      const given = newWorkflowID === undefined ? {} : { newWorkflowID }
      return runOf(await DBOS.forkWorkflow(runId, found.functionID, given))
    },
    async takeOver(executors) {
      const lost = await listed(name, { executorId: [...executors], status: 'PENDING' }, undefined)
      const ids = lost.map(({ runId }) => runId)
      if (ids.length > 0) await DBOS.resumeWorkflows(ids)
      return ids
    },
  }
}

async function attempt(key: string, input: DbosInput, options: DbosOptions): Promise<JsonObject> {
  const controller = new AbortController()
  const heeding: Engine = {
    ...engine,
    step: (name, fn) => engine.step(name, heeded(fn, controller)),
    all: (steps) => engine.all(steps.map(([name, fn]) => [name, heeded(fn, controller)] as const)),
  }
  const running = startAttempt(key, input.resume?.runId ?? key, heeding)
  return finishAttempt(running, input, options, controller.signal)
}

/** The step, which ends the run when DBOS says that it was cancelled. */
function heeded(fn: () => Promise<Json>, controller: AbortController): () => Promise<Json> {
  return async () => {
    const signal = DBOS.stepStatus?.cancelSignal
    const release = signal === undefined ? undefined : onAbort(signal, (reason) => controller.abort(reason))
    try {
      return await fn()
    } finally {
      release?.()
    }
  }
}

function get(runId: string): DbosRun {
  return runOf(DBOS.retrieveWorkflow(runId))
}

function runOf(handle: Pick<WorkflowHandle<unknown>, 'workflowID' | 'getResult'>): DbosRun {
  const { workflowID: runId } = handle
  return {
    runId,
    async result() {
      try {
        return resultFromJson(await handle.getResult())
      } catch (error) {
        if (!isCancellation(error)) throw error
        throw new ToolwireError('aborted', `the run "${runId}" was cancelled`, { cause: error })
      }
    },
  }
}

function isCancellation(error: unknown): boolean {
  return (
    error instanceof DbosError.DBOSAwaitedWorkflowCancelledError ||
    error instanceof DbosError.DBOSWorkflowCancelledError
  )
}

async function listed(
  workflowName: string,
  filter: { readonly executorId?: string | string[]; readonly status?: 'PENDING' },
  limit: number | undefined,
): Promise<readonly DbosRunSummary[]> {
  const page = limit === undefined ? {} : { limit }
  const found = await DBOS.listWorkflows({
    workflowName,
    ...filter,
    ...page,
    sortDesc: true,
    loadInput: false,
    loadOutput: false,
  })
  return found.map(({ workflowID, status, executorId, createdAt }) => ({
    runId: workflowID,
    status,
    ...(executorId === undefined ? {} : { executor: executorId }),
    createdAt,
  }))
}
