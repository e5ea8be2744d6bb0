// The one path of a call: request → codec → transport → codec → events. `complete` folds what `stream` tells.
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { defaultLimits } from '../frames/limits.js'
import type { TransportResponse } from '../transport/transport.js'
import type { EncodedRequest, Env } from '../wire/codec.js'
import { type Awaitable, awaitable, drained, leavable } from './awaitable.js'
import { checkCapabilities } from './capabilities.js'
import { type LearnedCapabilities, learnedCapabilities } from './learned-capabilities.js'
import type { CallOptions, Model, ModelRequest } from './model.js'
import { withoutSecrets } from './secrets.js'
import { answered, type Endpoint, failureOf, whole } from './sending.js'
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
    complete: async (request, options = {}) => {
      const signal = options.signal ?? new AbortController().signal // nobody can leave a call that is only awaited
      return drained(callEvents(place, request, { ...options, signal }, false))
    },
    stream: (request, options = {}): Awaitable<CompletionEvent, CompletionResponse> =>
      awaitable(() => leavable(options.signal, (signal) => callEvents(place, request, { ...options, signal }, true))),
  }
}

async function* callEvents(
  { endpoint, learned }: Place,
  given: ModelRequest,
  options: CallOptions & { readonly signal: AbortSignal },
  stream: boolean,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  const folder = createFolder()
  let recovery: Recovery | undefined
  try {
    const request: CompletionRequest = { ...given, model: given.model ?? endpoint.model }
    if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
    checkCapabilities(request, await learned.for(request, options.signal), endpoint.name)
    const env: Env = { ...endpoint.env, deltas: options.deltas ?? false }
    const encoded = endpoint.codec.request.encode(request, { stream }, env)
    for (const loss of encoded.losses) {
      const event: CompletionEvent = { type: 'loss', loss }
      folder.push(event)
      yield event
    }
    const answer = await answered(endpoint, encoded.http, options.signal)
    if (endpoint.textCalls === 'recover') recovery = textCallRecovery(request, encoded.exchange)
    for await (const events of decoded(endpoint, encoded, env, answer, stream)) {
      for (const event of recovery === undefined ? events : events.flatMap(recovery.push)) {
        if (event.type === 'error') throw event.error
        folder.push(event)
        yield event
      }
    }
    return folder.done().response
  } catch (error) {
    const failure = failureOf(error, options.signal)
    for (const event of recovery?.rest() ?? []) folder.push(event)
    const { response } = folder.done()
    const arrived = response.message.content.length > 0
    throw withoutSecrets(arrived ? withPartial(failure, response) : failure, endpoint.secrets)
  }
}

async function* decoded(
  endpoint: Endpoint,
  { exchange }: EncodedRequest,
  env: Env,
  answer: TransportResponse,
  stream: boolean,
): AsyncGenerator<readonly CompletionEvent[]> {
  if (!stream) {
    yield endpoint.codec.response.decode(await whole(answer), exchange, env)
    return
  }
  const machine = endpoint.codec.stream.decode(exchange, {
    ...env,
    limits: { ...defaultLimits, totalBytes: endpoint.deadlines.maxBodyBytes },
  })
  for await (const piece of answer.body) yield machine.push(piece)
  yield machine.end()
}
