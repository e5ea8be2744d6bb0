// Any LangChain chat model as a toolwire model, so that `run`, the executor and everything else here drives it.
// Trap: settings such as the temperature belong to the chat model; asked for in a request, they are reported as lost.
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import type { CompletionEvent } from '../conversation/events.js'
import { createFolder, withPartial } from '../conversation/fold.js'
import type { Loss } from '../conversation/losses.js'
import type { Origin } from '../conversation/messages.js'
import type { CompletionRequest, ToolSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value } from '../json/types.js'
import { awaitable, drained, leavable, type Source } from '../model/awaitable.js'
import { checkCapabilities, unknownCapabilities } from '../model/capabilities.js'
import type { CallOptions, Capabilities, Model, ModelRequest } from '../model/model.js'
import { codecs, profileOf } from '../wire/index.js'
import { answerEvents, growth } from './answers.js'
import { isRecord } from './blocks.js'
import type { AnswerMessage } from './call-reading.js'
import { type Dialect, dialectOf } from './dialects.js'
import { foreignFailure } from './failures.js'
import { withNamedResults } from './named-results.js'
import { sentMessages } from './sent-messages.js'
import { readGrowing } from './turn-reading.js'

export interface FromLangChainOptions {
  /** The id of the model; what the chat model says of itself when left out. */
  readonly id?: string | undefined
  /** Which it is: `openai`, `openai-responses`, `anthropic`, `ollama`, `googlegenerativeai`; what it says of itself when left out. */
  readonly type?: string | undefined
  /** What is known of it. */
  readonly capabilities?: Partial<Capabilities> | undefined
}

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
    const request: CompletionRequest = { ...given, model: foreign.id }
    checkCapabilities(request, foreign.capabilities, foreign.name)
    const { sealed, messages, losses } = prepare(request, foreign)
    for (const loss of losses) yield tell({ type: 'loss', loss })
    const answer = { foreign, request: sealed, messages, signal }
    const events = stream && sealed.output === undefined ? streamed(answer) : whole(answer)
    for await (const event of events) yield tell(event)
    return folder.done().response
  } catch (error) {
    const failure = foreignFailure(error, signal)
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
  yield* answerEvents(message, foreign.dialect, foreign.home, new Map())
}

async function* streamed(call: Call): AsyncGenerator<CompletionEvent> {
  const { foreign, messages, signal } = call
  const told = new Map<number, number>()
  let merged: AIMessageChunk | undefined
  for await (const chunk of await bound(call).stream(messages, optionsOf(call))) {
    const answer = answerIn(foreign, chunk)
    if (merged === undefined) yield startOf(foreign, answer)
    if (!isChunk(answer)) return yield* answerEvents(answer, foreign.dialect, foreign.home, told) // it cannot stream
    merged = merged === undefined ? answer : merged.concat(answer)
    const slots = readGrowing(merged)
    for (const event of growth(slots, told)) yield event
    for (const { slot, part } of slots) if ('text' in part) told.set(slot, part.text.length)
  }
  signal.throwIfAborted() // some packages end their stream in silence then
  if (merged === undefined) throw new ToolwireError('truncated', `${foreign.name} ended its stream without an answer`)
  yield* answerEvents(merged, foreign.dialect, foreign.home, told)
}

async function invoked(call: Call): Promise<AnswerMessage> {
  return answerIn(call.foreign, await bound(call).invoke(call.messages, optionsOf(call)))
}

/** An answer in a schema, by whatever way the chat model has. One that it gives as the arguments of a call becomes text. */
async function structured(call: Call): Promise<AnswerMessage> {
  const { foreign, request, messages } = call
  const { schema = {}, name = 'response' } = request.output ?? {}
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

/** The chat model with the tools of the request. */
function bound({ foreign: { chatModel, dialect }, request }: Call): Runnable<BaseLanguageModelInput, BaseMessage> {
  const { tools = [], toolChoice: choice } = request
  const specs = tools.filter((tool): tool is ToolSpec => tool.type !== 'opaque')
  const allowed =
    typeof choice === 'object' && 'allowed' in choice
      ? specs.filter((spec) => choice.allowed.includes(spec.name))
      : specs
  if (allowed.length === 0 || (choice === 'none' && !dialect.choice) || chatModel.bindTools === undefined)
    return chatModel
  const definitions = allowed.map(({ name, description = '', inputSchema = { type: 'object', properties: {} } }) => ({
    type: 'function',
    function: { name, description, parameters: structuredClone(inputSchema) },
  }))
  const word = choiceWord(request)
  return chatModel.bindTools(definitions, word === undefined || !dialect.choice ? {} : { tool_choice: word })
}

function choiceWord({ toolChoice: choice }: CompletionRequest): string | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (typeof choice === 'string') return choice === 'required' ? 'any' : choice
  if ('tool' in choice) return choice.tool
  return choice.mode === 'required' ? 'any' : undefined
}

function optionsOf({ request, signal }: Call): { signal: AbortSignal; stop?: string[] } {
  return { signal, ...(request.stop === undefined ? {} : { stop: [...request.stop] }) }
}

interface Prepared {
  readonly sealed: CompletionRequest
  readonly messages: BaseMessage[]
  readonly losses: readonly Loss[]
}

/** The request as the chat model can be asked: sealed by the rules of its wire, and what it cannot be told reported. */
function prepare(request: CompletionRequest, { dialect }: Foreign): Prepared {
  const codec = codecs[dialect.wire]
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: false }
  const { request: sealed, losses: repairs } = codec.seal(request, env)
  const sent = sentMessages(sealed.messages, dialect)
  return { sealed, messages: sent.messages, losses: [...repairs, ...settingLosses(sealed, dialect), ...sent.losses] }
}

const ownSettings = ['maxTokens', 'temperature', 'topP', 'reasoning', 'parallelToolCalls', 'extra'] as const

function settingLosses(request: CompletionRequest, { wire, choice, stop }: Dialect): readonly Loss[] {
  const settings = stop ? ownSettings : ([...ownSettings, 'stop'] as const)
  const dropped = settings.filter((setting) => request[setting] !== undefined)
  const losses = dropped.map((setting): Loss => {
    const message = `${setting} is a setting of the chat model; set it there`
    return { code: 'setting_dropped', wire, path: `/${setting}`, kind: 'dropped', message }
  })
  const word = choiceWord(request)
  if (choice || word === undefined || word === 'none') return losses
  const message = 'this chat model cannot be made to call a tool; the choice was left to it'
  return [...losses, { code: 'tool_choice_widened', wire, path: '/toolChoice', kind: 'widened', to: 'auto', message }]
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
