// What a module call was, for a file: inputs, outputs and the messages as they were rendered, in the shapes DSPy keeps them.
import { Conversation } from '../conversation/conversation.js'
import type { Message } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { Usage } from '../conversation/usage.js'
import { bodyText } from '../frames/body.js'
import { displayJson } from '../json/display.js'
import { parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { profileOf } from '../wire/index.js'
import { openaiChatCodec } from '../wire/openai-chat/index.js'
import { isToolField, type SignatureData } from './field.js'
import { printSignature } from './print.js'

/** One call of a module, as `exportTrace` gives it: enough to show again or to learn from. */
export interface Trace {
  readonly module: string
  readonly signature: SignatureData
  readonly inputs: object
  /** Internal outputs too. */
  readonly outputs: object
  /** The conversation of the last model call, its answer included. */
  readonly messages: readonly Message[]
  readonly tools?: CompletionRequest['tools']
  readonly model: string
  readonly adapter: string
  readonly usage: Usage
  readonly modelCalls: number
}

/**
 * Plain JSON. `inputs` and `outputs` are the arguments of `dspy.Example` and `dspy.Prediction`; `messages` (and `tools`) have the
 * form of Chat Completions, as DSPy keeps them in its history, without the answer, which is in `response`.
 */
export function exportTrace(trace: Trace): JsonObject {
  const { module, signature, inputs, outputs, messages, tools, model, adapter, usage, modelCalls } = trace
  const chat = chatForm({ model, messages, ...(tools === undefined ? {} : { tools }) })
  const list = (chat.messages ?? []) as readonly Json[]
  const isAnswered = messages.at(-1)?.role === 'assistant'
  return {
    module,
    signature: printSignature(signature),
    instructions: signature.instruction,
    inputs: plainInputs(signature, inputs),
    outputs: plain(outputs),
    model,
    adapter,
    messages: isAnswered ? list.slice(0, -1) : list,
    response: isAnswered ? (list.at(-1) ?? null) : null,
    ...(chat.tools === undefined ? {} : { tools: chat.tools }),
    usage: plain(usage),
    model_calls: modelCalls,
  }
}

function chatForm(request: CompletionRequest): JsonObject {
  const env = { profile: profileOf(openaiChatCodec), createdSeconds: 0, deltas: false }
  const { http } = openaiChatCodec.request.encode(request, { stream: false }, env)
  return parseBody(bodyText(http.body)) as JsonObject
}

/** Tools by what the model sees of them, a conversation by its messages. */
function plainInputs(signature: SignatureData, inputs: object): JsonObject {
  const values = Object.entries(inputs).map(([name, value]: [string, unknown]): [string, Json] => {
    const field = signature.inputs.find((known) => known.name === name)
    if (value instanceof Conversation) return [name, plain(value.messages)]
    return [name, field !== undefined && isToolField(field) ? plainTools(value) : plain(value)]
  })
  return Object.fromEntries(values)
}

function plainTools(value: unknown): Json {
  const one = (tool: unknown): Json => {
    const spec: unknown = typeof tool === 'object' && tool !== null && 'spec' in tool ? tool.spec : tool
    return plain(spec)
  }
  if (Array.isArray(value)) return value.map(one)
  const list: unknown = typeof value === 'object' && value !== null && 'list' in value ? value.list : undefined
  return typeof list === 'function' ? (value as { list(): readonly unknown[] }).list().map(one) : one(value)
}

/** Anything as JSON; what JSON does not have is shown as a word. */
function plain(value: unknown): Json {
  return parseBody(displayJson(value))
}
