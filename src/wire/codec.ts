// The contract of a wire: four nouns (request, response, stream, error) times two verbs (encode, decode), pure and synchronous.
// Decoding is lenient and keeps what it does not know; encoding is strict. No codec reads a clock, a random source or a network.
import type { CompletionEvent } from '../conversation/events.js'
import type { Loss } from '../conversation/losses.js'
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import type { SealedRequest } from '../conversation/seal-request.js'
import type { ToolwireError } from '../errors/error.js'
import type { Body } from '../frames/body.js'
import type { Limits } from '../frames/limits.js'
import type { JsonObject } from '../json/types.js'
import type { Mapping } from '../schema/restrict/value-map.js'

/** A vendor on a wire: a flat record of documented flags. Each wire's `profiles.ts` adds its own flags and their defaults. */
export interface Profile {
  /** The provider's name, also the `provider` of what it signs. */
  readonly name: string
  readonly wire: Wire
  /** Where the vendor listens. Default: none, the caller says. */
  readonly baseUrl?: string
  /** The environment variable that usually holds the key. Default: none. */
  readonly keyVariable?: string
  /** The header that carries the key. Default: `bearer`. */
  readonly auth?: 'bearer' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'none'
  /** Whether somebody described what this vendor can do; of others nothing is known. Default: yes. */
  readonly described?: boolean
}

/** Everything impure or chosen by the caller, injected. */
export interface Env {
  readonly profile: Profile
  /** The time a server half writes into answers, in seconds. */
  readonly createdSeconds: number
  /** Whether decoding gives `tool_call_delta` events. */
  readonly deltas: boolean
  readonly limits?: Limits
}

/**
 * Facts of one exchange that both halves need: plain data, a pure function of the request (or of the client's body), so it is
 * recomputed after a crash and never stored.
 */
export interface Exchange {
  readonly wire: Wire
  /** The model asked for; empty when only an answer is known. */
  readonly model: string
  readonly provider?: string
  readonly stream: boolean
  /** Wire name → canonical name, of the tools whose name the wire refuses. */
  readonly names?: ReadonlyMap<string, string>
  /** Canonical tool name → wire property → canonical property, of the tools whose property keys the wire refuses. */
  readonly keys?: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Canonical tool name → how its arguments come back, of the tools whose schema changed the shape of values. */
  readonly maps?: ReadonlyMap<string, Mapping>
  /** How the text of an answer in a schema comes back, where that changed the shape of values. */
  readonly output?: Mapping
  /** How many messages the request has: tells answers of one conversation apart where their own ids do not. */
  readonly position?: number
  /** Whether the text of the answer is the call that was demanded, on a wire that can demand none but in this way. */
  readonly callAsText?: boolean
  /** The provider's own tools that the request declares, as they are sent. */
  readonly opaqueTools?: readonly JsonObject[]
  /** Server half: what the client's request asked of the answer (include_usage, version, alt=sse, …). */
  readonly client?: JsonObject
}

/** An HTTP request without host and key: those are added by who sends it. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, `/v1/messages`. */
  readonly path: string
  /** Lower-case names. No credentials: those are the transport's. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}
/** A whole HTTP answer. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request on a wire, what it could not say, and what its answer must be read with. */
export interface EncodedRequest {
  readonly http: HttpRequest
  /** Repairs of `seal` (kind `repaired`), then the executable losses of encoding the sealed request. */
  readonly losses: readonly Loss[]
  readonly exchange: Exchange
}
/** A request that was read from a wire. */
export interface DecodedRequest {
  readonly request: CompletionRequest
  readonly losses: readonly Loss[]
  readonly exchange: Exchange
}
/** An answer on a wire, and what it could not say. */
export interface EncodedResponse {
  readonly http: HttpResponse
  readonly losses: readonly Loss[]
  /** Of a wire whose answers consist of items with ids: those items, as the client has them and may name them later. */
  readonly items?: readonly JsonObject[]
}

/** `push` returns what became ready, in order; `end` is called once. What is wrong on the wire is an event; nothing is thrown. */
export interface Machine<In, Out> {
  push(input: In): Out
  end(): Out
}
/** Events in, bytes of a stream out. */
export interface StreamEncoder extends Machine<CompletionEvent, string> {
  readonly losses: readonly Loss[]
  /** As those of an `EncodedResponse`, once the answer is over. */
  readonly items?: readonly JsonObject[]
  /** Headers of the streamed answer. */
  readonly headers: Readonly<Record<string, string>>
}
/** Bytes of a stream in, events out; `end` tells of a stream that was cut. */
export type StreamDecoder = Machine<Uint8Array, readonly CompletionEvent[]>

/** What a client of the wire needs. */
export interface ClientCodec {
  readonly wire: Wire
  /** The vendors known on this wire, by name; the first is the wire's own. */
  readonly profiles: Readonly<Record<string, Profile>>
  /** The request as this wire takes its structure. `request.encode` does this itself; it is here to be seen and tested. */
  seal(request: CompletionRequest, env: Env): SealedRequest
  readonly request: {
    encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest
  }
  readonly response: {
    /** Any status and any body: an error answer gives one `error` event. */
    decode(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[]
  }
  readonly stream: {
    decode(exchange: Exchange, env: Env): StreamDecoder
  }
  readonly error: {
    decode(http: HttpResponse): ToolwireError
  }
}

/** Both halves: a client's, and the one of a server that speaks the wire. */
export interface Codec extends ClientCodec {
  readonly request: ClientCodec['request'] & {
    decode(http: HttpRequest, env: Env): DecodedRequest
  }
  readonly response: ClientCodec['response'] & {
    encode(response: CompletionResponse, exchange: Exchange, env: Env): EncodedResponse
    /** `decode` for who asks only for `usage` and `finish`, on wires where that is cheaper; the rest may be left out. */
    outcome?(http: HttpResponse, exchange: Exchange, env: Env): readonly CompletionEvent[]
  }
  readonly stream: ClientCodec['stream'] & {
    encode(exchange: Exchange, env: Env): StreamEncoder
  }
  readonly error: ClientCodec['error'] & {
    encode(error: ToolwireError, exchange: Exchange): HttpResponse
  }
}
