// What a program may put around a call to see it from its start to its end. Trap: it is foreign code; whatever it does, the
// call is settled once, and nobody waits for it.
import type { AnyCall, ToolCall, ToolResult } from '../conversation/messages.js'
import { notify } from './audit.js'
import type { AnyTool } from './tool.js'

/** A call that was answered, or one that waits for somebody's approval and has not run. */
export type CallOutcome =
  | { readonly state: 'answered'; readonly call: AnyCall; readonly result: ToolResult }
  /** `argumentsDigest` is what an approval must name, so that it cannot be used for other arguments. */
  | { readonly state: 'paused'; readonly call: ToolCall; readonly argumentsDigest: string }

/** `tool` is undefined when there is none of that name. What `settle` is called within (a context) holds for the call. */
export type Around = (call: AnyCall, settle: () => Promise<CallOutcome>, tool: AnyTool | undefined) => unknown

export function settleAround(
  around: Around | undefined,
  call: AnyCall,
  settle: () => Promise<CallOutcome>,
  find: () => AnyTool | undefined,
): Promise<CallOutcome> {
  if (around === undefined) return settle()
  let outcome: Promise<CallOutcome> | undefined
  const once = (): Promise<CallOutcome> => {
    outcome ??= settle()
    return outcome
  }
  notify(() => around(call, once, find()))
  return once()
}
