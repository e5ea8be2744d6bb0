// The one path of a call: request → codec → transport → codec → events. `complete` folds what `stream` tells.
import { checkRequest } from '../conversation/check-request.js'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import { freeze } from '../conversation/freeze.js'
import type { CompletionRequest } from '../conversation/request.js'
import { checkRequestLimits, limitExceeded } from '../conversation/request-limits.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { defaultLimits } from '../frames/limits.js'
import { Told, takeFrom } from '../transport/told.js'
import { neverAborted } from '../transport/transport.js'
import type { Env, Exchange, HttpRequest, HttpResponse, StreamDecoder } from '../wire/codec.js'
import { awaitable, leavable, oneByOne } from './awaitable.js'
import { type Batches, withBatches } from './batches.js'
import { checkCapabilities } from './capabilities.js'
import { type LearnedCapabilities, learnedCapabilities } from './learned-capabilities.js'
import type { CallOptions, Capabilities, Model, ModelRequest } from './model.js'
import { withoutSecrets } from './secrets.js'
import { answered, type Endpoint, failureOf, toConnectionError, whole } from './sending.js'
import { type Recovery, textCallRecovery } from './text-calls/recovery.js'

/** Where a call goes, and what was learned there. */
interface Place {
  readonly endpoint: Endpoint
  readonly learned: LearnedCapabilities
  /** For calls whose arguments are told when they are whole, and for those that are told while they arrive. */
  readonly env: Env
  readonly deltasEnv: Env
}

export function httpModel(endpoint: Endpoint): Model {
  const { deadlines, requestLimits } = endpoint
  const exceeded = (count: number): ToolwireError => tooManyCalls(count, endpoint)
  const calls = { count: requestLimits.callsPerTurn, exceeded }
  const limits = { ...defaultLimits, totalBytes: deadlines.maxBodyBytes, calls }
  const env = { ...endpoint.env, limits, deltas: false }
  const place: Place = { endpoint, learned: learnedCapabilities(endpoint), env, deltasEnv: { ...env, deltas: true } }
  return {
    name: endpoint.name,
    id: endpoint.model,
    get capabilities() {
      return place.learned.of(endpoint.model)
    },
    complete: (request, options) => complete(place, request, options),
    stream(request, options = {}) {
      const open = (signal: AbortSignal): Batches => callBatches(new Call(place, request, options, signal))
      return withBatches(
        awaitable(() => leavable(options.signal, (signal) => oneByOne(open(signal)))),
        () => open(options.signal ?? neverAborted),
      )
    },
  }
}

/** A whole answer is read at once: its events are folded, and nobody is told of them. */
async function complete(place: Place, request: ModelRequest, options: CallOptions = {}): Promise<CompletionResponse> {
  const call = new Call(place, request, options, options.signal ?? neverAborted)
  try {
    const http = await call.encoded(false)
    const answer = await answered(call.endpoint, http, call.signal)
    call.readWhole(await whole(answer))
    return call.done()
  } catch (error) {
    throw call.failed(error)
  }
}

type Batch = IteratorResult<readonly CompletionEvent[], CompletionResponse>
const over: Batch = { done: true, value: undefined as never }

/**
 * The call as batches of events: what one piece of the answer says is told at once. By hand: a generator that waits holds what it read
 * last, which is most of the memory of many streams at once.
 */
function callBatches(call: Call): Batches {
  let step: 'begin' | 'read' | 'end' | 'over' = 'begin'
  let http: HttpRequest | undefined
  let pieces: AsyncIterator<Uint8Array> | undefined

  /** Up to the answer, and from its end on. What the request could not say is told before it is sent. */
  const proceed = async (): Promise<Batch> => {
    if (step === 'end') {
      step = 'over'
      return { done: true, value: call.done() }
    }
    if (http === undefined) {
      http = await call.encoded(true)
      if (call.losses.length > 0) return new Told(call.losses)
    }
    const { body } = await answered(call.endpoint, http, call.signal)
    http = undefined
    pieces = body[Symbol.asyncIterator]()
    if (step !== 'begin') return leave()
    step = 'read'
    return read()
  }

  const read = (): Promise<Batch> => {
    const { failure } = call
    if (failure !== undefined || pieces === undefined) return abandon(failure)
    return pieces.next().then(take, fail)
  }

  const take = (next: IteratorResult<Uint8Array>): Batch | Promise<Batch> => {
    if (step !== 'read') return over // the reader left meanwhile
    try {
      if (next.done === true) {
        step = 'end'
        return new Told(call.readEnd())
      }
      const events = call.read(takeFrom(next))
      if (events.length > 0) return new Told(events)
    } catch (error) {
      return abandon(error)
    }
    return read()
  }

  const fail = (error: unknown): never => {
    step = 'over'
    throw call.failed(error)
  }

  /** Fails, and leaves what is not read to its end. */
  const abandon = async (error: unknown): Promise<never> => {
    await leave().catch(() => {}) // why it broke is what is told
    return fail(error)
  }

  const leave = async (): Promise<Batch> => {
    const left = pieces
    step = 'over'
    pieces = undefined
    await left?.return?.()
    return over
  }

  return {
    next() {
      if (step === 'read') return read()
      return step === 'over' ? Promise.resolve(over) : proceed().catch(fail)
    },
    return: leave,
  }
}

/** One call on its way, step by step, and what was read of its answer so far. */
class Call {
  readonly endpoint: Endpoint
  readonly signal: AbortSignal
  readonly #learned: LearnedCapabilities
  readonly #given: ModelRequest
  readonly #env: Env
  readonly #folder = createFolder()
  #calls = 0
  /** What the request could not say. */
  losses: readonly CompletionEvent[] = []
  #exchange: Exchange | undefined
  #decoder: StreamDecoder | undefined
  #recovery: Recovery | undefined
  /** What the answer told as its failure. */
  failure: ToolwireError | undefined
  /** Turns what the current step throws into a ToolwireError, unless it is one already. */
  #blame: (message: string, cause: unknown) => ToolwireError = toRequestError

  constructor(place: Place, given: ModelRequest, { deltas = false }: CallOptions, signal: AbortSignal) {
    this.endpoint = place.endpoint
    this.signal = signal
    this.#learned = place.learned
    this.#given = given
    this.#env = deltas ? place.deltasEnv : place.env
  }

  /** What is sent, once it is known that the model can do it. */
  encoded(stream: boolean): HttpRequest | Promise<HttpRequest> {
    checkRequest(this.#given)
    const { missingKey, requestLimits, limitsOption = 'requestLimits' } = this.endpoint
    checkRequestLimits(this.#given, requestLimits, limitsOption)
    const { model = this.endpoint.model, ...asked } = this.#given
    const request: CompletionRequest = { model, ...asked } // the model first: what is added behind a spread makes a new shape each time
    if (missingKey !== undefined) throw new ToolwireError('authentication', missingKey)
    const known = this.#learned.for(request, this.signal)
    return known instanceof Promise
      ? known.then((capabilities) => this.#encode(request, capabilities, stream))
      : this.#encode(request, known, stream)
  }

  #encode(request: CompletionRequest, capabilities: Capabilities, stream: boolean): HttpRequest {
    const { codec, name, textCalls } = this.endpoint
    checkCapabilities(request, capabilities, name)
    const { http, losses, exchange } = codec.request.encode(request, { stream }, this.#env)
    this.#exchange = exchange
    if (losses.length > 0) this.losses = this.#take(losses.map((loss) => ({ type: 'loss', loss })))
    if (textCalls === 'recover') this.#recovery = textCallRecovery(request, exchange)
    if (stream) this.#decoder = codec.stream.decode(exchange, this.#env)
    this.#blame = toConnectionError
    return http
  }

  readWhole(answer: HttpResponse): void {
    const exchange = this.#exchange
    if (exchange !== undefined) this.#read(() => this.endpoint.codec.response.decode(answer, exchange, this.#env))
  }

  read(piece: Uint8Array): readonly CompletionEvent[] {
    return this.#read(() => this.#decoder?.push(piece) ?? [])
  }

  readEnd(): readonly CompletionEvent[] {
    return this.#read(() => this.#decoder?.end() ?? [])
  }

  /** Decodes what arrived. What throws in here is not the connection's fault. */
  #read(decode: () => readonly CompletionEvent[]): readonly CompletionEvent[] {
    this.#blame = toResponseError
    const events = decode()
    const read = this.#take(this.#recovery === undefined ? events : events.flatMap(this.#recovery.push))
    this.#blame = toConnectionError
    return read
  }

  /** Takes note of events up to an error among them, and gives those to tell. */
  #take(events: readonly CompletionEvent[]): readonly CompletionEvent[] {
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index] as CompletionEvent
      if (event.type === 'error') {
        this.failure = event.error
        return events.slice(0, index)
      }
      if (event.type === 'tool_call' || event.type === 'broken_call') {
        this.#calls += 1
        if (this.#calls > this.endpoint.requestLimits.callsPerTurn) {
          this.failure = tooManyCalls(this.#calls, this.endpoint)
          return events.slice(0, index)
        }
      }
      this.#folder.push(event)
    }
    return events
  }

  done(): CompletionResponse {
    if (this.failure !== undefined) throw this.failure
    return freeze(this.#folder.done().response)
  }

  /** The failure of the call, with what had arrived by then, and without the endpoint's secrets. */
  failed(error: unknown): ToolwireError {
    const failure = failureOf(error, this.signal, this.#blame)
    this.#take(this.#recovery?.rest() ?? [])
    const { response } = this.#folder.done()
    const arrived = response.message.content.length > 0
    return withoutSecrets(arrived ? withPartial(failure, response) : failure, this.endpoint.secrets)
  }
}

/** What an encoder threw: the request holds something that cannot be read, such as a getter that fails. */
function toRequestError(message: string, cause: unknown): ToolwireError {
  return new ToolwireError('invalid_request', `the request can't be encoded: ${message}`, { cause })
}

/** What a decoder threw. Sending the same request again would give the same error. */
function toResponseError(message: string, cause: unknown): ToolwireError {
  return new ToolwireError('malformed_response', `the response can't be read: ${message}`, { cause, retryable: false })
}

function tooManyCalls(count: number, { requestLimits, limitsOption = 'requestLimits' }: Endpoint): ToolwireError {
  return limitExceeded('callsPerTurn', 'the answer', count, requestLimits, limitsOption)
}
