// What a conversation with an official SDK must show, whatever the SDK: the same calls, answered, and the same last words.

export interface SdkCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}
/** A question; with a schema for the answer, or JSON mode where the wire has one, it is asked without tools. */
export interface Question {
  readonly text: string
  /** A PNG, as base64. */
  readonly image?: string
  readonly output?: Readonly<Record<string, unknown>> | 'json_object'
}
/** A result; `error` is one that says so wherever the wire has a way to. */
export type Result = string | { readonly error: string }
export interface Reply {
  readonly calls: readonly SdkCall[]
  readonly text: string
  readonly reasoning?: string | undefined
}
/** One conversation over an SDK: `ask` sends the history with what was added to it, and gives the calls and the text. */
export interface SdkConversation {
  /** The first turn says the question, a later one gives the results of the calls before it, in their order. */
  ask(said: Question | { readonly results: readonly Result[] }): Promise<Reply>
}
export type Opening = (url: string, stream: boolean) => SdkConversation

export const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
export const description = 'Current weather of a city'

export function textOf(result: Result): string {
  return typeof result === 'string' ? result : result.error
}

/** Nothing where nothing was thought. */
export function thought(text: string): { readonly reasoning?: string } {
  return text === '' ? {} : { reasoning: text }
}
