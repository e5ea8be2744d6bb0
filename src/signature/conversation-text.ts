// Demos and histories as messages before the question.
import { Conversation, textMessage } from '../conversation/conversation.js'
import { type AssistantPart, isCall, type Message, type ToolResult, textOf } from '../conversation/messages.js'
import { answerOpenCalls } from '../conversation/pairing.js'
import { ToolwireError } from '../errors/error.js'
import { stringifyJson } from '../json/stringify.js'
import { toolResults } from '../tools/results.js'
import type { Demo, Plan } from './adapter.js'
import { callsFieldOf, type Field, type SignatureData } from './field.js'
import type { CallValue, HistoryTurn } from './infer.js'
import { checkValues } from './inputs.js'
import { markerOf, writeFields } from './markers.js'
import { callParts } from './tool-fields.js'

/** How a style writes the outputs of an example. */
export type WriteOutputs = (fields: readonly Field[], values: ReadonlyMap<string, unknown>) => string

export interface Rendering {
  readonly mode: Plan['mode']
  /** The signature with the fields that are in the prompt. */
  readonly rendered: SignatureData
  readonly signature: SignatureData
  readonly write: WriteOutputs
}

/** Examples as turns: those that lack a field first, and said to be incomplete. One needs an input and an output. */
export function demoMessages(rendering: Rendering, demos: readonly Demo[]): readonly Message[] {
  const { inputs, outputs } = rendering.rendered
  const read = demos.map((demo) => {
    const values = checkValues([...inputs, ...outputs], demo, 'a demo')
    const has = ({ name }: Field): boolean => values.get(name) !== undefined
    const complete = [...inputs, ...outputs].every((field) => field.optional || has(field))
    return { values, complete, usable: inputs.some(has) && outputs.some(has) }
  })
  const wrong = read.findIndex(({ usable }) => !usable)
  if (wrong !== -1)
    throw new ToolwireError('misuse', `demos[${wrong}] needs at least one input and one output of the signature`)
  return [...read.filter(({ complete }) => !complete), ...read.filter(({ complete }) => complete)].flatMap(
    ({ values, complete }) => {
      const note = complete ? '' : 'An example in which some fields are left out.\n\n'
      return [
        textMessage('user', note + writeFields(inputs, values)),
        textMessage('assistant', rendering.write(outputs, values)),
      ]
    },
  )
}

/** Earlier turns, every call in them answered. */
export function historyMessages(rendering: Rendering, history: unknown): readonly Message[] {
  if (history === undefined) return []
  if (history instanceof Conversation) return answerOpenCalls(history.messages, unanswered)
  if (!Array.isArray(history)) {
    throw new ToolwireError('misuse', 'a history is a list of turns { inputs, outputs, results }, or a Conversation')
  }
  const messages = history.flatMap((turn: HistoryTurn | Conversation) =>
    turn instanceof Conversation ? turn.messages : turnMessages(rendering, turn),
  )
  return answerOpenCalls(new Conversation(messages).messages, unanswered)
}

const unanswered = 'the call has no result in the history'

function turnMessages(rendering: Rendering, turn: HistoryTurn): readonly Message[] {
  const { rendered, mode } = rendering
  const { inputs = {}, message, results = [] } = turn ?? {}
  const asked = writeFields(rendered.inputs, checkValues(rendered.inputs, inputs, 'the inputs of a history turn'))
  const isKept = message !== undefined && (mode === 'native' || !message.content.some(isCall))
  const answer = isKept ? message : { role: 'assistant' as const, content: answerParts(rendering, turn) }
  return [
    ...(asked === '' ? [] : [textMessage('user', asked)]),
    ...(answer.content.length === 0 ? [] : [answer]),
    ...(results.length === 0 ? [] : [resultMessage(mode, results)]),
  ]
}

function answerParts({ rendered, signature, mode, write }: Rendering, turn: HistoryTurn): readonly AssistantPart[] {
  const outputs = checkValues(rendered.outputs, turn?.outputs ?? {}, 'the outputs of a history turn')
  const field = callsFieldOf(signature)
  const calls = (field === undefined ? [] : (outputs.get(field.name) ?? [])) as readonly CallValue[]
  const hasText = rendered.outputs.some(({ name }) => outputs.get(name) !== undefined)
  return [
    ...(hasText ? [{ type: 'text' as const, text: write(rendered.outputs, outputs) }] : []),
    ...(mode === 'native' ? callParts(calls) : []),
  ]
}

function resultMessage(mode: Plan['mode'], results: readonly ToolResult[]): Message {
  return mode === 'native' ? toolResults(results) : textMessage('user', resultText(results))
}

/** Results as text, for a model that knows no tools. */
export function resultText(results: readonly ToolResult[]): string {
  const list = results.map(({ callId, name, content, isError }) => ({
    id: callId,
    name,
    content: textOf(content),
    is_error: isError,
  }))
  return `${markerOf('tool_results')}\n${stringifyJson(list)}`
}
