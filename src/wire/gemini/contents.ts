// Contents, read: one content may hold results and user text at once, which are two messages here.
import type { Loss } from '../../conversation/losses.js'
import type {
  AssistantMessage,
  Extra,
  Message,
  SystemMessage,
  TextPart,
  ToolResult,
  UserPart,
} from '../../conversation/messages.js'
import { isCall } from '../../conversation/messages.js'
import { isJsonObject } from '../../json/parse.js'
import { type FindSpan, spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import { leftover } from '../extra.js'
import { createOpenCalls, type OpenCalls } from '../open-calls.js'
import { invalidAt } from '../request-body.js'
import {
  clientOrigin,
  decodeModelPart,
  decodeUserPart,
  decodeUserText,
  positionalId,
  splitPart,
  textIn,
} from './parts-decode.js'
import { decodeResult } from './results.js'
import { camelKeys, contentKeys, listOf, objectOf, wire } from './types.js'

const lists = ['/contents/*', '/contents']
const partLists = ['/parts/*', '/parts']
const rawFields = [
  '/functionCall/args',
  '/function_call/args',
  '/functionResponse/response',
  '/function_response/response',
]

/** Raw text of the values that must not be re-written: arguments and responses, in every spelling. */
export const rawMembers: (text: string) => FindSpan = spanFinder(
  lists.flatMap((list) => partLists.flatMap((parts) => rawFields.map((field) => list + parts + field))),
)

interface Reading {
  readonly spans: FindSpan
  readonly messages: Message[]
  readonly losses: Loss[]
  /** How many calls were read. */
  calls: number
  /** The calls of the last model turn, which may be spread over several contents. */
  open: OpenCalls
}

export function decodeContents(value: Json | undefined, spans: FindSpan, losses: Loss[]): readonly Message[] {
  const reading: Reading = { spans, messages: [], losses, calls: 0, open: createOpenCalls() }
  const single = !Array.isArray(value)
  listOf(value).forEach((item, index) => {
    const path = single ? '/contents' : `/contents/${index}`
    if (typeof item === 'string') {
      reading.messages.push({ role: 'user', content: [{ type: 'text', text: item }] })
      return
    }
    if (!isJsonObject(item)) throw invalidAt(path, 'an object')
    readContent(item, path, reading)
  })
  return reading.messages
}

function readContent(content: JsonObject, path: string, reading: Reading): void {
  const isList = Array.isArray(content.parts)
  const parts = listOf(content.parts).flatMap((part, index): readonly GivenPart[] => {
    if (typeof part === 'string') return [{ part: { text: part }, path: `${path}/parts` }]
    if (!isJsonObject(part)) throw invalidAt(`${path}/parts`, 'a list of objects')
    const place = isList ? `${path}/parts/${index}` : `${path}/parts`
    const split = splitPart(part)
    if (split.length > 1) reportSplit(place, reading.losses)
    return split.map((one) => ({ part: one, path: place }))
  })
  if (content.role === 'model' || content.role === 'assistant') readModel(content, parts, reading)
  else if (content.role === 'system') {
    const message = decodeSystem(content, reading.losses)
    if (message !== undefined) reading.messages.push(message)
  } else readUser(content, parts, reading)
}

/** A part and where it stands. */
interface GivenPart {
  readonly part: JsonObject
  readonly path: string
}

function reportSplit(path: string, losses: Loss[]): void {
  const message = 'this part says more than one thing; it was split into one part for each'
  losses.push({ code: 'part_split', wire, path, kind: 'repaired', message })
}

function readModel(content: JsonObject, parts: readonly GivenPart[], reading: Reading): void {
  if (reading.messages.at(-1)?.role !== 'assistant') reading.open = createOpenCalls()
  const made = parts.map(({ part, path }) => {
    let hadId = true
    const decoded = decodeModelPart(
      part,
      (value) => rawArguments(reading.spans, path, value),
      () => {
        hadId = false
        return positionalId(reading.calls)
      },
    )
    if (isCall(decoded)) {
      reading.calls += 1
      reading.open.add({ id: decoded.id, name: decoded.name, hadId })
    }
    return decoded
  })
  const message: AssistantMessage = {
    role: 'assistant',
    content: made,
    origin: clientOrigin,
    ...contentExtra(content, 'model'),
  }
  reading.messages.push(message)
}

function readUser(content: JsonObject, parts: readonly GivenPart[], reading: Reading): void {
  const responses: GivenPart[] = []
  const others: UserPart[] = []
  let mixed = false
  for (const given of parts) {
    if (isJsonObject(camelKeys(given.part).functionResponse)) {
      mixed ||= others.length > 0
      responses.push(given)
    } else others.push(decodeUserPart(given.part))
  }
  const extra = contentExtra(content, 'user')
  if (responses.length === 0) {
    reading.messages.push({ role: 'user', content: others, ...extra })
    return
  }
  if (mixed) {
    const message = 'parts between function responses were moved behind them'
    reading.losses.push({ code: 'parts_reordered', wire, path: '/contents', kind: 'repaired', message })
  }
  reading.messages.push({ role: 'tool', results: matchResults(responses, reading), ...extra })
  if (others.length === 0) return
  reading.messages.push({ role: 'user', content: others, extra: { [wire]: { $joined: true } } })
}

/** Each response with the call it answers: by id, else the next unanswered call of that name. A foreign id names no call that has one. */
function matchResults(responses: readonly GivenPart[], reading: Reading): readonly ToolResult[] {
  const named = responses.map(({ part }) => {
    const response = objectOf(camelKeys(part).functionResponse) ?? {}
    return { id: textIn(response.id), name: textIn(response.name) }
  })
  const { open } = reading
  const calls = named.map(({ id }) => (id === '' ? undefined : open.takeById(id)))
  return responses.map(({ part, path }, index) => {
    const { id, name } = named[index] as { id: string; name: string }
    const span = (value: Json): string | undefined => rawResponse(reading.spans, path, value)
    const byId = calls[index]
    if (byId !== undefined) return decodeResult(part, span, { callId: byId.id, name: name || byId.name })
    const call = id === '' ? open.takeByName(name) : open.takeWithoutId(name)
    if (call !== undefined) {
      const note = id === '' ? (call.hadId === false ? {} : { note: false }) : { note: id }
      return decodeResult(part, span, { callId: call.id, name, ...note })
    }
    return decodeResult(part, span, { callId: id, name })
  })
}

/** The system instruction: a content, or text. Parts that are no text have no place in it. */
export function decodeSystem(value: Json | undefined, losses: Loss[]): SystemMessage | undefined {
  if (typeof value === 'string') return { role: 'system', content: [{ type: 'text', text: value }] }
  const content = objectOf(value)
  if (content === undefined) return undefined
  const texts: TextPart[] = []
  for (const item of listOf(content.parts)) {
    const part = typeof item === 'string' ? { text: item } : objectOf(item)
    if (typeof part?.text === 'string') texts.push(decodeUserText(part))
    else {
      const message = 'only text can stand in the system instruction'
      losses.push({ code: 'part_dropped', wire, path: '/systemInstruction/parts', kind: 'repaired', message })
    }
  }
  const extra = leftover(wire, content, contentKeys)
  return texts.length === 0 && extra.extra === undefined ? undefined : { role: 'system', content: texts, ...extra }
}

/** What a content carries besides role and parts; a role that is not the usual one is noted. */
export function contentExtra(content: JsonObject, role: 'user' | 'model'): { readonly extra?: Extra } {
  const name = content.role
  const notes = role === 'user' && typeof name === 'string' && name !== 'user' ? { role: name } : {}
  return leftover(wire, content, contentKeys, { notes })
}

function rawArguments(spans: FindSpan, base: string, value: Json): string | undefined {
  return spans(`${base}/functionCall/args`, value) ?? spans(`${base}/function_call/args`, value)
}

function rawResponse(spans: FindSpan, base: string, value: Json): string | undefined {
  return spans(`${base}/functionResponse/response`, value) ?? spans(`${base}/function_response/response`, value)
}
