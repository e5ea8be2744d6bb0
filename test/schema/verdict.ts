// The verdict of a schema on a value, and how much work the check took.
import type { ToolCall } from '../../src/conversation/messages.js'
import { ToolwireError } from '../../src/errors/error.js'
import type { JsonObject } from '../../src/json/types.js'
import { newRun } from '../../src/schema/run.js'
import { compileSchema } from '../../src/schema/validate.js'
import { decodeArguments } from '../../src/tools/arguments.js'

/** `valid`, `invalid`, the limit that ended the check, or the rule the schema breaks. */
export type Verdict = string

/** Checks a value. A schema that is refused takes no work. */
export function judge(schema: JsonObject, value: unknown): { readonly verdict: Verdict; readonly work: number } {
  const run = newRun()
  try {
    const checked = compileSchema(schema)(value, undefined, run)
    const verdict = checked.ok ? 'valid' : (checked.limit ?? 'invalid')
    return { verdict, work: run.limit - Math.max(run.left, 0) }
  } catch (error) {
    return { verdict: ruleOf(error, 'rule'), work: 0 }
  }
}

/** Parses and checks the text of arguments. */
export function judgeText(schema: JsonObject, text: string): Verdict {
  const call: ToolCall = { type: 'tool_call', id: 'call_1', name: 'hostile', arguments: text }
  try {
    decodeArguments(call, schema)
    return 'valid'
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'malformed_arguments') return String(error.detail?.limit ?? 'invalid')
    return ruleOf(error, 'rule')
  }
}

function ruleOf(error: unknown, key: string): Verdict {
  if (ToolwireError.is(error) && error.code === 'invalid_tool_spec') return String(error.detail?.[key])
  throw error
}
