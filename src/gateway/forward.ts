// A call that stays on its wire: the bytes go on as they came, and come back as they are. Limits, keys and the log still hold.
// The trap: nothing of the client's credentials and nothing that names its connection may go on.
import type { CompletionEvent } from '../conversation/events.js'
import { ToolwireError } from '../errors/error.js'
import { type Body, bodyBytes } from '../frames/body.js'
import { digest } from '../json/digest.js'
import { type Replacement, replaceSpans } from '../json/members.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import { redact } from '../json/redact.js'
import { withoutSecrets } from '../model/secrets.js'
import { answered, type Endpoint, refusalBehind, textAnswer } from '../model/sending.js'
import type { TransportResponse } from '../transport/transport.js'
import type { Env, Exchange, HttpRequest, StreamDecoder } from '../wire/codec.js'
import { readPath, renamedPath } from '../wire/gemini/paths.js'
import { filledRequest } from '../wire/remembered-tools.js'
import type { NamedBody } from './asked.js'
import type { Leg, Progress, Written } from './call.js'
import { failureOf } from './failure.js'
import { idsIn } from './owners.js'
import { forwardedQuery, memberOf } from './request-rules.js'
import { charactersIn, estimateInput } from './token-estimate.js'
import { usageChunkFilter, usageRequest } from './usage-chunk.js'
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

/** The headers for the client. A provider may repeat a key in any of them. */
function keptHeaders(
  { headers }: Pick<TransportResponse, 'headers'>,
  { secrets }: Pick<Endpoint, 'secrets'>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name in headers) {
    if (passedBack.has(name) || name.startsWith('x-ratelimit-')) kept[name] = redact(headers[name] ?? '', secrets)
  }
  return kept
}

/** Whether the gateway asks for the usage of a stream although its client did not. */
function asksForUsage({ wire, stream, client }: Exchange): boolean {
  return wire === 'openai-chat' && stream && client?.includeUsage !== true
}

/** `body` is that of the request, looked through before. */
export async function forwarded(call: Leg, endpoint: Endpoint, body: NamedBody): Promise<Written> {
  const { progress, exchange, isMetered, http } = call
  let answer: TransportResponse
  try {
    if (isMetered) progress.inputEstimate = estimateInput(http.body as string)
    answer = await passedOnTo(endpoint, call, body, asksForUsage(exchange) ? [usageRequest(body)] : [])
  } catch (error) {
    return refusalOf(error, endpoint, progress)
  }
  const { status, headers } = answer
  const kept = keptHeaders(answer, endpoint)
  if (!exchange.stream) return { status, headers: kept, body: await readWhole(call, endpoint, answer) }
  const length = headers['content-length']
  const isAsItCame = headers['content-encoding'] === undefined && !asksForUsage(exchange)
  if (length !== undefined && isAsItCame) kept['content-length'] = length
  return { status, headers: kept, body: watched(call, endpoint, answer.body) }
}

/** What the provider said of a request that it refused; thrown on where it said nothing in the form of its wire. */
export function refusalOf(failure: unknown, endpoint: Endpoint, progress: Progress): Written {
  const { secrets } = endpoint
  const refusal = refusalBehind(failure)
  const body = redact(refusal?.body ?? '', secrets)
  if (refusal === undefined || !isObject(body)) throw failure
  const { code, message } = failureOf(failure)
  progress.error = code
  progress.message = message
  return { status: refusal.status, headers: keptHeaders(refusal, endpoint), body }
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
    throw withoutSecrets(failureOf(error, call.signal), endpoint.secrets)
  }
  call.progress.unread = outcomeReader(call, endpoint, answer, pieces)
  const body = bodyBytes(pieces)
  call.progress.outputCharacters = body.length
  return body
}

/** What waits to be read holds the answer, and must not hold the request: that is most of what a call needs. */
function outcomeReader(
  { codec: { response }, env: { profile }, exchange, progress, owner, owners }: Leg,
  endpoint: Endpoint,
  { status, headers }: TransportResponse,
  pieces: readonly Uint8Array[],
): () => void {
  const { outcome = response.decode } = response
  const env: Env = { profile, createdSeconds: 0, deltas: false }
  return () => {
    const answer = textAnswer({ status, headers }, pieces)
    tell(progress, outcome(answer, exchange, env), endpoint)
    owners?.remember(owner, idsIn(answer.body))
  }
}

/** A call as far as its request is forwarded. */
export interface ForwardedCall extends Pick<Leg, 'http' | 'requestId' | 'owner' | 'signal' | 'progress'> {
  readonly exchange: Pick<Exchange, 'model'>
}

/** The answer of the endpoint to the client's own request, with the replacements made in its body. */
export function passedOnTo(
  endpoint: Endpoint,
  call: ForwardedCall,
  body: NamedBody,
  replacements: readonly Replacement[] = [],
): Promise<TransportResponse> {
  if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
  return answered(endpoint, outgoing(call, endpoint, body, replacements), call.signal)
}

/** The client's request for the model of the target: the name stands in the body, on Gemini in the path. */
function outgoing(
  { http, requestId, owner, progress, exchange: { model: asked } }: ForwardedCall,
  { model, codec: { wire } }: Endpoint,
  body: NamedBody,
  replacements: readonly Replacement[],
): HttpRequest {
  const headers: Record<string, string> = {}
  for (const name of passedOn) {
    const value = http.headers[name]
    if (value !== undefined) headers[name] = value
  }
  headers['idempotency-key'] = `toolwire-${onceFor(owner, headers['idempotency-key']) ?? requestId}`
  const all = asked === model || wire === 'gemini' ? replacements : [...replacements, renaming(body, model)]
  const mark = http.path.indexOf('?')
  const route = mark < 0 ? http.path : http.path.slice(0, mark)
  const { query, dropped } = forwardedQuery(wire, http.path.slice(route.length))
  if (dropped.length > 0) progress.losses = dropped.map((name) => `query_dropped ${name}`)
  return {
    method: http.method,
    path: (wire === 'gemini' ? renamedPath(route, model) : route) + query,
    headers,
    body: all.length === 0 ? http.body : replaceMembers(body, all),
  }
}

/** Clients share the provider's key: one that says what another said must not get the other's answer. */
function onceFor(owner: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : digest(JSON.stringify([owner, key]))
}

function replaceMembers({ sparse: { text, tools } }: NamedBody, replacements: readonly Replacement[]): Body {
  return filledRequest({ text: replaceSpans(text, replacements), tools })
}

function renaming({ object: { members, start } }: NamedBody, model: string): Replacement {
  const named = memberOf(members, 'model')
  const text = JSON.stringify(model)
  return named === undefined ? { start, end: start, text: `"model":${text},` } : { ...named, text }
}

/** The bytes of a stream, and what those that came tell when it is over. One that broke off must not look whole. */
async function* watched(
  { exchange, env, http, progress, isMetered, owner, owners }: Leg,
  endpoint: Endpoint,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { wire } = exchange
  const decoder = (): StreamDecoder => endpoint.codec.stream.decode(exchange, env)
  const witness = streamWitness(wire, wire === 'gemini' && readPath(http.path).alt === 'json', decoder)
  const counter = isMetered ? decoder() : undefined
  const filter = asksForUsage(exchange) ? usageChunkFilter() : undefined
  let unseen: Uint8Array | undefined
  const see = (piece: Uint8Array): void => {
    unseen = undefined
    witness.push(piece)
    for (const line of owners === undefined ? [] : witness.newLines()) owners?.remember(owner, idsIn(line))
    for (const event of counter?.push(piece) ?? []) progress.outputCharacters += charactersIn(event)
  }
  const read = (): void => {
    if (unseen !== undefined) see(unseen)
    tell(progress, witness.events(), endpoint)
  }
  progress.unread = read // where it is left
  for await (const piece of body) {
    unseen = piece
    if (owners !== undefined) see(piece) // the client may come back as soon as it has the piece
    const shown = filter === undefined ? piece : filter.push(piece)
    if (shown.length > 0) yield shown // before it is looked at: somebody waits for the first one
    if (owners === undefined) see(piece)
  }
  const rest = filter?.end()
  if (rest !== undefined && rest.length > 0) yield rest
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
