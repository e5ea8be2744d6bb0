// Ready-made clients over a LangChain chat model: the whole tool loop, with LangChain's messages in and out and one executor
// for every call. What a model says and what the tools gave is kept complete from turn to turn.
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { Message } from '../conversation/messages.js'
import type { Usage } from '../conversation/usage.js'
import type { RunOptions } from '../loop/options.js'
import type { RunResult } from '../loop/result.js'
import { run } from '../loop/run.js'
import type { Stop } from '../loop/stop.js'
import type { Model } from '../model/model.js'
import type { Log } from '../tools/audit.js'
import { toolResults } from '../tools/results.js'
import { type FromLangChainOptions, fromLangChain } from './foreign-model.js'
import { fromLangChainMessages, toLangChainMessages } from './messages.js'

type Given = 'model' | 'prompt' | 'messages' | 'conversation' | 'resume' | 'approvals' | 'journal' | 'signal' | 'runId'

/** A chat model, and all that a run takes: `tools` or an `executor` shared with other clients, limits, approvals. */
export interface ClientOptions extends Omit<RunOptions, Given> {
  readonly chatModel: BaseChatModel
  /** Where warnings go, such as that of an unknown tool; the console unless given. */
  readonly log?: Log | undefined
}

/** What a client's run gave, in LangChain's messages. */
export interface ClientAnswer {
  readonly text: string
  /** What was given and what came: `AIMessage`s with `tool_calls`, and a `ToolMessage` for each of them. */
  readonly messages: BaseMessage[]
  readonly stop: Stop
  readonly usage: Usage
}

/** A LangChain chat model driven by `run`, with messages of LangChain in and out. */
export class LangChainClient {
  readonly model: Model
  readonly #options: Omit<ClientOptions, 'chatModel'>

  constructor({ chatModel, ...options }: ClientOptions, chatOptions: FromLangChainOptions = {}) {
    this.model = fromLangChain(chatModel, chatOptions)
    this.#options = { log: console, ...options }
  }

  /** Asks, runs every call and asks again, until the model answers or a limit is reached. `stop` says which. */
  async invoke(
    input: string | readonly BaseMessage[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ClientAnswer> {
    const given = messagesOf(input)
    const read = fromLangChainMessages(given).messages
    const result = await run({ ...this.#options, model: this.model, messages: read, signal: options.signal })
    return { text: result.text, messages: historyOf(given, read, result), stop: result.stop, usage: result.usage }
  }

  /** The same, message by message: each answer when it is whole, then the results of its calls. */
  async *stream(
    input: string | readonly BaseMessage[],
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<BaseMessage, ClientAnswer> {
    const given = messagesOf(input)
    const read = fromLangChainMessages(given).messages
    const events = run.stream({ ...this.#options, model: this.model, messages: read, signal: options.signal })
    for await (const event of events) {
      if (event.type !== 'turn_end') continue
      const results = event.results.length === 0 ? [] : [toolResults(event.results)]
      yield* toLangChainMessages([event.response.message, ...results]).messages
    }
    const result = await events
    return { text: result.text, messages: historyOf(given, read, result), stop: result.stop, usage: result.usage }
  }
}

/** Claude through ChatAnthropic. */
export class AnthropicClient extends LangChainClient {
  constructor(options: ClientOptions) {
    super(options, { type: 'anthropic' })
  }
}

/** A model of an Ollama server through ChatOllama. */
export class OllamaClient extends LangChainClient {
  constructor(options: ClientOptions) {
    super(options, { type: 'ollama' })
  }
}

function messagesOf(input: string | readonly BaseMessage[]): readonly BaseMessage[] {
  return typeof input === 'string' ? [new HumanMessage(input)] : input
}

/** The given messages as they are, unless results had to be put among them; then what the run added. */
function historyOf(given: readonly BaseMessage[], read: readonly Message[], { messages }: RunResult): BaseMessage[] {
  const isKept = read.every((message, index) => messages[index] === message)
  if (!isKept) return toLangChainMessages(messages).messages
  return [...given, ...toLangChainMessages(messages.slice(read.length)).messages]
}
