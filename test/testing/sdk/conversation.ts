// What a conversation with an official SDK must show, whatever the SDK: the same calls, answered, and the same last words.

export interface SdkCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}
/** One conversation over an SDK: `ask` sends the history with what was added to it, and gives the calls and the text. */
export interface SdkConversation {
  /** The first turn says the question, a later one gives the results of the calls before it, in their order. */
  ask(said: { readonly text: string } | { readonly results: readonly string[] }): Promise<{
    readonly calls: readonly SdkCall[]
    readonly text: string
  }>
}
export type Opening = (url: string, stream: boolean) => SdkConversation

export const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
export const description = 'Current weather of a city'
