// The one path of a call: request → codec → transport → codec → events. `complete` folds what `stream` tells.
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { defaultLimits } from '../frames/limits.js'
import { type Deadlines, withDeadlines } from '../transport/deadlines.js'
import { type RetryBudget, type RetryPolicy, retryWaitMs } from '../transport/retry.js'
import type { Transport, TransportResponse } from '../transport/transport.js'
import type { Codec, EncodedRequest, Env, HttpResponse } from '../wire/codec.js'
import { type Awaitable, awaitable, drained, leavable, type Source } from './awaitable.js'
import { checkCapabilities } from './capabilities.js'
import type { CallOptions, Capabilities, Model, ModelRequest } from './model.js'
import { withoutSecrets } from './secrets.js'
import { pause } from './wait.js'

/** What tells of a call that is about to be sent again. */
export interface Retry {
  readonly attempt: number
  readonly waitMs: number
  readonly error: ToolwireError
}
export interface Endpoint {
  readonly name: string
  readonly model: string
  readonly codec: Codec
  readonly env: Env
  readonly baseUrl: string
  /** Credentials and the caller's own headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  /** Why nothing can be sent: the provider needs a key and there is none. */
  readonly missingKey?: string | undefined
  readonly transport: Transport
  readonly deadlines: Deadlines
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly onRetry?: ((retry: Retry) => void) | undefined
  readonly capabilities: Capabilities
}

export function httpModel(endpoint: Endpoint): Model {
  const call = (
    request: ModelRequest,
    options: CallOptions,
    stream: boolean,
  ): Source<CompletionEvent, CompletionResponse> =>
    leavable(options.signal, (signal) => callEvents(endpoint, request, { ...options, signal }, stream))
  return {
    name: endpoint.name,
    id: endpoint.model,
    capabilities: endpoint.capabilities,
    complete: async (request, options = {}) => drained(call(request, options, false).events),
    stream: (request, options = {}): Awaitable<CompletionEvent, CompletionResponse> =>
      awaitable(() => call(request, options, true)),
  }
}

async function* callEvents(
  endpoint: Endpoint,
  given: ModelRequest,
  options: CallOptions & { readonly signal: AbortSignal },
  stream: boolean,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  const folder = createFolder()
  try {
    const request: CompletionRequest = { ...given, model: given.model ?? endpoint.model }
    checkCapabilities(request, endpoint.capabilities, endpoint.name)
    if (endpoint.missingKey !== undefined) throw new ToolwireError('authentication', endpoint.missingKey)
    const env: Env = { ...endpoint.env, deltas: options.deltas ?? false }
    const encoded = endpoint.codec.request.encode(request, { stream }, env)
    for (const loss of encoded.losses) {
      const event: CompletionEvent = { type: 'loss', loss }
      folder.push(event)
      yield event
    }
    const answer = await answered(endpoint, encoded, options.signal)
    for await (const events of decoded(endpoint, encoded, env, answer, stream)) {
      for (const event of events) {
        if (event.type === 'error') throw event.error
        folder.push(event)
        yield event
      }
    }
    return folder.done().response
  } catch (error) {
    const failure = failureOf(error, options.signal)
    const { response } = folder.done()
    const arrived = response.message.content.length > 0
    throw withoutSecrets(arrived ? withPartial(failure, response) : failure, endpoint.secrets)
  }
}

/** Sends the request, again where that may help, until an answer that is no error stands. */
async function answered(endpoint: Endpoint, encoded: EncodedRequest, signal: AbortSignal): Promise<TransportResponse> {
  const { budget, retry, onRetry } = endpoint
  budget.called()
  const send = withDeadlines(endpoint.transport, endpoint.deadlines)
  const key = `toolwire-${crypto.randomUUID()}`
  const headers = { ...encoded.http.headers, 'idempotency-key': key, ...endpoint.headers }
  const { method, path, body } = encoded.http
  for (let attempt = 0; ; attempt += 1) {
    let error: ToolwireError
    try {
      const answer = await send({ method, url: addressOf(endpoint.baseUrl, path), headers, body, signal })
      if (answer.status >= 200 && answer.status < 300) return answer
      const told = await whole(answer)
      error = isRedirect(told) ? redirected(told.status) : endpoint.codec.error.decode(told)
    } catch (caught) {
      error = failureOf(caught, signal)
    }
    const waitMs = retryWaitMs(error, attempt, retry, Math.random())
    if (waitMs === undefined || !budget.spend()) throw error
    onRetry?.({ attempt: attempt + 1, waitMs, error: withoutSecrets(error, endpoint.secrets) })
    await pause(waitMs, signal)
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

async function whole(answer: TransportResponse): Promise<HttpResponse> {
  const decoder = new TextDecoder()
  let body = ''
  for await (const piece of answer.body) body += decoder.decode(piece, { stream: true })
  return { status: answer.status, headers: answer.headers, body: body + decoder.decode() }
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400
}

/** A redirect is never followed: the key would go to whoever the answer names. */
function redirected(status: number): ToolwireError {
  const message = `the server answered with a redirect (status ${status}), which is never followed; check baseUrl`
  return new ToolwireError('server_error', message, { status, retryable: false })
}

/** The address of a path: a version that the base address ends with is not said twice. */
function addressOf(baseUrl: string, path: string): string {
  const version = /^\/v\d[a-z0-9]*(?=\/)/.exec(path)?.[0]
  return version !== undefined && baseUrl.endsWith(version) ? baseUrl + path.slice(version.length) : baseUrl + path
}

/** Any failure as a coded error; an abort by the caller is `aborted`, whatever its reason is. */
function failureOf(error: unknown, signal: AbortSignal): ToolwireError {
  if (ToolwireError.is(error)) return error
  if (signal.aborted) return new ToolwireError('aborted', 'the call was aborted', { cause: error })
  return new ToolwireError('network', 'the call failed for an unknown reason', { cause: error })
}
