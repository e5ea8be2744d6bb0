// What the requests of one provider server share, and what is kept of each.
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { HttpRequest } from '../wire/codec.js'
import type { Misbehave } from './misbehaviour.js'
import type { ProviderScript } from './provider-script.js'
import type { Signer } from './provider-signatures.js'
import type { Threads } from './provider-threads.js'
import type { StoredResponses } from './stored-responses.js'

/** A model call as the server received it. */
export interface ProviderRequest {
  readonly wire: Wire
  readonly request: CompletionRequest
  readonly stream: boolean
  /** As it came, credentials and all; the body as text. */
  readonly raw: HttpRequest & { readonly body: string }
  /** What a strict server refused it for. */
  readonly refusal?: string
}
/** What a provider server says, checks and does wrong. */
export interface ProviderServerOptions {
  /** What the models say; every model says `ok` unless given. */
  readonly script?: ProviderScript
  /** Refuses what the real providers refuse: unpaired calls, changed signatures, settings a wire does not have. */
  readonly strict?: boolean
  readonly misbehave?: Misbehave<ProviderRequest>
  /** The models that are listed; any other id is answered as well. */
  readonly models?: readonly string[]
  /** What `/api/show` says each model can do; all there is unless given. `false`: a server without that route. */
  readonly shows?: readonly string[] | false
  /** `127.0.0.1` unless given. */
  readonly host?: string
  /** A free one unless given. */
  readonly port?: number
  /** Web pages of any origin may call it, as a test in a browser does. Off unless asked for. */
  readonly cors?: boolean
}
/** What every request of one server shares. */
export interface ServerState {
  readonly options: ProviderServerOptions
  readonly requests: ProviderRequest[]
  readonly signer: Signer
  readonly threads: Threads
  readonly stored: StoredResponses
  /** How often the script was asked. */
  turns: number
}
