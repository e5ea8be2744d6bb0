// Any toolwire model as a LangChain chat model: for `createAgent`, LangGraph, chains and everything else that takes one.
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput, StructuredOutputMethodOptions } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelParams,
  type BindToolsInput,
  type LangSmithParams,
} from '@langchain/core/language_models/chat_models'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import {
  assembleStructuredOutputPipeline,
  createContentParser,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output'
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import type { Model } from '../model/model.js'
import { isRecord } from './blocks.js'
import { type AskedRequest, type ChatCallOptions, type ChatSettings, jsonSchemaOf, requestOf } from './call-options.js'
import { chunksOf } from './chunks.js'
import { type AnswerFields, writeTurn } from './turn-writing.js'
import { writeUsage } from './usage.js'

/** Settings for every call, and what every LangChain chat model takes (callbacks, tags, cache, …). */
export type ToLangChainOptions = ChatSettings & BaseChatModelParams

/** A LangChain chat model that can always bind tools. */
export type ToolwireChatModel = BaseChatModel<ChatCallOptions> & {
  bindTools: NonNullable<BaseChatModel<ChatCallOptions>['bindTools']>
}

/** A model as a LangChain chat model. */
export function toLangChain(model: Model, options: ToLangChainOptions = {}): ToolwireChatModel {
  if (typeof model?.complete !== 'function' || typeof model.stream !== 'function') {
    throw new ToolwireError(
      'misuse',
      'toLangChain needs a model; make one with openai(), anthropic() or another factory',
    )
  }
  return new ChatModel(model, options)
}

class ChatModel extends BaseChatModel<ChatCallOptions> {
  readonly #model: Model
  readonly #settings: ChatSettings

  constructor(model: Model, options: ToLangChainOptions) {
    super(options)
    this.#model = model
    this.#settings = options
    this.disableStreaming ||= model.capabilities?.streaming === 'no'
  }

  static override lc_name(): string {
    return 'ToolwireChatModel'
  }

  _llmType(): string {
    return 'toolwire'
  }

  /** What LangChain's cache tells models apart by. */
  override _identifyingParams(): Record<string, unknown> {
    const { maxTokens, temperature, topP, reasoning } = this.#settings
    return { model: this.#model.name, maxTokens, temperature, topP, reasoning }
  }

  override get profile(): ModelProfile {
    const { tools, images, structuredOutput, structuredOutputWithTools: both } = this.#model.capabilities
    return {
      toolCalling: tools !== 'no',
      structuredOutput: structuredOutput === 'yes' && both === 'yes',
      ...(images === 'unknown' ? {} : { imageInputs: images === 'yes' }),
    }
  }

  override getLsParams(options: this['ParsedCallOptions']): LangSmithParams {
    const [provider = ''] = this.#model.name.split(':', 1)
    const temperature = options.temperature ?? this.#settings.temperature
    const maxTokens = options.maxTokens ?? this.#settings.maxTokens
    return {
      ls_provider: provider,
      ls_model_name: this.#model.id,
      ls_model_type: 'chat',
      ...(temperature === undefined ? {} : { ls_temperature: temperature }),
      ...(maxTokens === undefined ? {} : { ls_max_tokens: maxTokens }),
      ...(options.stop === undefined ? {} : { ls_stop: options.stop }),
    }
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<ChatCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatCallOptions> {
    return this.withConfig({ tools, ...kwargs })
  }

  async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const asked = requestOf(messages, options, this.#settings)
    const response = await this.#model.complete(asked.request, { signal: options.signal })
    checkWhole(asked, response)
    const message = writeTurn(response.message, answerFields(asked, response))
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const asked = requestOf(messages, options, this.#settings)
    const events = this.#model.stream(asked.request, { signal: options.signal })
    const finish = (response: CompletionResponse): AnswerFields => {
      checkWhole(asked, response)
      return answerFields(asked, response)
    }
    for await (const message of chunksOf(events, finish)) {
      const { text } = message
      const chunk = new ChatGenerationChunk({ text, message })
      yield chunk
      await runManager?.handleLLMNewToken(text, { prompt: 0, completion: 0 }, undefined, undefined, undefined, {
        chunk,
      })
    }
  }

  /** By the provider's own structured output where the model has it, else by a tool it is made to call. */
  override withStructuredOutput(
    schema: Parameters<BaseChatModel['withStructuredOutput']>[0],
    config: StructuredOutputMethodOptions<boolean> = {},
  ): Runnable<BaseLanguageModelInput, never> {
    const { method = this.#model.capabilities.structuredOutput === 'no' ? 'functionCalling' : 'jsonSchema' } = config
    const { name, description, json } = namedSchema(schema, config.name)
    const strict = config.strict === undefined ? {} : { strict: config.strict }
    const isCall = method === 'functionCalling'
    const definition = { name, description, parameters: json, ...strict }
    const format = { kwargs: { method: isCall ? 'function_calling' : 'json_schema' }, schema: { title: name, ...json } }
    const bound = isCall
      ? this.bindTools([{ type: 'function', function: definition }], {
          tool_choice: name,
          ls_structured_output_format: format,
        })
      : this.withConfig({
          response_format: { type: 'json_schema', json_schema: { name, schema: json, ...strict } },
          ls_structured_output_format: format,
        })
    const parser = isCall ? createFunctionCallingParser(schema, name) : createContentParser(schema)
    const pipeline = assembleStructuredOutputPipeline(bound, parser, config.includeRaw, 'ToolwireStructuredOutput')
    return pipeline as Runnable<BaseLanguageModelInput, never> // typed by the overloads of the base class
  }
}

/** A schema with its name; OpenAI's function form brings its own. */
function namedSchema(schema: unknown, name: string | undefined): { name: string; description: string; json: object } {
  const isFunction = isRecord(schema) && typeof schema.name === 'string' && isRecord(schema.parameters)
  const json = jsonSchemaOf(isFunction ? schema.parameters : schema)
  const said = isFunction ? schema.description : json.description
  return {
    name: name ?? (isFunction ? String(schema.name) : 'extract'),
    description: typeof said === 'string' ? said : 'The answer in the form that was asked for.',
    json,
  }
}

/** LangChain completes cut JSON by guessing: an answer in a schema that was cut must not get there. */
function checkWhole({ request }: AskedRequest, response: CompletionResponse): void {
  if (request.output === undefined || response.finishReason !== 'length') return
  const message = 'the output limit cut the structured answer off; ask for a shorter one, or raise maxTokens'
  throw new ToolwireError('truncated', message, { partial: response, retryable: false })
}

/** What LangChain is told of an answer besides what it says. */
function answerFields({ losses }: AskedRequest, response: CompletionResponse): AnswerFields {
  const told = [...losses, ...response.losses]
  return {
    ...(response.id === '' ? {} : { id: response.id }),
    // LangChain infers `never` for this field where optional properties are exact.
    ...(response.usage === undefined ? {} : { usage_metadata: writeUsage(response.usage) as never }),
    response_metadata: {
      model_provider: 'toolwire',
      // Its own packages do not agree on the name: ChatAnthropic and ChatOllama write "model", ChatOpenAI "model_name" or both.
      model: response.model,
      model_name: response.model,
      finish_reason: response.finishReason,
      ...(told.length === 0 ? {} : { losses: told }),
    },
  }
}
