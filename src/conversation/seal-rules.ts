// What a wire demands of the structure of a history, as data. `seal` reads it; nothing else about a wire is known here.
import type { FilePart, ImagePart, Opaque, Origin, Wire } from './messages.js'
import type { ToolSpec } from './request.js'

/** Where text stands in a history. */
export type TextPlace = 'system' | 'user' | 'assistant' | 'reasoning' | 'result'

export interface SealRules {
  readonly wire: Wire
  /** Who will read it: opaque values go back only to the provider and model they came from. */
  readonly provider: string
  readonly model: string
  /** Several system messages at the front: `keep` them apart, or `merge` them into the one place the wire has. */
  readonly leadingSystem: 'keep' | 'merge'
  /** System text further on: `keep` anywhere, `after_user` only right behind a user turn or results, or always `as_user` text. */
  readonly midSystem: 'keep' | 'after_user' | 'as_user'
  /** Text parts the wire refuses: none, empty ones, or blank ones too. */
  readonly refusedText: 'none' | 'empty' | 'blank'
  /** Where `refusedText` applies. Default: everywhere but in reasoning. */
  readonly refusedTextIn?: readonly TextPlace[]
  /** Whether a user or assistant message may have no content at all. */
  readonly emptyMessages: 'keep' | 'drop'
  /** The order of parts in an assistant turn: `free`, or `slots` (reasoning, then text, then calls). */
  readonly assistantOrder: 'free' | 'slots'
  /** The order of parts in a user turn: `free`, or `text_first`. */
  readonly userOrder: 'free' | 'text_first'
  /** The order of parts in a result: `free` (the default), or `text_first` where text and media have places of their own. */
  readonly resultOrder?: 'free' | 'text_first'
  /** Where neighbouring text parts become one, because the wire has one string: nowhere, or in these places. */
  readonly joinText: readonly ('system' | 'user' | 'assistant' | 'reasoning' | 'result')[]
  /** Assistant messages that follow each other: `keep`, or `merge` where the wire cannot tell them apart. */
  readonly assistantRuns: 'keep' | 'merge'
  /** Reasoning: `none` can be sent, only what the provider itself `signed`, or unsigned text of its `own` wire too. */
  readonly reasoning: 'none' | 'signed' | 'own'
  /** Blocks and signatures of a provider: sent to their `own` reader, or `none`, as on a wire with no place for them. Default: own. */
  readonly opaque?: 'own' | 'none'
  /** The parts that have a place for a signature on the wire; from others it is taken off. Default: all of them. */
  readonly signedParts?: readonly ('text' | 'reasoning' | 'call')[]
  /** Whether call ids must be unique within one turn or in the whole conversation. */
  readonly uniqueIds: 'turn' | 'conversation'
  /** Whether the first message after the system text must be a user's. */
  readonly firstTurn: 'any' | 'user'
  /** Whether the wire can carry this image or file there. What a result cannot carry is hoisted into a user turn behind it. */
  readonly carries: (part: ImagePart | FilePart, place: 'user' | 'result' | 'error_result') => boolean
  /** What a failed result may hold: `blocks` of the provider too, or `text` alone; they then follow in a user turn. Default: blocks. */
  readonly failedResults?: 'blocks' | 'text'
  /** Results of calls the history does not hold: told `as_user` text, or `keep` where the server remembers the calls. Default: as_user. */
  readonly orphanResults?: 'as_user' | 'keep'
  /**
   * Whether the continuations of a turn count `apart`, or only `together`: when one signed reasoning of it cannot be sent, no
   * other continuation of that turn is, and no turn ends in reasoning. Default: apart.
   */
  readonly continuations?: 'apart' | 'together'
  /**
   * Which choices among tools the wire has words for: `allowed` (all of them), `named` (one tool, not some of them), `words`
   * alone, or `none`. Tools that a choice without words rules out are not declared. Default: allowed.
   */
  readonly choices?: 'allowed' | 'named' | 'words' | 'none'
  /** Whether a history with calls needs `tools`. If `required`, a request without tools declares the ones it names. Default: optional. */
  readonly toolsForCalls?: 'optional' | 'required'
  /** Why a tool cannot be declared on the wire: it is left out by name, and the others go. Default: every tool can be. */
  readonly refusedTool?: (tool: ToolSpec) => string | undefined
  /** Members of which the continuation of a reasoning must have one to be replayed in this request. Default: it needs none. */
  readonly replayNeeds?: readonly string[]
}

/** Whether an opaque value may go to this reader. A missing provider or model in the origin means anyone on that wire. */
export function comesHome(origin: Origin, rules: Pick<SealRules, 'wire' | 'provider' | 'model'>): boolean {
  return (
    origin.wire === rules.wire &&
    (origin.provider === undefined || origin.provider === rules.provider) &&
    (origin.model === undefined || origin.model === rules.model)
  )
}

/** The opaque value when it may go to this reader. */
export function ownOpaque(opaque: Opaque | undefined, rules: SealRules): Opaque | undefined {
  return opaque !== undefined && rules.opaque !== 'none' && comesHome(opaque.origin, rules) ? opaque : undefined
}

const outsideReasoning: readonly TextPlace[] = ['system', 'user', 'assistant', 'result']

/** Whether the wire refuses a text there for being empty, or blank. */
export function refusesText(text: string, place: TextPlace, rules: SealRules): boolean {
  const { refusedText, refusedTextIn = outsideReasoning } = rules
  if (!refusedTextIn.includes(place)) return false
  if (refusedText === 'none') return false
  return refusedText === 'blank' ? text.trim() === '' : text === ''
}
