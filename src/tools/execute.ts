// The one place where tool calls are run: every client, the loop and the gateway come here.
import type { AnyCall, ToolCall, ToolResult } from '../conversation/messages.js'
import { Batch, type CallOutcome } from './batch.js'
import { type ExecuteOptions, settingsOf } from './executor-options.js'
import { ToolBudgets } from './limits.js'
import { ToolRegistry, type ToolSource } from './registry.js'
import { failedResult } from './results.js'
import type { AnyTool, ToolContext } from './tool.js'

/** Runs any call itself; what it returns and throws is treated like a tool's. */
export type CallFunction = (call: ToolCall, context: ToolContext) => unknown
export type Tools = ToolSource | readonly AnyTool[] | CallFunction

/**
 * Runs calls with limits that hold over all its batches: one executor is one budget for each of its tools. A registry is
 * looked up live; give its `snapshot()` when the tools must not change.
 */
export class ToolExecutor {
  readonly tools: ToolSource
  readonly #options: ExecuteOptions
  readonly #budgets = new ToolBudgets()

  constructor(tools: Tools, options: ExecuteOptions = {}) {
    this.tools = sourceOf(tools)
    this.#options = options
    settingsOf(options, {})
  }

  /**
   * One result per call, in call order, whatever the tools do; rejects only on misuse of the options. A call that waits for
   * approval is answered as not run: use `batch` to pause there instead.
   */
  async execute(calls: readonly AnyCall[], options: ExecuteOptions = {}): Promise<readonly ToolResult[]> {
    const batch = this.batch(options)
    const outcomes = await Promise.all(calls.map((call) => batch.settle(call)))
    return outcomes.map((outcome) => (outcome.state === 'answered' ? outcome.result : pausedResult(outcome.call)))
  }

  /** The calls of one turn, to be settled one by one under one deadline and one set of slots. */
  batch(options: ExecuteOptions = {}): { settle(call: AnyCall): Promise<CallOutcome> } {
    return new Batch(this.tools, this.#budgets, settingsOf(this.#options, options))
  }
}

/** Runs calls on an executor, or on tools with an executor made for this once. */
export async function executeToolCalls(
  calls: readonly AnyCall[],
  executor: ToolExecutor | Tools,
  options: ExecuteOptions = {},
): Promise<readonly ToolResult[]> {
  return (executor instanceof ToolExecutor ? executor : new ToolExecutor(executor)).execute(calls, options)
}

/** What stands in for the result of a call that waits for approval. */
export function pausedResult(call: AnyCall): ToolResult {
  const message = `The call to "${call.name}" waits for approval and was not run`
  return failedResult(call, { category: 'permission_denied', message })
}

function sourceOf(tools: Tools): ToolSource {
  if (typeof tools === 'function') return { get: (name) => anyTool(name, tools), list: () => [] }
  return 'list' in tools ? tools : new ToolRegistry(tools)
}

/** A function that runs any call is a tool of every name, with nothing known about its input. */
function anyTool(name: string, run: CallFunction): AnyTool {
  return {
    name,
    description: '',
    spec: { name },
    capabilities: [],
    source: 'local',
    repeatable: false,
    digest: '',
    checkInput: (args) => ({ ok: true, value: args }),
    execute: (_input, context) => run(context.call, context),
  }
}
