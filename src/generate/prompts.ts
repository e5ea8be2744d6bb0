// What the model is told in words, by rung.
import { assertNever } from '../conversation/events.js'
import type { Assignment } from './options.js'
import type { Rung } from './plan.js'

/** The instruction that goes with a rung; nothing where the wire itself says it all. */
export function instruction(rung: Rung, { schema, name, options }: Assignment, submitName: string): string | undefined {
  switch (rung) {
    case 'native':
    case 'native_with_tools':
      return undefined
    case 'submit_tool':
      return `When the final answer is complete, give it by calling the tool "${submitName}" once; do not write it as text.`
    case 'json_object':
    case 'prompted': {
      const what = options.description === undefined ? '' : ` (${options.description})`
      return `Give the final answer, the "${name}"${what}, as one JSON value and nothing else: no explanation, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`
    }
    default:
      return assertNever(rung)
  }
}

/** What the model reads of an answer that does not fit. */
export function correction(rung: Rung, reason: string, submitName: string): string {
  const how =
    rung === 'submit_tool'
      ? `Give the complete answer by calling the tool "${submitName}".`
      : 'Answer again with the complete, corrected JSON value and nothing else.'
  return `That answer cannot be used: ${reason}. ${how}`
}
