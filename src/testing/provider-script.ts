// What a provider server says: turns in order, or a function of what was asked that gives a turn or a whole response.
import type { CompletionEvent } from '../conversation/events.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { inPieces, responseOf, type ScriptedTurn, type Turn, turnOf } from './scripted-turn.js'

/** Answers a request by itself, as a model would. */
export type Engine = (request: CompletionRequest) => CompletionResponse | Promise<CompletionResponse>
/** The turns in order, or a function that makes each from what was asked; it may give a whole response instead. */
export type ProviderScript =
  | readonly Turn[]
  | ((request: CompletionRequest, index: number) => Turn | CompletionResponse | Promise<Turn | CompletionResponse>)

export interface Answer {
  readonly response: CompletionResponse
  /** How the answer is to go wrong, when a turn says so. */
  readonly turn: Pick<ScriptedTurn, 'error' | 'cutAfter' | 'delayMs' | 'hang'>
}

/** The answer of the script to its request number `index`. */
export async function answerOf(script: ProviderScript, request: CompletionRequest, index: number): Promise<Answer> {
  const given = typeof script === 'function' ? await script(request, index) : script[index]
  if (typeof given === 'object' && 'message' in given) return { response: given, turn: {} }
  const turn = turnOf(given, index)
  return { response: responseOf(turn, index, request.model), turn }
}

/** The answer as small deltas: arguments in fragments before each call. */
export function eventsOf(response: CompletionResponse): readonly CompletionEvent[] {
  return unfold(response, inPieces).flatMap((event) => {
    if (event.type !== 'tool_call') return [event]
    const { part, call } = event
    const { id, name, opaque } = call
    const pieces = inPieces(call.arguments).map(
      (text): CompletionEvent => ({
        type: 'tool_call_delta',
        part,
        id,
        name,
        text,
        ...(opaque === undefined ? {} : { opaque }),
      }),
    )
    return [...pieces, event]
  })
}
