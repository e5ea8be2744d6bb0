// Calls of a streamed answer: fragments as they come, and what a complete call adds to them.
import type { AnyCall } from '../../conversation/messages.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import { delta, type OpenCall, open, type Writer, wholeCharacters } from './chunk-writer.js'
import { callObject, isLegacyCall, safeArguments, wantsFunctions } from './response-encode.js'

function callAt(writer: Writer, part: number, id: string): OpenCall {
  const known = writer.calls.get(part)
  if (known !== undefined) return known
  const legacy = wantsFunctions(writer.exchange)
  const call: OpenCall = { index: writer.calls.size, id, name: '', text: '', opened: false, legacy, object: undefined }
  writer.calls.set(part, call)
  return call
}

/** A fragment of the arguments; the first one opens the call. */
export function writeFragment(
  writer: Writer,
  part: number,
  piece: { readonly id: string; readonly name: string; readonly text: string },
): string {
  const call = callAt(writer, part, piece.id)
  const first = open(writer)
  const text = wholeCharacters(writer, `call ${part}`, piece.text)
  const named = call.name === '' && piece.name !== ''
  if (named) call.name = piece.name
  call.text += text
  if (!call.opened) {
    call.opened = true
    const made = { type: 'tool_call', id: call.id, name: call.name, arguments: text } as const
    return first + callDelta(writer, call, callObject(made, text))
  }
  if (named) return first + callDelta(writer, call, { function: { name: call.name, arguments: text } })
  return text === '' ? first : first + argumentsDelta(writer, call, text)
}

/** A complete call is the truth: only what its fragments have not sent yet is written. */
export function writeCall(writer: Writer, part: number, whole: AnyCall): string {
  const call = callAt(writer, part, whole.id)
  const first = open(writer)
  const text = safeArguments(whole).toWellFormed()
  const object = callObject(whole, text)
  if (!call.opened) {
    call.opened = true
    call.legacy ||= call.index === 0 && isLegacyCall(whole)
    call.object = object
    return first + callDelta(writer, call, object)
  }
  writer.held.delete(`call ${part}`)
  const rest = text.startsWith(call.text) ? text.slice(call.text.length) : ''
  call.object = sentObject({ ...object, id: call.id }, call.name, call.text + rest)
  const { function: _, custom: __, id: ___, type: ____, ...more } = object
  const late = call.legacy || Object.keys(more).length === 0 ? '' : delta(writer, callsJson(call.index, more))
  return first + (rest === '' ? '' : argumentsDelta(writer, call, rest)) + late
}

/** The call as its fragments told it. */
function sentObject(object: JsonObject, name: string, text: string): JsonObject {
  const { custom: _, type: __, ...rest } = object
  return { ...rest, type: 'function', function: { name, arguments: text } }
}

function callDelta(writer: Writer, { index, legacy }: OpenCall, object: JsonObject): string {
  if (!legacy) return delta(writer, callsJson(index, object))
  return index > 0 ? '' : delta(writer, writeJson({ function_call: object.function ?? {} }))
}

function argumentsDelta(writer: Writer, { index, legacy }: OpenCall, piece: string): string {
  const text = `{"arguments":${JSON.stringify(piece)}}`
  if (!legacy) return delta(writer, `{"tool_calls":[{"index":${index},"function":${text}}]}`)
  return index > 0 ? '' : delta(writer, `{"function_call":${text}}`)
}

function callsJson(index: number, object: JsonObject): string {
  return writeJson({ tool_calls: [{ index, ...object }] })
}
