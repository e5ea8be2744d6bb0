// A call that stays on its wire: the bytes go on as they came, and come back as they are. Limits, keys and the log still hold.
// The trap: nothing of the client's credentials and nothing that names its connection may go on.
import type { CompletionEvent } from '../conversation/events.js'
import { ToolwireError } from '../errors/error.js'
import { type Body, bodyBytes } from '../frames/body.js'
import { digest } from '../json/digest.js'
import { withValue } from '../json/members.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { redact } from '../json/redact.js'
import { withoutSecrets } from '../model/secrets.js'
import { answered, type Endpoint, refusalBehind, textAnswer } from '../model/sending.js'
import type { TransportResponse } from '../transport/transport.js'
import type { Env, HttpRequest, StreamDecoder } from '../wire/codec.js'
import { readPath, renamedPath } from '../wire/gemini/paths.js'
import { filledRequest } from '../wire/remembered-tools.js'
import { type NamedBody, namedBody } from './asked.js'
import type { Leg, Progress, Written } from './call.js'
import { failureOf } from './failure.js'
import { streamWitness } from './witness.js'

/** Headers that say what is asked, not who asks. */
const passedOn = ['accept', 'anthropic-beta', 'anthropic-version', 'content-type', 'idempotency-key', 'openai-beta']
/** Headers of the answer that belong to the answer, not to the connection. */
const passedBack = new Set([
  'content-type',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
])

function keptHeaders({ headers }: Pick<TransportResponse, 'headers'>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name in headers) {
    if (passedBack.has(name) || name.startsWith('x-ratelimit-')) kept[name] = headers[name] ?? ''
  }
  return kept
}

/** `body` is that of the request, if it was looked through before. */
export async function forwarded(call: Leg, endpoint: Endpoint, body?: NamedBody): Promise<Written> {
  const { progress, exchange } = call
  let answer: TransportResponse
  try {
    answer = await passedOnTo(endpoint, call, exchange.model, body)
  } catch (error) {
    return refusalOf(error, endpoint, progress)
  }
  const { status, headers } = answer
  const kept = keptHeaders(answer)
  if (!exchange.stream) return { status, headers: kept, body: await readWhole(call, endpoint, answer) }
  const length = headers['content-length']
  if (length !== undefined && headers['content-encoding'] === undefined) kept['content-length'] = length
  return { status, headers: kept, body: watched(call, endpoint, answer.body) }
}

/** What the provider said of a request that it refused; thrown on where it said nothing in the form of its wire. */
export function refusalOf(failure: unknown, { secrets }: Endpoint, progress: Progress): Written {
  const refusal = refusalBehind(failure)
  const body = redact(refusal?.body ?? '', secrets)
  if (refusal === undefined || !isObject(body)) throw failure
  const { code, message } = failureOf(failure)
  progress.error = code
  progress.message = message
  return { status: refusal.status, headers: keptHeaders(refusal), body }
}

function isObject(text: string): boolean {
  try {
    return isJsonObject(parseBody(text))
  } catch {
    return false
  }
}

/** The bytes of an answer that is no stream; what broke off is a failure like any other. */
async function readWhole(call: Leg, endpoint: Endpoint, answer: TransportResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of answer.body) pieces.push(piece)
  } catch (error) {
    throw withoutSecrets(failureOf(error), endpoint.secrets)
  }
  call.progress.unread = outcomeReader(call, endpoint, answer, pieces)
  return bodyBytes(pieces)
}

/** What waits to be read holds the answer, and must not hold the request: that is most of what a call needs. */
function outcomeReader(
  { codec: { response }, env: { profile }, exchange, progress }: Leg,
  endpoint: Endpoint,
  { status, headers }: TransportResponse,
  pieces: readonly Uint8Array[],
): () => void {
  const { outcome = response.decode } = response
  const env: Env = { profile, createdSeconds: 0, deltas: false }
  return () => tell(progress, outcome(textAnswer({ status, headers }, pieces), exchange, env), endpoint)
}

/** The answer of the endpoint to the client's own request. */
export function passedOnTo(
  endpoint: Endpoint,
  call: Pick<Leg, 'http' | 'requestId' | 'owner' | 'signal'>,
  asked: string,
  body?: NamedBody,
): Promise<TransportResponse> {
  if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
  return answered(endpoint, outgoing(call, asked, endpoint, body), call.signal)
}

/** The client's request for the model of the target: the name stands in the body, on Gemini in the path. */
function outgoing(
  { http, requestId, owner }: Pick<Leg, 'http' | 'requestId' | 'owner'>,
  asked: string,
  { model, codec: { wire } }: Endpoint,
  known?: NamedBody,
): HttpRequest {
  const headers: Record<string, string> = {}
  for (const name of passedOn) {
    const value = http.headers[name]
    if (value !== undefined) headers[name] = value
  }
  headers['idempotency-key'] = `toolwire-${onceFor(owner, headers['idempotency-key']) ?? requestId}`
  const body = asked === model || wire === 'gemini' ? http.body : named(known ?? namedBody(http.body as string), model)
  const path = withoutKey(http.path)
  return { method: http.method, path: wire === 'gemini' ? renamedPath(path, model) : path, headers, body }
}

/** Clients share the provider's key: one that says what another said must not get the other's answer. */
function onceFor(owner: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : digest(JSON.stringify([owner, key]))
}

function named({ sparse: { text, tools }, model: places }: NamedBody, model: string): Body {
  return filledRequest({ text: withValue(text, places, JSON.stringify(model)), tools })
}

/** Gemini's clients send their key in the query, however they spell its name. */
function withoutKey(path: string): string {
  const mark = path.indexOf('?')
  if (mark < 0) return path
  const pairs = path.slice(mark + 1).split('&')
  const kept = pairs.filter((pair) => pair !== '' && !namesKey(pair))
  return kept.length === 0 ? path.slice(0, mark) : `${path.slice(0, mark)}?${kept.join('&')}`
}

function namesKey(pair: string): boolean {
  return [...new URLSearchParams(pair).keys()].some((name) => name.toLowerCase() === 'key')
}

/** The bytes of a stream, and what those that came tell when it is over. One that broke off must not look whole. */
async function* watched(
  { exchange, env, http, progress }: Leg,
  endpoint: Endpoint,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { wire } = exchange
  const decoder = (): StreamDecoder => endpoint.codec.stream.decode(exchange, env)
  const witness = streamWitness(wire, wire === 'gemini' && readPath(http.path).alt === 'json', decoder)
  let unseen: Uint8Array | undefined
  const read = (): void => {
    if (unseen !== undefined) witness.push(unseen)
    tell(progress, witness.events(), endpoint)
  }
  progress.unread = read // where it is left
  for await (const piece of body) {
    unseen = piece
    yield piece // before it is looked at: somebody waits for the first one
    unseen = undefined
    witness.push(piece)
  }
  const isWhole = witness.end()
  read() // put off, it would hold what it reads
  progress.unread = undefined
  if (!isWhole) throw new ToolwireError('truncated', 'the answer of the provider broke off')
}

function tell(progress: Progress, events: readonly CompletionEvent[], { secrets }: Endpoint): void {
  for (const event of events) {
    if (event.type === 'usage') progress.usage = event.usage
    if (event.type === 'finish') progress.finishReason = event.reason
    if (event.type === 'error' && progress.error === undefined) {
      progress.error = event.error.code
      progress.message = withoutSecrets(event.error, secrets).message
    }
  }
}
