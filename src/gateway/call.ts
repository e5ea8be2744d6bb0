// One model call of a client on its way through: what is known of it so far, told once when it is over.
import type { Loss } from '../conversation/losses.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse, FinishReason } from '../conversation/response.js'
import type { Usage } from '../conversation/usage.js'
import type { JsonObject } from '../json/types.js'
import type { Codec, Env, Exchange, HttpRequest } from '../wire/codec.js'
import type { Piece } from './arrival.js'
import type { Owners } from './owners.js'
import type { Chosen } from './targets.js'

/** What the answer tells while it goes out. */
export interface Progress {
  usage: Usage | undefined
  finishReason: FinishReason | undefined
  losses: readonly string[]
  error: string | undefined
  message: string | undefined
  /** Reads what the answer tells, where that was put off. */
  unread: (() => void) | undefined
  /** Roughly, in tokens; set once the request went to a provider who may have worked on it. */
  inputEstimate: number | undefined
  /** What came of the answer, in characters. */
  outputCharacters: number
}

/** What every call has, also one that goes on as it came. */
export interface Leg {
  /** The client's half. */
  readonly codec: Codec
  readonly env: Env
  readonly exchange: Exchange
  readonly http: HttpRequest
  readonly requestId: string
  /** Who asks, by the name of the key; empty where there are no keys. */
  readonly owner: string
  /** Gets the ids that the provider gives this owner, where several share its account and it stores answers. */
  readonly owners: Owners | undefined
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Whether what is used has to be known, also of an answer that breaks off: the key has a limit. */
  readonly isMetered: boolean
}

export interface GatewayCall extends Leg {
  readonly request: CompletionRequest
  /** What the request lost when it was read. */
  readonly decodingLosses: readonly Loss[]
  /** Keeps what the client may come back to; `items` are those it can name. */
  readonly keep: (response: CompletionResponse, items?: readonly JsonObject[]) => void
  /** Whether the signatures of an answer come back to its provider although the client cannot carry them. */
  readonly keepsSignatures: (response: CompletionResponse) => boolean
  readonly chosen: Chosen
  readonly strict: boolean
}

/** An answer before it is HTTP: whole, or pieces that are asked for one by one. */
export interface Written {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Piece | AsyncIterable<Piece>
}
