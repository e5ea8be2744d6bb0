// Demos and histories as messages before the question.
import { Conversation, textMessage } from '../conversation/conversation.js'
import {
  type AnyCall,
  type AssistantPart,
  isCall,
  type Message,
  type ToolResult,
  textOf,
} from '../conversation/messages.js'
import { answerOpenCalls } from '../conversation/pairing.js'
import { decodeMessage } from '../conversation/stored.js'
import { ToolwireError } from '../errors/error.js'
import { stringifyJson } from '../json/stringify.js'
import { toolResult, toolResults } from '../tools/results.js'
import type { Demo, Plan } from './adapter.js'
import { callsFieldOf, type Field, type SignatureData } from './field.js'
import type { HistoryTurn } from './infer.js'
import { checkValues } from './inputs.js'
import { markerOf, writeFields } from './markers.js'
import { callParts, writtenCalls } from './tool-fields.js'

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
  const read = demos.map((demo, index) => {
    const values = checkValues([...inputs, ...outputs], demo, 'a demo')
    const isThere = ({ name, optional }: Field): boolean => optional || values.get(name) !== undefined
    const asked = writeFields(inputs, values)
    const answer = answerParts(rendering, { outputs: demo })
    if (asked !== '' && answer.length > 0) return { asked, answer, complete: [...inputs, ...outputs].every(isThere) }
    throw new ToolwireError('misuse', `demos[${index}] needs at least one input and one output of the signature`)
  })
  return [...read.filter(({ complete }) => !complete), ...read.filter(({ complete }) => complete)].flatMap(
    ({ asked, answer, complete }) => [
      textMessage('user', complete ? asked : `An example in which some fields are left out.\n\n${asked}`),
      ...exampleAnswer(rendering.mode, answer),
    ],
  )
}

/** Calls of an example are answered, as all calls are; as text they are part of the text already. */
function exampleAnswer(mode: Plan['mode'], content: readonly AssistantPart[]): readonly Message[] {
  const calls = content.filter(isCall)
  if (mode === 'prompted') return [{ role: 'assistant', content: content.filter((part) => !isCall(part)) }]
  const results = calls.map((call) => toolResult.success(call, 'The result is left out of this example.'))
  return [{ role: 'assistant', content }, ...(results.length === 0 ? [] : [toolResults(results)])]
}

/** Earlier turns, every call in them answered. */
export function historyMessages(rendering: Rendering, history: unknown): readonly Message[] {
  if (history === undefined) return []
  const turns: unknown = history instanceof Conversation ? [history] : history
  if (!Array.isArray(turns)) {
    throw new ToolwireError('misuse', 'a history is a list of turns { inputs, outputs, results }, or a Conversation')
  }
  const messages = turns.flatMap((turn: HistoryTurn | Conversation) =>
    turn instanceof Conversation ? turn.messages : turnMessages(rendering, turn),
  )
  const answered = answerOpenCalls(new Conversation(messages).messages, unanswered)
  const callsName = callsFieldOf(rendering.signature)?.name ?? 'tool_calls'
  return rendering.mode === 'native' ? answered : answered.map((message) => asText(message, callsName))
}

const unanswered = 'the call has no result in the history'

function turnMessages(rendering: Rendering, turn: HistoryTurn): readonly Message[] {
  const { inputs } = rendering.rendered
  const asked = writeFields(inputs, checkValues(inputs, turn?.inputs ?? {}, 'the inputs of a history turn'))
  const answer = turn?.message === undefined ? undefined : decodeMessage(turn.message)
  if (answer !== undefined && answer.role !== 'assistant') {
    throw new ToolwireError('misuse', 'the message of a history turn is what the model said; give an assistant message')
  }
  const content = answer?.content ?? answerParts(rendering, turn)
  const results = turn?.results ?? []
  return [
    ...(asked === '' ? [] : [textMessage('user', asked)]),
    ...(content.length === 0 ? [] : [answer ?? { role: 'assistant' as const, content }]),
    ...(results.length === 0 ? [] : [toolResults(results)]),
  ]
}

function answerParts({ rendered, signature, write }: Rendering, turn: HistoryTurn): readonly AssistantPart[] {
  const outputs = checkValues(rendered.outputs, turn?.outputs ?? {}, 'the outputs of a history turn')
  const field = callsFieldOf(signature)
  const given = field === undefined ? undefined : outputs.get(field.name)
  const calls = field === undefined || given === undefined ? [] : writtenCalls(field, given, 'example')
  const hasText = rendered.outputs.some(({ name }) => outputs.get(name) !== undefined)
  return [...(hasText ? [{ type: 'text' as const, text: write(rendered.outputs, outputs) }] : []), ...callParts(calls)]
}

/** Results as text, for a model that knows no tools. */
function resultText(results: readonly ToolResult[]): string {
  const list = results.map(({ callId, name, content, isError }) => ({
    id: callId,
    name,
    content: textOf(content),
    is_error: isError,
  }))
  return `${markerOf('tool_results')}\n${stringifyJson(list)}`
}

/** A message without calls and results as such: they are text. Text that names the field of the calls has them already. */
export function asText(message: Message, callsName: string): Message {
  if (message.role === 'tool') return textMessage('user', resultText(message.results))
  if (message.role !== 'assistant') return message
  const calls = message.content.filter(isCall)
  if (calls.length === 0) return message
  const said = message.content.filter((part) => !isCall(part))
  if (textOf(said).includes(callsName)) return { ...message, content: said }
  const text = `${markerOf(callsName)}\n${callsText(calls)}`
  return { ...message, content: [...said, { type: 'text', text: said.length === 0 ? text : `\n\n${text}` }] }
}

/** Arguments are JSON text already, unless the call is broken. */
function callsText(calls: readonly AnyCall[]): string {
  const items = calls.map(({ type, name, arguments: text }) => {
    const args = type === 'tool_call' ? text : JSON.stringify(text)
    return `{"name":${JSON.stringify(name)},"args":${args}}`
  })
  return `[${items.join(',')}]`
}
