// Function responses. The wire takes an object: `output` of a success, `error` of a failure, or any other object, which is
// the output as a whole. Which it was is noted, so that it goes back as it came, digit for digit.
import type { ResultPart, ToolResult } from '../../conversation/messages.js'
import { textOf } from '../../conversation/messages.js'
import { isJsonObject, isList, parseBody } from '../../json/parse.js'
import { rawSpans } from '../../json/spans.js'
import { RawJson, type Writable } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { readArguments } from '../arguments.js'
import { leftover, noteOf } from '../extra.js'
import { wireName } from '../names.js'
import {
  idRule,
  insideFields,
  isLegal,
  isPlainText,
  nameRule,
  ownFields,
  type WritableObject,
  writeMedia,
} from './parts.js'
import { decodeUserPart, innerNote } from './parts-decode.js'
import type { GeminiProfile } from './profiles.js'
import { camelKeys, objectOf, partKeys, responseKeys, wire } from './types.js'

const resultMembers: ReadonlySet<string> = new Set(['functionResponse'])

/** Whom a response answers: the call's id and name, and what to note of the id it was sent with. */
export interface Answered {
  readonly callId: string
  readonly name: string
  readonly note?: Json
}

/** A function response. `span` gives the raw text of its `response`. */
export function decodeResult(
  raw: JsonObject,
  span: (value: Json) => string | undefined,
  answered: Answered,
): ToolResult {
  const part = camelKeys(raw)
  const response = objectOf(part.functionResponse) ?? {}
  const read = readResponse(response.response, span)
  const content: ResultPart[] = read.text === undefined ? [] : [{ type: 'text', text: read.text }]
  const media = response.parts
  if (isList(media)) for (const item of media) if (isJsonObject(item)) content.push(decodeUserPart(item))
  const notes = {
    ...(read.form === undefined ? {} : { form: read.form }),
    ...(answered.note === undefined ? {} : { id: answered.note }),
    ...innerNote(response, responseKeys),
  }
  return {
    callId: answered.callId,
    name: answered.name,
    content,
    isError: read.isError,
    ...leftover(wire, part, resultMembers, { notes }),
  }
}

interface Read {
  /** Nothing of an object that says nothing. */
  readonly text: string | undefined
  readonly isError: boolean
  /** `json`: the value under `output` or `error` is no string; `object`: the whole object is the output. */
  readonly form?: 'json' | 'object'
}

function readResponse(value: Json | undefined, span: (value: Json) => string | undefined): Read {
  if (value === undefined || value === null) return { text: undefined, isError: false }
  if (typeof value === 'string') return { text: value, isError: false }
  if (!isJsonObject(value)) return { text: span(value) ?? JSON.stringify(value), isError: false }
  const keys = Object.keys(value)
  const [key] = keys
  if (key === undefined) return { text: undefined, isError: false }
  const isError = Object.hasOwn(value, 'error') && !Object.hasOwn(value, 'output')
  const inner = keys.length === 1 && (key === 'output' || key === 'error') ? value[key] : undefined
  if (typeof inner === 'string') return { text: inner, isError }
  const text = span(value) ?? JSON.stringify(value)
  if (inner === undefined) return { text, isError, form: 'object' }
  return { text: rawSpans(text, [`/${key}`]).get(`/${key}`) ?? JSON.stringify(inner), isError, form: 'json' }
}

/** A result as the part that carries it, under the id it is sent with, if any. */
export function writeResult(result: ToolResult, id: string | undefined, profile: GeminiProfile): WritableObject {
  const form = noteOf(result.extra?.[wire], 'form')
  const media = result.content.filter((part) => part.type !== 'text')
  const hasText = media.length < result.content.length
  return {
    functionResponse: {
      id,
      name: wireName(result.name, nameRule),
      response: hasText || result.isError ? writeResponse(textOf(result.content), result.isError, form) : {},
      parts: media.length === 0 ? undefined : media.map((part) => writeResultPart(part, profile)),
      ...insideFields(result, responseKeys),
    },
    ...ownFields(result, partKeys),
  }
}

function writeResultPart(part: ResultPart, profile: GeminiProfile): Writable {
  return part.type === 'image' || part.type === 'file'
    ? writeMedia(part, profile)
    : part.type === 'opaque'
      ? part.data
      : {}
}

/** The text in the form it came in while that still says the same; else under `output` or `error`. */
function writeResponse(text: string, isError: boolean, form: Json | undefined): Writable {
  const key = isError ? 'error' : 'output'
  if (form === 'object' && readArguments(text) === 'object') {
    const read = readResponse(parseBody(text), () => text)
    if (read.form === 'object' && read.isError === isError) return new RawJson(text.trim())
  }
  if (form === 'json' && isJsonValue(text)) return { [key]: new RawJson(text.trim()) }
  return { [key]: text }
}

/** Any JSON but a string: a string stands for itself. */
function isJsonValue(text: string): boolean {
  try {
    return typeof parseBody(text) !== 'string'
  } catch {
    return false
  }
}

/** Whether a result is written and read back with nothing changed, so that nothing needs to be compared. */
export function isPlainResult(result: ToolResult): boolean {
  if (result.extra !== undefined || !isLegal(result.callId, idRule) || !isLegal(result.name, nameRule)) return false
  const [part] = result.content
  if (part === undefined) return !result.isError
  return result.content.length === 1 && part.type === 'text' && isPlainText(part) && part.opaque === undefined
}
