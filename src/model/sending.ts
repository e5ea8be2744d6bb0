// One HTTP exchange with an endpoint: sent again where that may help, under its deadlines, an error answer as a coded error.
import type { RequestLimits } from '../conversation/request-limits.js'
import { ToolwireError } from '../errors/error.js'
import { bodyBytes } from '../frames/body.js'
import type { Deadlines } from '../transport/deadlines.js'
import { type RetryBudget, type RetryPolicy, retryWaitMs } from '../transport/retry.js'
import type { Transport, TransportResponse } from '../transport/transport.js'
import type { ClientCodec, Env, HttpRequest, HttpResponse } from '../wire/codec.js'
import type { Capabilities } from './model.js'
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
  readonly codec: ClientCodec
  readonly env: Env
  /** The address of a path there. */
  readonly addressOf: (path: string) => string
  /** Credentials and the caller's own headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  /** Why nothing can be sent: the provider needs a key and there is none. */
  readonly missingKey?: string | undefined
  /** Under the deadlines. */
  readonly transport: Transport
  readonly deadlines: Deadlines
  readonly retry: RetryPolicy
  readonly budget: RetryBudget
  readonly onRetry?: ((retry: Retry) => void) | undefined
  readonly textCalls?: 'recover' | undefined
  readonly capabilities: Capabilities
  readonly requestLimits: RequestLimits
  /** Where the limits are set, for the error. Default: `requestLimits`. */
  readonly limitsOption?: string | undefined
}

/** The answers of providers by the errors that they became. */
const refusals = new WeakMap<ToolwireError, HttpResponse>()

/** What the provider answered, where that is the error; as it came, so the endpoint's secrets may be in it. */
export function refusalBehind(error: unknown): HttpResponse | undefined {
  return ToolwireError.is(error) ? refusals.get(error) : undefined
}

/** Sends the request, again where that may help, until an answer that is no error stands. Fails without the endpoint's secrets. */
export async function answered(endpoint: Endpoint, http: HttpRequest, signal: AbortSignal): Promise<TransportResponse> {
  const { budget, retry, onRetry } = endpoint
  budget.called()
  const key = http.headers['idempotency-key'] ?? `toolwire-${crypto.randomUUID()}`
  const headers = { 'idempotency-key': key, ...http.headers, ...endpoint.headers }
  const { method, path } = http
  const body = http.body.length === 0 ? undefined : http.body
  for (let attempt = 0; ; attempt += 1) {
    let error: ToolwireError
    let refusal: HttpResponse | undefined
    try {
      const answer = await endpoint.transport({ method, url: endpoint.addressOf(path), headers, body, signal })
      if (answer.status >= 200 && answer.status < 300) return answer
      refusal = await whole(answer)
      error = isRedirect(refusal) ? redirected(refusal.status) : endpoint.codec.error.decode(refusal)
    } catch (caught) {
      error = failureOf(caught, signal, toConnectionError)
    }
    error = withoutSecrets(error, endpoint.secrets)
    if (refusal !== undefined) refusals.set(error, refusal)
    const waitMs = retryWaitMs(error, attempt, retry, Math.random())
    if (waitMs === undefined || !budget.spend()) throw error
    tell(onRetry, { attempt: attempt + 1, waitMs, error })
    await pause(waitMs, signal)
  }
}

const decoder = new TextDecoder()

/** The answer with its body as text. */
export async function whole(answer: TransportResponse): Promise<HttpResponse> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) pieces.push(piece)
  return textAnswer(answer, pieces)
}

/** The answer with its body, of which all pieces are here, as text. */
export function textAnswer(
  { status, headers }: Omit<TransportResponse, 'body'>,
  pieces: readonly Uint8Array[],
): HttpResponse {
  return { status, headers, body: decoder.decode(bodyBytes(pieces)) }
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400
}

/** A redirect is never followed: the key would go to whoever the answer names. */
function redirected(status: number): ToolwireError {
  const message = `the server answered with a redirect (status ${status}), which is never followed; check baseUrl`
  return new ToolwireError('server_error', message, { status, retryable: false })
}

/** A hook that throws ends the call: its error is the program's, and sending the request again would not help. */
function tell(onRetry: Endpoint['onRetry'], retry: Retry): void {
  try {
    onRetry?.(retry)
  } catch (error) {
    throw new ToolwireError('misuse', `the onRetry hook failed: ${messageOf(error)}`, { cause: error })
  }
}

/**
 * Any failure as a coded error; an abort by the caller is `aborted`, whatever its reason is. `name` makes the error of what is
 * neither: only the step that threw it says whose fault it is.
 */
export function failureOf(
  error: unknown,
  signal: AbortSignal,
  name: (message: string, cause: unknown) => ToolwireError,
): ToolwireError {
  if (ToolwireError.is(error)) return error
  if (signal.aborted) return new ToolwireError('aborted', 'the call was aborted', { cause: error })
  return name(messageOf(error), error)
}

/** What a transport threw. */
export function toConnectionError(message: string, cause: unknown): ToolwireError {
  return new ToolwireError('network', `the connection failed: ${message}`, { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
