// Argument text that is nearly JSON, mended. Guesswork: only for who asks for it.
import { jsonrepair } from 'jsonrepair'
import type { AnyCall, ToolCall } from '../conversation/messages.js'
import { isJsonObject, parseJson } from '../json/parse.js'

/** A call whose argument text was mended, and the sentence that says so. */
export interface RepairedCall {
  readonly call: ToolCall
  readonly repaired: true
  readonly note: string
}

export interface RepairOptions {
  /** Also mend calls that were cut off. What is missing is guessed, so a tool with effects must not be run on it unseen. */
  readonly truncated?: boolean
}

/** Longer text is not mended: the repair is guesswork, and its time is not bounded. */
const longestRepair = 200_000

/**
 * Mends the argument text of a call where that gives an object; undefined when it does not, when there is nothing to mend, and for
 * a truncated call unless asked. Nothing here calls it by itself: repair is opt-in, and its caller reports the note.
 */
export function repairArguments(call: AnyCall, options: RepairOptions = {}): RepairedCall | undefined {
  const reason = call.type === 'broken_call' ? call.reason : undefined
  if (reason === 'no_name' || (reason === 'truncated' && options.truncated !== true)) return undefined
  if (call.arguments.length > longestRepair || objectIn(call.arguments)) return undefined
  let text: string
  try {
    text = jsonrepair(call.arguments)
  } catch {
    return undefined
  }
  if (!objectIn(text)) return undefined
  const { id, name, opaque, extra } = call
  return {
    call: {
      type: 'tool_call',
      id,
      name,
      arguments: text,
      ...(opaque === undefined ? {} : { opaque }),
      ...(extra === undefined ? {} : { extra }),
    },
    repaired: true,
    note: `the arguments of "${name}" (id: ${id}) were not valid JSON and were repaired before the call: ${reason ?? 'malformed'}`,
  }
}

function objectIn(text: string): boolean {
  try {
    return isJsonObject(parseJson(text))
  } catch {
    return false
  }
}
