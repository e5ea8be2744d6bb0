// One model call on the provider server: decode, check, ask the script, answer whole or as a stream.
import type { CompletionEvent } from '../conversation/events.js'
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import type { Codec, DecodedRequest, Env, Exchange } from '../wire/codec.js'
import { codecs, profileOf } from '../wire/index.js'
import { tokensOf } from '../wire/listings.js'
import { withDefects } from './chat-defects.js'
import { type Misbehaviour, misbehaviourOf, replacesAnswer } from './misbehaviour.js'
import { refusalOf } from './provider-checks.js'
import type { Reply } from './provider-reply.js'
import { answerOf, eventsOf } from './provider-script.js'
import type { ProviderRequest, ServerState } from './provider-state.js'
import type { ExpandedRequest } from './stored-responses.js'

const defaultScript = (): string => 'ok'

/** What belongs to one call. */
interface Call {
  readonly codec: Codec
  readonly env: Env
  readonly exchange: Exchange
  readonly misbehaviour: Misbehaviour
  /** Remembers the items of a finished answer, where the wire lets clients refer to them. */
  readonly keep: (responseId: string, items: readonly JsonObject[]) => void
}

/** The answer to a model call. Whatever goes wrong is an error answer in the form of the wire. */
export async function completionReply(state: ServerState, wire: Wire, raw: ProviderRequest['raw']): Promise<Reply> {
  const codec = codecs[wire]
  const env: Env = { profile: profileOf(codec), createdSeconds: Math.floor(Date.now() / 1000), deltas: true }
  let exchange: Exchange = { wire, model: '', stream: false }
  try {
    const expanded = expand(state, wire, raw)
    const decoded = codec.request.decode(expanded.raw, env)
    exchange = decoded.exchange
    const { refusal, misbehaviour } = received(state, decoded, raw, expanded)
    const call: Call = { codec, env, exchange, misbehaviour, keep: keeper(state, wire, expanded.raw) }
    if (replacesAnswer(misbehaviour)) return replacedReply(call)
    if (refusal !== undefined) return errorReply(call, new ToolwireError('invalid_request', refusal))
    return await scriptedReply(state, call, decoded.request, expanded.raw)
  } catch (error) {
    return errorReply({ codec, env, exchange, misbehaviour: {}, keep: () => {} }, error)
  }
}

/** The request with the conversation that the server holds for it. */
function expand({ threads, stored }: ServerState, wire: Wire, raw: ProviderRequest['raw']): ExpandedRequest {
  if (wire === 'anthropic') return { raw: threads.open(raw) }
  return wire === 'openai-responses' ? stored.expand(raw) : { raw }
}

function keeper({ stored }: ServerState, wire: Wire, raw: ProviderRequest['raw']): Call['keep'] {
  return (responseId, items) => {
    if (wire === 'openai-responses') stored.keep(raw, responseId, items)
  }
}

/** Keeps the call, and says what is wrong with it and what is to go wrong with its answer. `expanded` has its whole history. */
function received(
  { options, requests, signer, stored }: ServerState,
  decoded: DecodedRequest,
  raw: ProviderRequest['raw'],
  expanded: ExpandedRequest,
): { readonly refusal: string | undefined; readonly misbehaviour: Misbehaviour } {
  const { wire, stream } = decoded.exchange
  const check = (): string | undefined =>
    expanded.fault ?? refusalOf(decoded, expanded.raw, signer, (id) => stored.hasItem(id))
  const refusal = options.strict === true ? check() : undefined
  const told = refusal === undefined ? {} : { refusal }
  const asked: ProviderRequest = { wire, request: decoded.request, stream, raw, ...told }
  const index = requests.push(asked) - 1
  return { refusal, misbehaviour: misbehaviourOf(options.misbehave, asked, index) }
}

async function scriptedReply(
  state: ServerState,
  call: Call,
  request: CompletionRequest,
  opened: ProviderRequest['raw'],
): Promise<Reply> {
  const { script = defaultScript } = state.options
  state.turns += 1
  const { response: given, turn } = await answerOf(script, request, state.turns - 1)
  const { error, cutAfter, delayMs = 0, hang = false } = turn
  const waitMs = hang ? Number.POSITIVE_INFINITY : delayMs
  const misbehaviour = { ...call.misbehaviour, delayMs: (call.misbehaviour.delayMs ?? 0) + waitMs }
  const slow: Call = { ...call, misbehaviour }
  const { codec, env, exchange } = call
  const isFailing = Object.hasOwn(turn, 'error')
  if (isFailing && (cutAfter === undefined || !exchange.stream)) return errorReply(slow, error)
  const response = state.signer.sign(withUsage(given, opened.body), exchange)
  if (exchange.wire === 'anthropic') {
    state.threads.hold(opened, codec.response.encode(response, exchange, env).http.body)
  }
  if (!exchange.stream) {
    const { http, items = [] } = codec.response.encode(response, exchange, env)
    call.keep(response.id, items)
    // A whole answer has no events to break off after: it breaks off in its middle.
    const cut = cutAfter === undefined ? {} : { cutAtByte: Math.floor(http.body.length / 2) }
    return {
      status: http.status,
      headers: http.headers,
      frames: [http.body],
      misbehaviour: { ...misbehaviour, ...cut },
    }
  }
  const events = eventsOf(response).slice(0, cutAfter)
  return streamReply(slow, isFailing ? [...events, { type: 'error', error: errorOf(error) }] : events)
}

function streamReply(call: Call, events: readonly CompletionEvent[]): Reply {
  const { codec, env, exchange, misbehaviour } = call
  const encoder = codec.stream.encode(exchange, env)
  const { errorAfterEvents, error = new ToolwireError('overloaded', 'the model is overloaded') } = misbehaviour
  function* frames(): Generator<string> {
    let count = 0
    for (const text of pushed()) {
      for (const frame of framesOf(text, encoder.headers['content-type'] ?? '')) {
        if (count === errorAfterEvents) {
          yield encoder.push({ type: 'error', error })
          return
        }
        yield frame
        count += 1
      }
    }
  }
  function* pushed(): Generator<string> {
    for (const event of events) yield encoder.push(event)
    yield encoder.end()
    const [start] = events
    if (start?.type === 'start') call.keep(start.id, encoder.items ?? [])
  }
  const written = exchange.wire === 'openai-chat' ? withDefects(frames(), misbehaviour.chat ?? []) : frames()
  return { status: 200, headers: encoder.headers, frames: written, misbehaviour }
}

/** What one push gave, cut into events of the wire. */
function framesOf(text: string, contentType: string): readonly string[] {
  if (text === '') return []
  if (contentType.startsWith('text/event-stream')) return text.split(/(?<=\n\n|\r\n\r\n)/)
  return contentType.startsWith('application/x-ndjson') ? text.split(/(?<=\n)/) : [text]
}

function errorReply({ codec, exchange, misbehaviour }: Call, error: unknown): Reply {
  const { status, headers, body } = codec.error.encode(errorOf(error), exchange)
  return { status, headers, frames: [body], misbehaviour }
}

function errorOf(error: unknown): ToolwireError {
  if (ToolwireError.is(error)) return error
  return new ToolwireError('server_error', error instanceof Error ? error.message : 'the script failed')
}

/** An answer that the script has no part in. */
function replacedReply(call: Call): Reply {
  const { status = 200, headers = {}, body } = call.misbehaviour
  const own = status >= 400 && body === undefined ? wireError(call, status) : { headers: {}, body: body ?? '' }
  return { status, headers: { ...own.headers, ...headers }, frames: [own.body], misbehaviour: call.misbehaviour }
}

/** An error in the wire's form for a status; what HTTP means by the status decides its kind. */
function wireError(
  { codec, exchange }: Call,
  status: number,
): { headers: Readonly<Record<string, string>>; body: string } {
  const { code } = codec.error.decode({ status, headers: {}, body: '' })
  const { headers, body } = codec.error.encode(
    new ToolwireError(code, `the server answers ${status} as it was told to`),
    exchange,
  )
  return { headers, body }
}

/** Real providers always count. */
function withUsage(response: CompletionResponse, body: string): CompletionResponse {
  if (response.usage !== undefined) return response
  const input = tokensOf(body)
  const output = tokensOf(JSON.stringify(response.message.content))
  return { ...response, usage: { input, output, total: input + output } }
}
