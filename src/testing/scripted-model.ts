// A model that says what a script says, for tests and examples: no network, no clock but the delays the script asks for.

import { checkRequest } from '../conversation/check-request.js'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import { freeze } from '../conversation/freeze.js'
import { withToolSpecs } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { ToolwireError } from '../errors/error.js'
import { awaitable, drained } from '../model/awaitable.js'
import type { CallOptions, Capabilities, CompletionStream, Model, ModelRequest } from '../model/model.js'
import { systemClock } from '../tools/clock.js'
import { race } from '../tools/race.js'
import { inPieces, responseOf, type ScriptedTurn, type Turn, turnOf } from './scripted-turn.js'

/** The turns in order, or a function that makes each from what was asked. `index` counts from 0. */
export type Script = readonly Turn[] | ((request: ModelRequest, index: number) => Turn | Promise<Turn>)
/** What the model is called, and what it can do. */
export interface ScriptedOptions {
  /** `scripted` unless given. */
  readonly id?: string
  readonly capabilities?: Partial<Capabilities>
}
/** A model that says its script, and keeps what it was asked. */
export interface ScriptedModel extends Model {
  /** What the model was asked so far, copied when it was asked, and frozen. */
  readonly requests: readonly ModelRequest[]
}

const everything: Capabilities = {
  tools: 'yes',
  parallelToolCalls: 'yes',
  toolChoiceRequired: 'yes',
  toolChoiceNamed: 'yes',
  toolChoiceNone: 'yes',
  streaming: 'yes',
  structuredOutput: 'yes',
  structuredOutputWithTools: 'yes',
  images: 'yes',
  reasoning: 'yes',
}

/** A model that plays the script, one turn for each request. A request beyond its end fails with `misuse`. */
export function scriptedModel(script: Script, options: ScriptedOptions = {}): ScriptedModel {
  const id = options.id ?? 'scripted'
  const requests: ModelRequest[] = []
  const play = (request: ModelRequest, call: CallOptions): AsyncGenerator<CompletionEvent, CompletionResponse> => {
    checkRequest(request)
    const index = requests.length
    const asked = withToolSpecs(request)
    requests.push(freeze(structuredClone(asked)))
    return playTurn(() => turnAt(script, asked, index), { index, id, signal: call.signal })
  }
  return {
    name: `scripted:${id}`,
    id,
    capabilities: { ...everything, ...options.capabilities },
    requests,
    complete: async (request, call = {}) => drained(play(request, call)),
    stream(request, call = {}): CompletionStream {
      const left = (): never => {
        throw new ToolwireError('aborted', 'the stream was left before the answer was complete')
      }
      return awaitable(() => ({ events: play(request, call), leave: () => {}, left }))
    },
  }
}

interface Playing {
  readonly index: number
  readonly id: string
  readonly signal: AbortSignal | undefined
}

async function* playTurn(
  find: () => Promise<ScriptedTurn>,
  { index, id, signal }: Playing,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  const folder = createFolder()
  try {
    const turn = await find()
    await wait(turn.hang === true ? Number.POSITIVE_INFINITY : (turn.delayMs ?? 0), signal)
    const events = unfold(responseOf(turn, index, id), inPieces)
    const isCut = turn.cutAfter !== undefined || Object.hasOwn(turn, 'error')
    const cutAfter = turn.cutAfter ?? (isCut ? 0 : events.length)
    for (const event of events.slice(0, cutAfter)) {
      if (signal?.aborted === true) throw stopped(signal)
      folder.push(event)
      yield event
    }
    if (!isCut) return folder.done().response
    if (Object.hasOwn(turn, 'error')) throw turn.error
    throw new ToolwireError('truncated', `the scripted answer was cut after ${cutAfter} events`)
  } catch (error) {
    throw ToolwireError.is(error) && error.partial === undefined ? withPartial(error, folder.done().response) : error
  }
}

async function turnAt(script: Script, request: ModelRequest, index: number): Promise<ScriptedTurn> {
  return turnOf(typeof script === 'function' ? await script(request, index) : script[index], index)
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) throw stopped(signal)
  if (ms === 0) return
  const signals = signal === undefined ? [] : [signal]
  const raced = await race(() => new Promise<never>(() => {}), { signals, timeoutMs: ms, clock: systemClock })
  if (raced.state === 'aborted') throw stopped(signal)
}

function stopped(signal: AbortSignal | undefined): ToolwireError {
  return new ToolwireError('aborted', 'the request was aborted', { cause: signal?.reason })
}
