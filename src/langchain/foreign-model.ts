// Any LangChain chat model as a toolwire model, so that `run`, the executor and everything else here drives it.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { checkRequest } from '../conversation/check-request.js'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import type { Origin } from '../conversation/messages.js'
import type { CompletionRequest, OutputSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value } from '../json/types.js'
import { awaitable, drained, leavable, type Source } from '../model/awaitable.js'
import { checkCapabilities, unknownCapabilities } from '../model/capabilities.js'
import type { CallOptions, Capabilities, Model, ModelRequest } from '../model/model.js'
import { answerEvents, growth } from './answers.js'
import { isRecord } from './blocks.js'
import type { AnswerMessage } from './call-reading.js'
import { type Dialect, dialectOf } from './dialects.js'
import { chatModelFailure } from './failures.js'
import { bound, prepare } from './foreign-request.js'
import { withNamedResults } from './named-results.js'
import { readGrowing } from './turn-reading.js'

/** What a LangChain chat model does not tell of itself. */
export interface FromLangChainOptions {
  /** The id of the model; what the chat model says of itself when left out. */
  readonly id?: string | undefined
  /** Which it is: `openai`, `openai-responses`, `anthropic`, `ollama`, `googlegenerativeai`; what it says of itself when left out. */
  readonly type?: string | undefined
  /** What is known of it. */
  readonly capabilities?: Partial<Capabilities> | undefined
}

/** A LangChain chat model as a model here. */
export function fromLangChain(chatModel: BaseChatModel, options: FromLangChainOptions = {}): Model {
  if (typeof chatModel?.invoke !== 'function' || typeof chatModel._llmType !== 'function') {
    throw new ToolwireError('misuse', 'fromLangChain needs a LangChain chat model, such as new ChatOllama({ … })')
  }
  const type = options.type ?? typeOf(chatModel)
  const dialect = dialectOf(type)
  const id = options.id ?? idOf(chatModel) ?? type
  const foreign: Foreign = {
    chatModel: dialect.namesResults ? chatModel : withNamedResults(chatModel),
    dialect,
    name: `${type}:${id}`,
    home: { wire: dialect.wire, provider: dialect.provider, model: id },
    id,
    capabilities: {
      ...unknownCapabilities,
      tools: typeof chatModel.bindTools === 'function' ? 'unknown' : 'no',
      structuredOutputWithTools: 'no',
      ...options.capabilities,
    },
  }
  const open = (
    request: ModelRequest,
    call: CallOptions,
    stream: boolean,
  ): Source<CompletionEvent, CompletionResponse> =>
    leavable(call.signal, (signal) => callEvents(foreign, request, signal, stream))
  return {
    name: foreign.name,
    id,
    capabilities: foreign.capabilities,
    complete: async (request, call = {}) => drained(open(request, call, false).events),
    stream: (request, call = {}) => awaitable(() => open(request, call, true)),
  }
}

interface Foreign {
  readonly chatModel: BaseChatModel
  readonly dialect: Dialect
  readonly name: string
  readonly id: string
  /** Where its continuations come from. */
  readonly home: Origin
  readonly capabilities: Capabilities
}

async function* callEvents(
  foreign: Foreign,
  given: ModelRequest,
  signal: AbortSignal,
  stream: boolean,
): AsyncGenerator<CompletionEvent, CompletionResponse> {
  const folder = createFolder()
  const tell = (event: CompletionEvent): CompletionEvent => {
    folder.push(event)
    return event
  }
  try {
    checkRequest(given)
    const request: CompletionRequest = { ...given, model: foreign.id }
    checkCapabilities(request, foreign.capabilities, foreign.name)
    const { sealed, messages, losses } = prepare(request, foreign.dialect)
    for (const loss of losses) yield tell({ type: 'loss', loss })
    const answer = { foreign, request: sealed, messages, signal }
    const events = stream && sealed.output === undefined ? streamed(answer) : whole(answer)
    for await (const event of events) yield tell(event)
    return folder.done().response
  } catch (error) {
    const failure = chatModelFailure(error, signal)
    const { response } = folder.done()
    throw response.message.content.length > 0 ? withPartial(failure, response) : failure
  }
}

interface Call {
  readonly foreign: Foreign
  readonly request: CompletionRequest
  readonly messages: BaseMessage[]
  readonly signal: AbortSignal
}

async function* whole(call: Call): AsyncGenerator<CompletionEvent> {
  const { foreign, request } = call
  const message = request.output === undefined ? await invoked(call) : await structured(call)
  yield startOf(foreign, message)
  yield* answerEvents(message, foreign.dialect, foreign.home, call.messages.length, new Map())
}

async function* streamed(call: Call): AsyncGenerator<CompletionEvent> {
  const { foreign, messages, signal } = call
  const told = new Map<number, number>()
  let merged: AIMessageChunk | undefined
  for await (const chunk of await boundIn(call).stream(messages, optionsOf(call))) {
    const answer = answerIn(foreign, chunk)
    if (merged === undefined) yield startOf(foreign, answer)
    if (!isChunk(answer)) return yield* answerEvents(answer, foreign.dialect, foreign.home, messages.length, told) // it cannot stream
    merged = merged === undefined ? answer : merged.concat(answer)
    const slots = readGrowing(merged)
    for (const event of growth(slots, told)) yield event
    for (const { slot, part } of slots) if ('text' in part) told.set(slot, part.text.length)
  }
  signal.throwIfAborted() // some packages end their stream in silence then
  if (merged === undefined) throw new ToolwireError('truncated', `${foreign.name} ended its stream without an answer`)
  yield* answerEvents(merged, foreign.dialect, foreign.home, messages.length, told)
}

async function invoked(call: Call): Promise<AnswerMessage> {
  return answerIn(call.foreign, await boundIn(call).invoke(call.messages, optionsOf(call)))
}

/** Not all chat models have a mode for any JSON object. */
const anyObject: OutputSpec = { schema: { type: 'object' } }

/** An answer in a schema, by whatever way the chat model has. One that it gives as the arguments of a call becomes text. */
async function structured(call: Call): Promise<AnswerMessage> {
  const { foreign, request, messages } = call
  const { schema, name = 'response' } = typeof request.output === 'object' ? request.output : anyObject
  const runnable = foreign.chatModel.withStructuredOutput(structuredClone(schema), { name, includeRaw: true })
  const given: unknown = await runnable.invoke(messages, optionsOf(call))
  const { raw, parsed } = isRecord(given) ? given : {}
  const message = answerIn(foreign, raw)
  if (parsed === null || parsed === undefined || (message.tool_calls ?? []).length === 0) return message
  const { id, response_metadata, usage_metadata } = message
  return new AIMessage({
    content: stringifyJson(parsed as Value),
    ...(id === undefined ? {} : { id }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    response_metadata: { ...response_metadata, finish_reason: 'stop' },
  })
}

function answerIn(foreign: Foreign, message: unknown): AnswerMessage {
  if (AIMessage.isInstance(message)) return message
  const what = isRecord(message) && typeof message.type === 'string' ? `a "${message.type}" message` : 'no message'
  throw new ToolwireError('malformed_response', `${foreign.name} gave ${what} instead of an answer`)
}

/** Told by what it can do: a program may hold two copies of LangChain, and their classes do not know each other. */
function isChunk(message: AnswerMessage): message is AIMessageChunk {
  return 'concat' in message
}

function startOf({ id, home }: Foreign, message: AnswerMessage): CompletionEvent {
  return { type: 'start', id: message.id ?? '', model: id, origin: home }
}

function boundIn({ foreign, request }: Call): ReturnType<typeof bound> {
  return bound(foreign.chatModel, foreign.dialect, request)
}

function optionsOf({ request, signal }: Call): { signal: AbortSignal; stop?: string[] } {
  return { signal, ...(request.stop === undefined ? {} : { stop: [...request.stop] }) }
}

/** ChatOpenAI is two in one: which it is decides what it takes back. */
function typeOf(chatModel: BaseChatModel): string {
  const type = chatModel._llmType()
  const isResponses = 'useResponsesApi' in chatModel && chatModel.useResponsesApi === true
  return isResponses ? `${type}-responses` : type
}

/** What a chat model calls its model: the packages do not agree on the field. */
function idOf(chatModel: BaseChatModel): string | undefined {
  const fields = chatModel as { readonly model?: unknown; readonly modelName?: unknown }
  return [fields.model, fields.modelName].find((value): value is string => typeof value === 'string' && value !== '')
}
