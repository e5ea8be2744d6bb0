// A call that stays on its wire: the bytes go on as they came, and come back as they are. Limits, keys and the log still hold.
// The trap: nothing of the client's credentials and nothing that names its connection may go on.
import type { CompletionEvent } from '../conversation/events.js'
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { type Body, bodyBytes, utf8 } from '../frames/body.js'
import { defaultLimits } from '../frames/limits.js'
import { readText } from '../frames/text.js'
import { withValue } from '../json/members.js'
import { withoutSecrets } from '../model/secrets.js'
import { answered, type Endpoint, textAnswer } from '../model/sending.js'
import type { TransportResponse } from '../transport/transport.js'
import type { Env, HttpRequest } from '../wire/codec.js'
import { filledRequest } from '../wire/remembered-tools.js'
import { type NamedBody, namedBody } from './asked.js'
import type { Leg, Progress, Written } from './call.js'
import { failureOf } from './failure.js'

/** Headers that say what is asked, not who asks. */
const passedOn = ['accept', 'anthropic-beta', 'anthropic-version', 'content-type', 'idempotency-key', 'openai-beta']
/** Headers of the answer that belong to the answer, not to the connection. */
const passedBack = new Set(['content-type', 'request-id', 'x-request-id'])

/** `body` is that of the request, if it was looked through before. */
export async function forwarded(call: Leg, endpoint: Endpoint, body?: NamedBody): Promise<Written> {
  const answer = await passedOnTo(endpoint, call, call.exchange.model, body)
  const { status, headers } = answer
  const kept: Record<string, string> = {}
  for (const name in headers) {
    if (passedBack.has(name) || name.startsWith('x-ratelimit-')) kept[name] = headers[name] ?? ''
  }
  if (!call.exchange.stream) return { status, headers: kept, body: await readWhole(call, endpoint, answer) }
  const length = headers['content-length']
  if (length !== undefined && headers['content-encoding'] === undefined) kept['content-length'] = length
  return { status, headers: kept, body: watched(call, endpoint, answer.body) }
}

/** The bytes of an answer that is no stream; what broke off is a failure like any other. */
async function readWhole(call: Leg, endpoint: Endpoint, answer: TransportResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of answer.body) pieces.push(piece)
  } catch (error) {
    throw withoutSecrets(failureOf(error), endpoint.secrets)
  }
  call.progress.unread = outcomeReader(call, answer, pieces)
  return bodyBytes(pieces)
}

/** What waits to be read holds the answer, and must not hold the request: that is most of what a call needs. */
function outcomeReader(
  { codec: { response }, env: { profile }, exchange, progress }: Leg,
  { status, headers }: TransportResponse,
  pieces: readonly Uint8Array[],
): () => void {
  const { outcome = response.decode } = response
  const env: Env = { profile, createdSeconds: 0, deltas: false }
  return () => tell(progress, outcome(textAnswer({ status, headers }, pieces), exchange, env))
}

/** The answer of the endpoint to the client's own request. */
export function passedOnTo(
  endpoint: Endpoint,
  { http, requestId, signal }: Pick<Leg, 'http' | 'requestId' | 'signal'>,
  asked: string,
  body?: NamedBody,
): Promise<TransportResponse> {
  if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
  return answered(endpoint, outgoing(http, requestId, asked, endpoint.model, body), signal)
}

/** The client's request for the model of the target: the name stands in the body, on Gemini in the path. */
function outgoing(http: HttpRequest, requestId: string, asked: string, model: string, known?: NamedBody): HttpRequest {
  const headers: Record<string, string> = { 'idempotency-key': `toolwire-${requestId}` }
  for (const name of passedOn) {
    const value = http.headers[name]
    if (value !== undefined) headers[name] = value
  }
  const body = asked === model ? http.body : named(known ?? namedBody(http.body as string), model)
  return { method: http.method, path: pathFor(http.path, model), headers, body }
}

function named({ sparse: { text, tools }, model: places }: NamedBody, model: string): Body {
  return filledRequest({ text: withValue(text, places, JSON.stringify(model)), tools })
}

function pathFor(asked: string, model: string): string {
  const [place = '', query] = asked.includes('?') ? asked.split('?', 2) : [asked]
  const path = place.includes(':') ? place.replace(/(?<=\/models\/)[^:]*(?=:)/, () => encodeURIComponent(model)) : place
  if (query === undefined) return path
  const kept = query.split('&').filter((pair) => pair !== '' && !/^(?:key|%6bey)=/i.test(pair))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/** The bytes of a stream, and what they tell of usage when they are gone. One that broke off must not look whole. */
async function* watched(call: Leg, endpoint: Endpoint, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const witness = streamWitness(call.exchange.wire)
  for await (const piece of body) {
    yield piece // before it is looked at: somebody waits for the first one
    witness.push(piece)
  }
  const { text, ended } = witness.end()
  tell(call.progress, eventsIn(text, endpoint, call))
  if (!ended) throw new ToolwireError('truncated', 'the answer of the provider broke off')
}

interface Witness {
  push(piece: Uint8Array): void
  /** What is worth reading for usage, and whether the answer came to its end. */
  end(): { readonly text: string; readonly ended: boolean }
}

const usageMark = /"usage\w*":\s*\{|_eval_count"/
/** What one of the last lines of a stream holds. An error is an end, too. */
const endMarks: Readonly<Record<Wire, RegExp>> = {
  'openai-chat': /\[DONE\]|"finish_reason":\s*"|"error":\s*[{"]/,
  'openai-responses': /"response\.(?:completed|incomplete|failed|cancelled)"|"type":\s*"error"/,
  anthropic: /"message_stop"|"type":\s*"error"/,
  ollama: /"done":\s*true|"error":\s*[{"]/,
  gemini: /"finishReason":|"blockReason":|"error":\s*\{/,
}

/** What the line holds in which a call begins, on wires whose last lines do not tell of it: calls decide how an answer ended. */
const callMarks: Partial<Readonly<Record<Wire, RegExp>>> = {
  'openai-chat': /"tool_calls":\s*\[/,
  anthropic: /"type":\s*"tool_use"/,
  ollama: /"tool_calls":\s*\[/,
  gemini: /"functionCall":/,
}

/** The transport holds the cap. */
const uncapped = { ...defaultLimits, totalBytes: Number.POSITIVE_INFINITY }

/** So many of the telling lines are kept, half of them the first: Anthropic tells the input at the beginning. */
const maxLines = 8

/** Keeps the lines that speak of usage, of the first call or of the end; pieces without such a line are not taken apart. */
function streamWitness(wire: Wire): Witness {
  const reader = readText(uncapped)
  const endMark = endMarks[wire]
  const callMark = callMarks[wire]
  const told: string[] = []
  let call: string | undefined
  let tail = ''
  let ended = false
  const tellsOfCall = (text: string): boolean => call === undefined && callMark?.test(text) === true
  const see = (line: string): void => {
    const isEnd = endMark.test(line)
    const isCall = tellsOfCall(line)
    ended ||= isEnd
    if (!isEnd && !isCall && !usageMark.test(line)) return
    if (isCall) call = line
    if (told.length === maxLines) told.splice(told[maxLines / 2] === call ? maxLines / 2 + 1 : maxLines / 2, 1)
    told.push(line)
  }
  return {
    push(piece) {
      const text = tail + reader.push(piece)
      const past = text.lastIndexOf('\n') + 1
      const lines = text.slice(0, past)
      if (endMark.test(lines) || usageMark.test(lines) || tellsOfCall(lines)) lines.split('\n').forEach(see)
      tail = text.slice(past)
    },
    end() {
      see(tail + reader.end())
      return { text: told.map((line) => `${line}\n\n`).join(''), ended }
    },
  }
}

function tell(progress: Progress, events: readonly CompletionEvent[]): void {
  for (const event of events) {
    if (event.type === 'usage') progress.usage = event.usage
    if (event.type === 'finish') progress.finishReason = event.reason
  }
}

function eventsIn(text: string, { codec }: Endpoint, { exchange, env }: Leg): readonly CompletionEvent[] {
  if (text === '') return []
  const decoder = codec.stream.decode(exchange, env)
  return [...decoder.push(utf8(text)), ...decoder.end()]
}
