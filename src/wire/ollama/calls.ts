// One call as the wire has it, read and written. Arguments are an object; their text is cut from the body by the caller.
import type { AnyCall, Carried, Extra } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import type { Writable } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { argumentsObject } from '../arguments.js'
import { fieldsOf, innerFields, leftover, unmodelled } from '../extra.js'
import { isDefault, modelled, wire } from './types.js'

export type WritableObject = { readonly [key: string]: Writable }

/** What a call says of itself; `value` are its arguments as parsed, or the text some clients send. */
export interface CallHead {
  readonly id: string
  readonly name: string
  readonly value: Json | undefined
  readonly extra: Extra | undefined
}

/** Nothing for what is no call. The index is not read: servers repeat it, and the order says as much. */
export function readCallHead(call: Json | undefined): CallHead | undefined {
  if (!isJsonObject(call) || !isJsonObject(call.function)) return undefined
  const { id, function: callee } = call
  const { name, arguments: value } = callee
  const { extra } = leftover(wire, call, modelled.call, {
    isDefault,
    inner: { function: unmodelled(callee, modelled.function) },
  })
  return {
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    value: value ?? undefined,
    extra,
  }
}

export function writeCall(call: AnyCall, index: number): WritableObject {
  const inner = innerFields(call.extra?.[wire], 'function', modelled.function)
  return {
    id: call.id,
    function: { index, name: call.name, arguments: argumentsObject(call), ...inner },
    ...ownFields(call, modelled.call),
  }
}

/** The unmodelled fields a node carries for this wire, without those the codec writes itself. */
export function ownFields(node: Carried, taken: ReadonlySet<string>): JsonObject {
  const own = node.extra?.[wire]
  return own === undefined ? {} : unmodelled(fieldsOf(own), taken)
}

/** Whether a call is written and read back with nothing changed, so that nothing needs to be compared. */
export function isPlainCall(call: AnyCall): boolean {
  return (
    call.type === 'tool_call' &&
    call.extra === undefined &&
    call.opaque === undefined &&
    call.id !== '' &&
    call.name !== '' &&
    call.arguments.startsWith('{') &&
    call.arguments.endsWith('}') &&
    !call.arguments.includes('rawInvalidInput')
  )
}
