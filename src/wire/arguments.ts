// Arguments between the text of record and a wire: calls of a history, and broken text on wires that take only objects.
import type { AnyCall, BrokenReason, Carried, Extra, Opaque, Wire } from '../conversation/messages.js'
import { checkBody, isJsonObject, parseBody } from '../json/parse.js'
import { renameKeys } from '../json/spans.js'
import { RawJson } from '../json/stringify.js'
import type { Json } from '../json/types.js'
import { noteOf } from './extra.js'

/** Texts that were objects a moment ago: those of a history are read with it, and written a moment later. */
const recentObjects: string[] = []
const maxRecent = 16
const maxRecentLength = 1_024
let oldest = 0

/** What the text of arguments is. Strict: nothing is completed or guessed. */
export function readArguments(text: string): 'object' | 'not_an_object' | 'malformed' {
  if (recentObjects.includes(text)) return 'object'
  if (isCutObject(text)) return 'malformed'
  try {
    if (!isJsonObject(checkBody(text))) return 'not_an_object'
  } catch {
    return 'malformed'
  }
  rememberObject(text)
  return 'object'
}

/** An object without its last brace. Known at a glance: the error of a parser costs fifty times as much. */
function isCutObject(text: string): boolean {
  const bare = text.trim()
  return bare.charCodeAt(0) === 123 && bare.charCodeAt(bare.length - 1) !== 125
}

function rememberObject(text: string): void {
  if (text.length > maxRecentLength || recentObjects.includes(text)) return
  recentObjects[oldest] = text
  oldest = (oldest + 1) % maxRecent
}

/** A call met in a history or a whole answer: runnable when its text is a JSON object, else broken. Blank text is `{}`. */
export function callOf(
  call: {
    readonly id: string
    readonly name: string
    readonly text: string
    readonly opaque?: Opaque | undefined
    /** `text` was cut out of JSON that is parsed already and is an object there: it need not be parsed again. */
    readonly isObject?: boolean
  } & Carried,
): AnyCall {
  const { id, name, text, opaque, extra } = call
  const carried = carriedBy(opaque, extra)
  const blank = !call.isObject && text.trim() === ''
  const state = blank || call.isObject ? 'object' : readArguments(text)
  if (call.isObject) rememberObject(text)
  const reason: BrokenReason | undefined = name === '' ? 'no_name' : state === 'object' ? undefined : state
  if (reason !== undefined) return { type: 'broken_call', id, name, arguments: text, reason, ...carried }
  return { type: 'tool_call', id, name, arguments: blank ? '{}' : text, ...carried }
}

const nothing = {}

function carriedBy(opaque: Opaque | undefined, extra: Extra | undefined): Pick<AnyCall, 'opaque' | 'extra'> {
  if (opaque === undefined) return extra === undefined ? nothing : { extra }
  return extra === undefined ? { opaque } : { opaque, extra }
}

/** The note on a call of a custom tool of OpenAI, whose input is free text: it is the only argument of the call, `input`. */
export const customNotes = { type: 'custom' } as const

/** The arguments of a call of a custom tool. */
export function inputArguments(input: string): string {
  return JSON.stringify({ input })
}

/** The input of a call of a custom tool, as far as it came; nothing for any other call. */
export function customInput(wire: Wire, call: AnyCall): string | undefined {
  if (call.extra === undefined || noteOf(call.extra[wire], 'type') !== customNotes.type) return undefined
  if (call.type === 'broken_call') return call.arguments
  if (readArguments(call.arguments) !== 'object') return undefined
  const value = parseBody(call.arguments)
  const isAlone = isJsonObject(value) && Object.keys(value).length === 1
  return isAlone && typeof value.input === 'string' ? value.input : undefined
}

export function isCustomCall(wire: Wire, call: AnyCall): boolean {
  return customInput(wire, call) !== undefined
}

/** The member under which wires with object arguments carry text that is no object. `brokenText` reads it back. */
const rawMember = 'rawInvalidInput'

/**
 * The arguments as a JSON object for wires that take only objects, with keys spelt as the wire wants them. A broken call
 * whose text is an object all the same (the limit was reached right behind it) is written as that object.
 */
export function argumentsObject(call: AnyCall, keys?: ReadonlyMap<string, string>): RawJson {
  if (readArguments(call.arguments) !== 'object') {
    return new RawJson(JSON.stringify({ [rawMember]: call.arguments.toWellFormed() }))
  }
  return new RawJson(keys === undefined ? call.arguments : renameKeys(call.arguments, keys))
}

/** Whether text that is still coming can be an object that `argumentsObject` wrote of broken text. */
export function mayBeBrokenText(text: string): boolean {
  return text.startsWith(rawHead) || rawHead.startsWith(text)
}

const rawHead = `{"${rawMember}":`
export const brokenHeadLength: number = rawHead.length

/** The broken text inside an object that `argumentsObject` wrote; nothing for any other object. */
export function brokenText(value: Json | undefined): string | undefined {
  return brokenIn(value)?.text
}

/** Also what is wrong with it: text that is an object is never written so. */
function brokenIn(value: Json | undefined): { readonly text: string; readonly reason: BrokenReason } | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined
  const text = value[rawMember]
  if (typeof text !== 'string') return undefined
  const reason = readArguments(text)
  return reason === 'object' ? undefined : { text, reason }
}

/** A call of a wire with object arguments: `text` is the raw span of the object, `value` the same parsed. */
export function objectCallOf(
  call: {
    readonly id: string
    readonly name: string
    readonly text: string
    readonly value: Json | undefined
    readonly opaque?: Opaque | undefined
  } & Carried,
): AnyCall {
  const { id, name, text, value, opaque, extra } = call
  const broken = brokenIn(value)
  if (broken === undefined) {
    return callOf({ id, name, text, opaque, isObject: isJsonObject(value), ...(extra === undefined ? {} : { extra }) })
  }
  const reason = name === '' ? 'no_name' : broken.reason
  return { type: 'broken_call', id, name, arguments: broken.text, reason, ...carriedBy(opaque, extra) }
}
