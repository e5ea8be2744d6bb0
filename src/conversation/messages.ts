// The one conversation: messages and their parts, as plain readonly JSON. Nothing here knows a provider's spelling.
import type { JsonObject } from '../json/types.js'

/** Every wire that there is a codec for. */
export const wires = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini'] as const
/** The name of a wire; `wires` lists them. */
export type Wire = (typeof wires)[number]

/** Fields that are not modelled, kept by wire: written back on that wire only, reported as a loss elsewhere. */
export interface Carried {
  readonly extra?: Extra
}
/** Fields of a wire that have no canonical form: read from it, and written to that wire alone. */
export type Extra = { readonly [W in Wire]?: JsonObject }

/** Where an opaque value came from. No provider or model (decoded from a client's request) means: whoever speaks this wire. */
export interface Origin {
  readonly wire: Wire
  readonly provider?: string
  readonly model?: string
}

/** A provider's own continuation (a signature, encrypted reasoning): replayed byte for byte, and only where it came from. */
export interface Opaque {
  readonly origin: Origin
  readonly data: JsonObject
}

/** Plain text. */
export interface TextPart extends Carried {
  readonly type: 'text'
  readonly text: string
  readonly opaque?: Opaque
}
/** An image by `url`, or inline as base64 `data` with its `mediaType`. */
export interface ImagePart extends Carried {
  readonly type: 'image'
  readonly url?: string
  readonly mediaType?: string
  readonly data?: string
}
/** A file by `url`, or inline as base64 `data` with its `mediaType`. */
export interface FilePart extends Carried {
  readonly type: 'file'
  readonly url?: string
  readonly mediaType?: string
  readonly data?: string
  readonly name?: string
}
/** What a model thought before it answered. `opaque` is what its provider wants back with it. */
export interface ReasoningPart extends Carried {
  readonly type: 'reasoning'
  readonly text: string
  readonly opaque?: Opaque
}
/** A provider's own block that has no canonical form: kept in its place, sent back on the same wire only. */
export interface OpaquePart {
  readonly type: 'opaque'
  readonly origin: Origin
  readonly data: JsonObject
}

/** A call that may run. `arguments` is the text of record: complete, strict JSON of an object, never empty. `argsOf` parses it. */
export interface ToolCall extends Carried {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly opaque?: Opaque
  /** The model wrote the call into its text, and it was read from there (`textCalls: 'recover'`). Stored, never sent. */
  readonly recovered?: true
}
/** Why a call must not run. */
export type BrokenReason = 'truncated' | 'malformed' | 'not_an_object' | 'no_name'
/** A call that must not run. It keeps the raw text and is answered like every call. */
export interface BrokenCall extends Carried {
  readonly type: 'broken_call'
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly reason: BrokenReason
  readonly opaque?: Opaque
}

/** What a user turn is made of. */
export type UserPart = TextPart | ImagePart | FilePart | OpaquePart
/** What an answer is made of. */
export type AssistantPart = TextPart | ReasoningPart | ToolCall | BrokenCall | OpaquePart
/** What the result of a tool is made of. */
export type ResultPart = TextPart | ImagePart | FilePart | OpaquePart

/** Instructions, which may also stand between turns. */
export interface SystemMessage extends Carried {
  readonly role: 'system'
  readonly content: readonly TextPart[]
}
/** What a person, or a program in their place, says. */
export interface UserMessage extends Carried {
  readonly role: 'user'
  readonly content: readonly UserPart[]
}
/** One answer of a model, its parts in the order they came. */
export interface AssistantMessage extends Carried {
  readonly role: 'assistant'
  readonly content: readonly AssistantPart[]
  readonly origin?: Origin
}

/** Why a tool failed, as a plain record that survives storage. Kept for the program; the model reads `content`. */
export interface ToolFailure {
  readonly category: ToolErrorCategory
  readonly message: string
  readonly details?: { readonly [key: string]: string }
}
/** Every category of failed tools. */
export const toolErrorCategories = [
  'invalid_arguments',
  'authentication_failed',
  'rate_limited',
  'resource_not_found',
  'execution_timeout',
  'network_error',
  'permission_denied',
  'cancelled',
  'unknown',
] as const
/** The kinds of failure that a result can tell a model; `toolErrorCategories` lists them. */
export type ToolErrorCategory = (typeof toolErrorCategories)[number]

/** What became of one call. Every call of a turn has exactly one; `artifacts` are for your program, not for the model. */
export interface ToolResult extends Carried {
  readonly callId: string
  readonly name: string
  readonly content: readonly ResultPart[]
  readonly isError: boolean
  readonly error?: ToolFailure
  /** What a tool returned besides the text for the model (MCP structured content, artifacts). Stored, never sent. */
  readonly artifacts?: JsonObject
}
/** All results of one assistant turn. */
export interface ToolMessage extends Carried {
  readonly role: 'tool'
  readonly results: readonly ToolResult[]
}
/** One turn of a conversation, told apart by `role`. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** A part of an assistant turn that must be answered by a result. */
export type AnyCall = ToolCall | BrokenCall

export function isCall(part: AssistantPart): part is AnyCall {
  return part.type === 'tool_call' || part.type === 'broken_call'
}

/** All text of a content list, in order, joined without a separator. */
export function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  let text = ''
  for (const part of parts) if (part.type === 'text') text += part.text ?? ''
  return text
}
