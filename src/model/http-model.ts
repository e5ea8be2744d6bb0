// The one path of a call: request → codec → transport → codec → events. `complete` folds what `stream` tells.
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import { freeze } from '../conversation/freeze.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { defaultLimits } from '../frames/limits.js'
import { neverAborted, type TransportResponse } from '../transport/transport.js'
import type { EncodedRequest, Env, StreamDecoder } from '../wire/codec.js'
import { awaitable, drained, leavable, oneByOne } from './awaitable.js'
import { type Batches, withBatches } from './batches.js'
import { checkCapabilities } from './capabilities.js'
import { type LearnedCapabilities, learnedCapabilities } from './learned-capabilities.js'
import type { CallOptions, Model, ModelRequest } from './model.js'
import { withoutSecrets } from './secrets.js'
import { answered, type Endpoint, failureOf, textAnswer } from './sending.js'
import { type Recovery, textCallRecovery } from './text-calls/recovery.js'

/** Where a call goes, and what was learned there. */
interface Place {
  readonly endpoint: Endpoint
  readonly learned: LearnedCapabilities
}

export function httpModel(endpoint: Endpoint): Model {
  const place: Place = { endpoint, learned: learnedCapabilities(endpoint) }
  return {
    name: endpoint.name,
    id: endpoint.model,
    get capabilities() {
      return place.learned.of(endpoint.model)
    },
    complete: async (request, options = {}) =>
      drained(callEvents(place, request, { ...options, signal: options.signal ?? neverAborted }, false)),
    stream(request, options = {}) {
      const open = (signal: AbortSignal): Batches => callEvents(place, request, { ...options, signal }, true)
      return withBatches(
        awaitable(() => leavable(options.signal, (signal) => oneByOne(open(signal)))),
        () => open(options.signal ?? neverAborted),
      )
    },
  }
}

/** The call as batches of events: what one piece of the answer says is told at once. */
async function* callEvents(
  { endpoint, learned }: Place,
  given: ModelRequest,
  options: CallOptions & { readonly signal: AbortSignal },
  stream: boolean,
): AsyncGenerator<readonly CompletionEvent[], CompletionResponse> {
  const folder = createFolder()
  let recovery: Recovery | undefined
  let failure: ToolwireError | undefined
  /** Takes note of events up to an error among them, and gives those to tell. */
  const take = (events: readonly CompletionEvent[]): readonly CompletionEvent[] => {
    for (const event of events) {
      if (event.type === 'error') {
        failure = event.error
        return events.slice(0, events.indexOf(event))
      }
      folder.push(event)
    }
    return events
  }
  const read = (events: readonly CompletionEvent[]): readonly CompletionEvent[] =>
    take(recovery === undefined ? events : events.flatMap(recovery.push))
  try {
    const { model = endpoint.model, ...asked } = given
    const request: CompletionRequest = { model, ...asked } // the model first: what is added behind a spread makes a new shape each time
    if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
    const known = learned.for(request, options.signal)
    checkCapabilities(request, known instanceof Promise ? await known : known, endpoint.name)
    const env: Env = { ...endpoint.env, deltas: options.deltas ?? false }
    const encoded = endpoint.codec.request.encode(request, { stream }, env)
    if (encoded.losses.length > 0) yield take(encoded.losses.map((loss) => ({ type: 'loss', loss })))
    const answer = await answered(endpoint, encoded.http, options.signal)
    if (endpoint.textCalls === 'recover') recovery = textCallRecovery(request, encoded.exchange)
    const decoder = decoderOf(endpoint, encoded, env, answer, stream)
    for await (const piece of answer.body) {
      const events = decoder.push(piece)
      if (events.length > 0) yield read(events)
      if (failure !== undefined) throw failure
    }
    const rest = read(decoder.end())
    if (stream) yield rest // of a whole answer only the outcome is waited for
    if (failure !== undefined) throw failure
    return freeze(folder.done().response)
  } catch (error) {
    const failed = failureOf(error, options.signal)
    take(recovery?.rest() ?? [])
    const { response } = folder.done()
    const arrived = response.message.content.length > 0
    throw withoutSecrets(arrived ? withPartial(failed, response) : failed, endpoint.secrets)
  }
}

/** What reads the answer: piece by piece, or whole when it has ended. */
function decoderOf(
  { codec, deadlines }: Endpoint,
  { exchange }: EncodedRequest,
  env: Env,
  answer: TransportResponse,
  stream: boolean,
): StreamDecoder {
  if (stream)
    return codec.stream.decode(
      exchange,
      Object.assign({}, env, { limits: { ...defaultLimits, totalBytes: deadlines.maxBodyBytes } }),
    )
  const pieces: Uint8Array[] = []
  return {
    push(piece) {
      pieces.push(piece)
      return []
    },
    end: () => codec.response.decode(textAnswer(answer, pieces), exchange, env),
  }
}
