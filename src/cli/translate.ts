// `toolwire translate`: a request, an answer or a stream of one wire → the same on another, in one hop through the canonical shape.
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder } from '../conversation/fold.js'
import type { Loss } from '../conversation/losses.js'
import { ToolwireError } from '../errors/error.js'
import { bodyText } from '../frames/body.js'
import { isJsonObject } from '../json/parse.js'
import { rawSpans } from '../json/spans.js'
import { RawJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import type { Exchange } from '../wire/codec.js'
import { decodeAnswer, type WireOptions, wireEnv } from './answers.js'
import { type Answer, errorRecord, type Line } from './lines.js'

export interface TranslateOptions {
  readonly from: WireOptions
  readonly to: WireOptions
  readonly kind: 'request' | 'response' | 'stream'
}

export function translateLine(line: Line, options: TranslateOptions): Answer {
  switch (options.kind) {
    case 'request':
      return translateRequest(line, options)
    case 'response':
      return translateResponse(line, options)
    case 'stream':
      return translateStream(line, options)
  }
}

function translateRequest({ text, record }: Line, { from, to }: TranslateOptions): Answer {
  const source = wireEnv(from)
  const target = wireEnv(to)
  const nested = isJsonObject(record.request) ? record.request : undefined
  const holder: JsonObject = nested ?? record
  const pointer = nested === undefined ? '/body' : '/request/body'
  if (holder.body === undefined || holder.body === null)
    throw new ToolwireError('invalid_request', 'a line needs "body"')
  const body = typeof holder.body === 'string' ? holder.body : (rawSpans(text, [pointer]).get(pointer) ?? '')
  const path = typeof holder.path === 'string' ? holder.path : ''
  const decoded = source.codec.request.decode({ method: 'POST', path, headers: {}, body }, source.env)
  const model = decoded.request.model === '' && typeof record.model === 'string' ? record.model : decoded.request.model
  const encoded = target.codec.request.encode(
    { ...decoded.request, model },
    { stream: decoded.exchange.stream },
    target.env,
  )
  const losses: readonly Loss[] = [...decoded.losses, ...encoded.losses]
  return {
    ok: true,
    path: encoded.http.path,
    body: new RawJson(bodyText(encoded.http.body)),
    losses: losses,
  }
}

function translateResponse(line: Line, { from, to }: TranslateOptions): Answer {
  const { codec, env } = wireEnv(to)
  const folder = createFolder()
  for (const event of decodeAnswer(line, from)) folder.push(event)
  const { response, error } = folder.done()
  const exchange = exchangeFor(line, to, env.profile.name, false)
  if (error !== undefined) return refused(error, { body: new RawJson(codec.error.encode(error, exchange).body) })
  const { http, losses } = codec.response.encode(response, exchange, env)
  return { ok: true, body: new RawJson(http.body), losses: [...response.losses, ...losses] }
}

function translateStream(line: Line, { from, to }: TranslateOptions): Answer {
  const { codec, env } = wireEnv(to)
  const machine = codec.stream.encode(exchangeFor(line, to, env.profile.name, true), env)
  const events = decodeAnswer(line, from)
  let chunks = ''
  for (const event of events) chunks += machine.push(event)
  chunks += machine.end()
  const losses = [...events.flatMap(lossOf), ...machine.losses]
  const failed = events.find((event) => event.type === 'error')
  return failed === undefined ? { ok: true, chunks, losses } : { ...refused(failed.error, { chunks }), losses }
}

/** A translated failure: not ok, with the error in the words of the target wire beside it. */
function refused(error: ToolwireError, rest: Answer): Answer {
  return { ok: false, error: errorRecord(error), ...rest }
}

function lossOf(event: CompletionEvent): readonly Loss[] {
  return event.type === 'loss' ? [event.loss] : []
}

/** The exchange of a client that asked for everything an answer can tell. */
function exchangeFor(line: Line, to: WireOptions, provider: string, stream: boolean): Exchange {
  const model = typeof line.record.model === 'string' ? line.record.model : ''
  return { wire: to.wire, model, provider, stream, client: { includeUsage: true, sse: true } }
}
