// The loop as a workflow of Restate: its server keeps the steps, and calls whichever process serves the workflow.
// The trap: a connection that is lost ends the attempt without a word to the handler, which then waits for ever; the calls it began
// go on in this process, and the next attempt must find them.
import {
  CancelledError,
  type RestatePromise as Kept,
  RestatePromise,
  type Serde,
  TerminalError,
  type WorkflowContext,
  type WorkflowDefinition,
  workflow,
} from '@restatedev/restate-sdk'
import { onAbort } from '../errors/abort.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { writeJson } from '../json/stringify.js'
import type { Json, JsonObject } from '../json/types.js'
import {
  type Attempt,
  type Engine,
  type EngineInput,
  type EngineOptions,
  finishAttempt,
  startAttempt,
} from '../loop/engine.js'
import { ensureWithResolvers } from './with-resolvers.js'

/** What a run begins with: `prompt`, `system`, `messages`, and `parameters` for whoever makes the options. It is stored: plain JSON. */
export type RestateInput = EngineInput
/** What the process that has the run brings along: the options of `run` but for what is in the input. */
export type RestateOptions = EngineOptions

/** How long steps may take, and how long runs are kept. */
export interface RestateSettings {
  /** The longest that one answer of the model or one batch of calls may take; an hour. Then the server starts another attempt. */
  readonly stepTimeoutMs?: number | undefined
  /** How long the server keeps a run that is over: its result, the state it waits in, its steps; 30 days. */
  readonly retentionMs?: number | undefined
}

const hourMs = 60 * 60 * 1000
/** How long an attempt that was cut off is remembered by its process once its calls are done. */
const rememberedMs = 60_000

/** As the server keeps inputs, steps and results. */
const json: Serde<Json> = {
  contentType: 'application/json',
  serialize: (value) => new TextEncoder().encode(writeJson(value)),
  deserialize: (bytes) => parseBody(new TextDecoder().decode(bytes)),
}

/**
 * The loop under a name, to be bound to an endpoint of Restate, in every process with the same name. `options` is asked in the
 * process that runs, at the start of every attempt.
 */
export function restateService<N extends string>(
  name: N,
  options: (input: RestateInput) => RestateOptions | Promise<RestateOptions>,
  { stepTimeoutMs = hourMs, retentionMs = 30 * 24 * hourMs }: RestateSettings = {},
): WorkflowDefinition<N, { run: (context: WorkflowContext, input: RestateInput) => Promise<JsonObject> }> {
  ensureWithResolvers()
  const run = async (context: WorkflowContext, input: RestateInput): Promise<JsonObject> => {
    const given = isJsonObject(input) ? input : {} // it comes from the network; an empty one is refused as any other
    return attempt(name, context, given, await options(given))
  }
  return workflow({
    name,
    handlers: { run },
    options: {
      serde: json,
      workflowRetention: retentionMs,
      journalRetention: retentionMs,
      inactivityTimeout: stepTimeoutMs,
      abortTimeout: 60_000,
      onJournalMismatchErrors: 'fail',
    },
  })
}

async function attempt(
  name: string,
  context: WorkflowContext,
  input: RestateInput,
  options: RestateOptions,
): Promise<JsonObject> {
  const controller = new AbortController()
  const { key } = context
  const running = startAttempt(`restate/${name}/${key}`, input.resume?.runId ?? key, engineOf(context, controller))
  const release = onAbort(context.request().attemptCompletedSignal, () => leave(running))
  try {
    return await finishAttempt(running, input, options, controller.signal)
  } catch (error) {
    // what Restate threw is its own; anything else would be tried again for ever
    if (running.failure !== undefined || !ToolwireError.is(error)) throw error
    throw new TerminalError(error.message, { errorCode: 400, metadata: { code: error.code } })
  } finally {
    release()
  }
}

function engineOf(context: WorkflowContext, controller: AbortController): Engine {
  /** A cancelled run ends what is running, too. */
  const heeded = async <T>(kept: Kept<T>): Promise<T> => {
    try {
      return await kept
    } catch (error) {
      if (error instanceof CancelledError) controller.abort(error)
      throw error
    }
  }
  return {
    step: (name, fn) => heeded(context.run(name, fn)),
    all: (steps) => heeded(RestatePromise.all(steps.map(([name, fn]) => context.run(name, fn)))),
    isMismatch: () => false, // Restate ends the attempt itself
  }
}

/** The server is gone from an attempt: what it began is kept until the next attempt has had the time to ask for it. */
function leave(running: Attempt): void {
  const forget = (): void => {
    setTimeout(() => running.end(), rememberedMs).unref()
  }
  running.settled().then(forget, forget)
}
