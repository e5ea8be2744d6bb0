// What a person would read in a recorded answer. Written from the description of the wires alone: it shares no code with the
// codecs it judges, and is simple where they are fast.

export interface ReadCall {
  readonly id?: string
  readonly name: string
  /** The arguments, where the wire carries text. */
  readonly text?: string
  /** The arguments, where the wire carries an object. */
  readonly value?: unknown
}
export interface ReadUsage {
  /** Everything read, cached or not. */
  readonly input: number
  /** Everything written, reasoning included. */
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}
export type Reading =
  | {
      readonly kind: 'answer'
      readonly text: string
      readonly calls: readonly ReadCall[]
      readonly finish: string
      readonly usage?: ReadUsage
    }
  /** `status` is the HTTP status of an error answer; an error inside an answer has none. */
  | { readonly kind: 'error'; readonly status?: number }

/** How one wire is read: an answer sent whole, and one sent as a stream. */
export interface Reader {
  readBody(body: unknown): Reading
  readStream(stream: string): Reading
}

export type Fields = { readonly [key: string]: unknown }

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : []
}
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
export function count(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** A call whose arguments are text; a call without arguments has an empty object. */
export function textCall(id: unknown, name: unknown, argumentText: unknown): ReadCall {
  const given = text(argumentText)
  return { ...(text(id) === '' ? {} : { id: text(id) }), name: text(name), text: given.trim() === '' ? '{}' : given }
}
/** A call whose arguments are an object; a call without arguments has an empty one. */
export function objectCall(id: unknown, name: unknown, value: unknown): ReadCall {
  return { ...(text(id) === '' ? {} : { id: text(id) }), name: text(name), value: value ?? {} }
}

/** `tool_calls` when there are calls and nothing says that the answer was cut, refused or failed. */
export function finishWith(calls: readonly unknown[], reason: string): string {
  return reason === 'stop' && calls.length > 0 ? 'tool_calls' : reason
}
