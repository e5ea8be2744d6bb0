// The arguments of calls while they are still arriving, for interfaces that show them grow. For showing only: what a tool runs on
// is read once, from the whole text, when the call is there.
import { type GrowingValue, growingValue } from '../json/growing.js'
import type { CompletionEvent } from './events.js'

/** A call of which a part has arrived. */
export interface GrowingCall {
  readonly id: string
  readonly name: string
  /** What is there so far; the same value each time, which later fragments change. Undefined before anything is. */
  readonly arguments: unknown
  /** The text so far can no longer become JSON; `arguments` stays at what came before. */
  readonly isBroken: boolean
}

/** The calls of one stream while they arrive. */
export interface GrowingCalls {
  /** The call that the event is a fragment of, with that fragment; nothing for any other event. Costs what the fragment is long. */
  push(event: CompletionEvent): GrowingCall | undefined
}

/** Follows the calls of a stream that was asked for with `deltas`, of one answer or of all answers of a run. */
export function growingCalls(): GrowingCalls {
  const values = new Map<number, GrowingValue>()
  return {
    push(event) {
      if (event.type === 'start') values.clear()
      if (event.type === 'tool_call' || event.type === 'broken_call') values.delete(event.part)
      if (event.type !== 'tool_call_delta') return undefined
      const value = values.get(event.part) ?? growingValue()
      values.set(event.part, value)
      const isJson = value.push(event.text)
      return { id: event.id, name: event.name, arguments: value.value, isBroken: !isJson }
    },
  }
}
