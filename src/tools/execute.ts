// The one place where tool calls are run: every client, the loop and the gateway come here.
import type { AnyCall, ToolCall, ToolResult } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { Batch } from './batch.js'
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
    checkCalls(calls)
    const batch = this.batch(options)
    const outcomes = await Promise.all(calls.map((call) => batch.settle(call)))
    return outcomes.map((outcome) => (outcome.state === 'answered' ? outcome.result : pausedResult(outcome.call)))
  }

  /** The calls of one turn, to be settled one by one under one deadline and one set of slots. */
  batch(options: ExecuteOptions = {}): Batch {
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

/** Tools in any form, to be looked up by name. */
export function sourceOf(tools: Tools): ToolSource {
  if (typeof tools === 'function') return { get: (name) => anyTool(name, tools), list: () => [] }
  if (isList(tools)) return new ToolRegistry(tools)
  if (typeof tools?.get === 'function' && typeof tools.list === 'function') return tools
  throw new ToolwireError('misuse', 'an executor needs a list of tools, a ToolRegistry, or a function that runs a call')
}

/** Array.isArray does not narrow a readonly array out of a union. */
function isList(tools: ToolSource | readonly AnyTool[]): tools is readonly AnyTool[] {
  return Array.isArray(tools)
}

/** A provider's own call object is a mistake of the program, not of the model: it is refused before anything runs. */
function checkCalls(calls: readonly AnyCall[]): void {
  const isCall = (call: Partial<AnyCall> | null | undefined): boolean =>
    (call?.type === 'tool_call' || call?.type === 'broken_call') &&
    [call.id, call.name, call.arguments].every((field) => typeof field === 'string')
  const wrong = Array.isArray(calls) ? calls.findIndex((call) => !isCall(call)) : 0
  if (wrong === -1) return
  const remedy = 'pass the calls of a decoded response, with type, id, name and arguments'
  throw new ToolwireError('misuse', `calls[${wrong}] is not a tool call; ${remedy}`)
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
