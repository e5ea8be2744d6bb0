// What the codecs make of a concern now: one column per wire. The test compares it with the file; `scripts/matrix.mjs --write`
// puts it there for review.
import { applyLosses, type Loss } from '../../src/conversation/losses.js'
import type { Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'
import { unfold } from '../../src/conversation/unfold.js'
import { ToolwireError } from '../../src/errors/error.js'
import { bodyText } from '../../src/frames/body.js'
import { parseJson } from '../../src/json/parse.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { Value } from '../../src/json/types.js'
import { profileOf } from '../../src/wire/index.js'
import { comparableRequest, comparableResponse } from '../laws/comparable.js'
import {
  folded,
  type Halves,
  halvesOf,
  readBody,
  readStream,
  type Subject,
  streamed,
  subjects,
} from '../laws/subjects.js'
import type { Asked, Column, Concern, ErrorConcern, RequestConcern, ResponseConcern } from './format.js'

/** A codec in the surroundings a column asks for. */
export function subjectOf(wire: Wire, asked: Asked): Subject {
  const subject = subjects.find((known) => known.wire === wire)
  if (subject === undefined) throw new Error(`there is no codec for ${wire}`)
  return { ...subject, env: { ...subject.env, profile: profileOf(subject.codec, asked.profile) } }
}

/** The column of a concern on a wire, computed. */
export function columnOf(concern: Concern, wire: Wire): Column {
  const { model, profile, stream } = concern.wires[wire]
  const asked: Asked = {
    ...(model === undefined ? {} : { model }),
    ...(profile === undefined ? {} : { profile }),
    ...(stream === undefined ? {} : { stream }),
  }
  const subject = subjectOf(wire, asked)
  switch (concern.kind) {
    case 'request':
      return { ...asked, ...requestColumn(concern, asked, subject) }
    case 'response':
      return { ...asked, ...responseColumn(concern, subject) }
    case 'error':
      return { ...asked, ...errorColumn(concern, subject) }
  }
}

/** The canonical request as a column asks for it. */
export function requestOf(concern: RequestConcern, asked: Asked): CompletionRequest {
  return asked.model === undefined ? concern.canonical : { ...concern.canonical, model: asked.model }
}

function requestColumn(concern: RequestConcern, asked: Asked, { codec, env }: Subject): Column {
  const request = requestOf(concern, asked)
  try {
    const { http, losses } = codec.request.encode(request, { stream: asked.stream === true }, env)
    const expected = comparableRequest(applyLosses(codec.seal(request, env).request, losses))
    const body = parseJson(bodyText(http.body))
    const decoded = comparableRequest(codec.request.decode({ ...http, body: stringifyJson(body) }, env).request)
    const { 'content-type': _, ...headers } = http.headers
    const more = Object.keys(headers).length === 0 ? {} : { headers }
    return { path: http.path, ...more, body, losses: losses.map(lossText), ...unlessSame(decoded, expected) }
  } catch (error) {
    if (error instanceof ToolwireError) return { refused: error.code }
    throw error
  }
}

function responseColumn(concern: ResponseConcern, subject: Subject): Column {
  const { server, client } = halvesOf(subject, false)
  const { http, losses } = subject.codec.response.encode(concern.canonical, server, subject.env)
  const body = parseJson(http.body)
  const { response } = folded(readBody(subject, client, { ...http, body: stringifyJson(body) }))
  const expected = comparableResponse(applyLosses(concern.canonical, losses))
  return { body, losses: losses.map(lossText), ...unlessSame(comparableResponse(response), expected) }
}

function errorColumn(concern: ErrorConcern, subject: Subject): Column {
  const { code, message, ...options } = concern.canonical
  const http = subject.codec.error.encode(new ToolwireError(code, message, options), halvesOf(subject, false).server)
  return { status: http.status, body: parseJson(http.body) }
}

/** The response of a concern as it is read from a stream of small pieces, and what the stream could not say. */
export function streamedResponse(
  response: CompletionResponse,
  subject: Subject,
  pieceLength: number,
): { readonly response: CompletionResponse; readonly losses: readonly Loss[] } {
  const { server, client }: Halves = halvesOf(subject, true)
  const { bytes, losses } = streamed(subject, server, unfold(response, splitText))
  const { response: read, error } = folded(readStream(subject, client, pieces(bytes, pieceLength)))
  if (error !== undefined) throw error
  return { response: read, losses }
}

/** Text as a model streams it: a few characters at a time. */
export function splitText(text: string): readonly string[] {
  return text.match(/.{1,5}/gsu) ?? [text]
}

export function pieces(bytes: Uint8Array, length: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / length)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length))
}

export function lossText(loss: Loss): string {
  return `${loss.code} ${loss.path}`
}

function unlessSame(decoded: unknown, expected: unknown): { readonly decoded?: Value } {
  return sorted(decoded) === sorted(expected) ? {} : { decoded: decoded as Value }
}

/** JSON text with the keys of every object in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
