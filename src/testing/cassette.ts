// Records real exchanges with a provider, and plays them again byte for byte: `transport: cassette('tape.jsonl')`.
import { existsSync } from 'node:fs'
import { transport as platformTransport } from '#transport'
import { ToolwireError } from '../errors/error.js'
import { bodyBytes } from '../frames/body.js'
import { canonicalJson } from '../json/canonical.js'
import { secretsIn } from '../model/secrets.js'
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.js'
import {
  appendExchange,
  bodyValue,
  readTape,
  startTape,
  type TapedExchange,
  type TapedRequest,
  tapedRequest,
} from './tape.js'
import { nearestDifference } from './tape-difference.js'

/** Whether to record or to play, and what must not be on the tape. */
export interface CassetteOptions {
  /** `record` begins the tape anew; `auto`, the default, plays the tape when the file is there and records it when not. */
  readonly mode?: 'record' | 'replay' | 'auto'
  /** What sends the requests that are recorded; the platform's own unless given. */
  readonly transport?: Transport
  /** Texts that must not reach the tape, besides credentials in headers and whatever looks like one. */
  readonly secrets?: readonly string[]
}

/**
 * A transport with a tape. Playing answers each request with the exchange that was recorded for an equal one, in the order
 * they were recorded; a request that is not on the tape fails with `misuse` and says what differs from the nearest.
 */
export function cassette(file: string, options: CassetteOptions = {}): Transport {
  const { mode = 'auto', secrets = [] } = options
  let chosen: Transport | undefined
  return (request) => {
    const plays = mode === 'replay' || (mode === 'auto' && existsSync(file))
    chosen ??= plays ? player(file, secrets) : recorder(file, options.transport ?? platformTransport, secrets)
    return chosen(request)
  }
}

function recorder(file: string, transport: Transport, given: readonly string[]): Transport {
  const secrets = new Set(given)
  startTape(file)
  return async (request) => {
    for (const secret of secretsIn(request.headers)) secrets.add(secret)
    const response = await transport(request)
    const asked = tapedRequest(request, [...secrets])
    const write = (body: Uint8Array, isWhole: boolean): void => {
      const { status, headers } = response
      appendExchange(file, { request: asked, response: { status, headers, body, isWhole } }, [...secrets])
    }
    return { ...response, body: recorded(response, write) }
  }
}

/** The body as it comes; written down when it was read to its end, left, or failed. */
async function* recorded(
  response: TransportResponse,
  write: (body: Uint8Array, isWhole: boolean) => void,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = []
  let isWhole = false
  try {
    for await (const piece of response.body) {
      pieces.push(piece)
      yield piece
    }
    isWhole = true
  } finally {
    write(bodyBytes(pieces), isWhole)
  }
}

function player(file: string, given: readonly string[]): Transport {
  const tape = readTape(file)
  const secrets = new Set(given)
  /** Exchanges that wait to be played, by the request they answer. */
  const waiting = new Map<string, TapedExchange[]>()
  for (const exchange of tape) {
    const key = keyOf(exchange.request)
    waiting.set(key, [...(waiting.get(key) ?? []), exchange])
  }
  return async (request: TransportRequest): Promise<TransportResponse> => {
    request.signal.throwIfAborted()
    for (const secret of secretsIn(request.headers)) secrets.add(secret)
    const asked = tapedRequest(request, [...secrets])
    const exchanges = waiting.get(keyOf(asked))
    const exchange = exchanges?.shift()
    if (exchange === undefined) throw notOnTape(file, tape, asked, exchanges !== undefined)
    const { status, headers } = exchange.response
    return { status, headers, body: played(exchange, file, request.signal) }
  }
}

async function* played({ response }: TapedExchange, file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  if (response.body.length > 0) yield response.body
  if (!response.isWhole) {
    throw new ToolwireError('network', `the recording of this answer on ${file} ends here; it was left or broken off`)
  }
}

/** Requests are equal when method, path and the value of the body are; the order of keys says nothing. */
function keyOf({ method, path, body }: TapedRequest): string {
  return canonicalJson([method, path, bodyValue(body)])
}

function notOnTape(
  file: string,
  tape: readonly TapedExchange[],
  asked: TapedRequest,
  isUsedUp: boolean,
): ToolwireError {
  const what = `${asked.method} ${asked.path.split('?', 1)[0]}`
  if (isUsedUp) {
    const message = `the tape ${file} has no more answers to this request (${what}); it was asked more often than recorded`
    return new ToolwireError('misuse', message)
  }
  const nearest = nearestDifference(
    tape.map((exchange) => exchange.request),
    asked,
  )
  const message = `the request ${what} is not on the tape ${file}; ${nearest}. Record the tape again with mode "record"`
  return new ToolwireError('misuse', message)
}
