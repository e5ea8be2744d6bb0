// The tape of a cassette: one exchange a line, as JSON. No credential reaches it: request headers are not kept at all, and
// every text is taken through the redactor before it is written.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { ToolwireError } from '../errors/error.js'
import { bodyText } from '../frames/body.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { redact } from '../json/redact.js'
import type { Json, JsonObject } from '../json/types.js'
import { isCredential } from '../model/secrets.js'
import type { TransportRequest } from '../transport/transport.js'

export interface TapedRequest {
  readonly method: string
  /** Path and query. The host is not kept: a tape plays at any address. */
  readonly path: string
  readonly body: string
}
export interface TapedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whether the body was read to its end. */
  readonly isWhole: boolean
}
export interface TapedExchange {
  readonly request: TapedRequest
  readonly response: TapedResponse
}

/** What says how the bytes travelled, and what is a secret between a server and its client. */
const unkept = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'set-cookie',
  'set-cookie2',
])

/** A request as the tape has it. */
export function tapedRequest(request: TransportRequest, secrets: readonly string[]): TapedRequest {
  const { pathname, search } = new URL(request.url)
  const query = search.replace(/([?&](?:key|api_key|access_token)=)[^&]*/g, '$1[redacted]')
  return {
    method: request.method,
    path: redact(pathname + query, secrets),
    body: request.body === undefined ? '' : redact(bodyText(request.body), secrets),
  }
}

export function startTape(file: string): void {
  writeFileSync(file, '')
}

export function appendExchange(file: string, { request, response }: TapedExchange, secrets: readonly string[]): void {
  const { status, headers, body, isWhole } = response
  const kept = Object.entries(headers).filter(([name]) => !unkept.has(name) && !isCredential(name))
  const taped = {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, redact(value, secrets)])),
    ...writtenBody(body, secrets),
    ...(isWhole ? {} : { cut: true }),
  }
  appendFileSync(file, `${JSON.stringify({ request, response: taped })}\n`)
}

/** Text as text, where that gives the same bytes back; anything else as base64. */
function writtenBody(body: Uint8Array, secrets: readonly string[]): JsonObject {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  if (Buffer.from(text).equals(body)) return { body: redact(text, secrets) }
  const bytes = redact(Buffer.from(body).toString('latin1'), secrets) // a character a byte: what is no secret stays
  return { base64: Buffer.from(bytes, 'latin1').toString('base64') }
}

/** What a body says, whatever the order of its keys; the text itself when it is no JSON. */
export function bodyValue(body: string): Json {
  try {
    return parseBody(body)
  } catch {
    return body
  }
}

/** The exchanges of a tape, in the order they were recorded. */
export function readTape(file: string): readonly TapedExchange[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ToolwireError('misuse', `the tape ${file} cannot be read; record it first with mode "record"`, { cause })
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => exchangeOf(line, `${file}:${index + 1}`))
}

function exchangeOf(line: string, place: string): TapedExchange {
  const { request, response } = objectAt(parsed(line, place), place)
  const { method, path, body: asked } = objectAt(request, place)
  const { status, headers, body, base64, cut } = objectAt(response, place)
  if (typeof status !== 'number') throw unreadable(place)
  const kept = Object.entries(objectAt(headers, place)).map(([name, value]) => [name, String(value)])
  return {
    request: { method: String(method), path: String(path), body: typeof asked === 'string' ? asked : '' },
    response: {
      status,
      headers: Object.fromEntries(kept),
      body: typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(String(body ?? '')),
      isWhole: cut !== true,
    },
  }
}

function parsed(line: string, place: string): Json {
  try {
    return parseBody(line)
  } catch (cause) {
    throw unreadable(place, cause)
  }
}

function objectAt(value: Json | undefined, place: string): JsonObject {
  if (isJsonObject(value)) return value
  throw unreadable(place)
}

function unreadable(place: string, cause?: unknown): ToolwireError {
  return new ToolwireError('misuse', `${place} is not an exchange of a tape; record the tape again`, { cause })
}
