// A scripted turn as the response it stands for. Ids are made from the position of the turn and the call: the same script
// gives the same ids every time.
import { fold } from '../conversation/fold.js'
import type { AssistantPart, BrokenReason } from '../conversation/messages.js'
import type { CompletionResponse, FinishReason } from '../conversation/response.js'
import { isArgumentText } from '../conversation/stored-fields.js'
import { unfold } from '../conversation/unfold.js'
import type { Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import { stringifyJson } from '../json/stringify.js'
import type { ValueObject } from '../json/types.js'

/** A call that the model makes; its id is made up unless given. */
export interface ScriptedCall {
  readonly name: string
  /** A value, or the very text; text that is no JSON object makes a broken call, as it would on a wire. `{}` when left out. */
  readonly args?: ValueObject | string
  readonly id?: string
}
/** A call that arrives broken. */
export interface ScriptedBrokenCall {
  readonly name: string
  readonly arguments: string
  /** `malformed` unless given. */
  readonly reason?: BrokenReason
  readonly id?: string
}
/** A turn, or just its text. */
export type Turn = string | ScriptedTurn
/** What the model says in one turn, and what goes wrong with it. */
export interface ScriptedTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  readonly brokenCalls?: readonly ScriptedBrokenCall[]
  /** `tool_calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason
  readonly usage?: Usage
  /** Thrown instead of answering, whatever it is; with `cutAfter` after that many events. */
  readonly error?: unknown
  /** How long the model waits before it answers. */
  readonly delayMs?: number
  /** The answer breaks off after this many events, as `truncated` unless `error` says otherwise. */
  readonly cutAfter?: number
  /** Never answers, until it is aborted. */
  readonly hang?: boolean
}

/** The answer a turn stands for. `index` is its position in the script, from 0. */
export function responseOf(turn: ScriptedTurn, index: number, model: string): CompletionResponse {
  const content: AssistantPart[] = []
  if (turn.reasoning !== undefined) content.push({ type: 'reasoning', text: turn.reasoning })
  if (turn.text !== undefined) content.push({ type: 'text', text: turn.text })
  const idOf = (id: string | undefined, ordinal: number): string => id ?? `call_${index + 1}_${ordinal + 1}`
  const calls = turn.calls ?? []
  calls.forEach((call, ordinal) => {
    content.push(callPart(call, idOf(call.id, ordinal)))
  })
  turn.brokenCalls?.forEach(({ name, arguments: text, reason = 'malformed', id }, ordinal) => {
    content.push({ type: 'broken_call', id: idOf(id, calls.length + ordinal), name, arguments: text, reason })
  })
  const hasCalls = calls.length + (turn.brokenCalls?.length ?? 0) > 0
  const whole: CompletionResponse = {
    id: `response_${index + 1}`,
    model,
    message: { role: 'assistant', content },
    finishReason: turn.finishReason ?? (hasCalls ? 'tool_calls' : 'stop'),
    ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    losses: [],
    metadata: {},
    text: '',
    toolCalls: [],
    brokenCalls: [],
    requiresToolExecution: hasCalls,
  }
  return fold(unfold(whole))
}

function callPart({ name, args = {} }: ScriptedCall, id: string): AssistantPart {
  const text = typeof args === 'string' ? args : stringifyJson(args)
  if (isArgumentText(text)) return { type: 'tool_call', id, name, arguments: text }
  return { type: 'broken_call', id, name, arguments: text, reason: 'malformed' }
}

/** A turn that may be just its text, as a turn. Beyond the end of the script there is none. */
export function turnOf(turn: Turn | undefined, index: number): ScriptedTurn {
  if (turn === undefined) {
    throw new ToolwireError('misuse', `the script has no turn ${index + 1}; add one, or ask less often`)
  }
  return typeof turn === 'string' ? { text: turn } : turn
}

/** Small deltas that never cut a character in two. */
export function inPieces(text: string): readonly string[] {
  return text.match(/.{1,8}/gsu) ?? [text]
}
