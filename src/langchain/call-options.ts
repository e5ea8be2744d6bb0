// What a LangChain program asks of one call (bound tools, a choice, a response format), as a request.
import type { BaseChatModelCallOptions, BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isSerializableSchema } from '@langchain/core/utils/standard_schema'
import { isInteropZodSchema } from '@langchain/core/utils/types'
import type { ToolChoice, ToolSpec } from '../conversation/request.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'
import type { ModelRequest } from '../model/model.js'
import { plainCopy } from '../schema/plain.js'
import { importTool } from '../tools/import-tool.js'
import { isRecord } from './blocks.js'
import { fromLangChainMessages, type MessageLoss } from './messages.js'

/** Settings for every call of a chat model. */
export type ChatSettings = Pick<
  ModelRequest,
  'maxTokens' | 'temperature' | 'topP' | 'reasoning' | 'parallelToolCalls' | 'extra'
>

/** What `bindTools`, `withConfig` and `invoke` understand, besides what every chat model does. */
export interface ChatCallOptions extends BaseChatModelCallOptions, ChatSettings {
  tools?: BindToolsInput[]
  /** OpenAI's form: `{ type: 'json_schema', json_schema: { name, schema, strict } }`. */
  response_format?: { readonly [key: string]: unknown }
  parallel_tool_calls?: boolean
}

export interface AskedRequest {
  readonly request: ModelRequest
  /** What the messages held that a conversation cannot. */
  readonly losses: readonly MessageLoss[]
}

/** The request of a call. `options` win over `settings`. Throws `misuse` or `invalid_tool_spec` for what cannot be read. */
export function requestOf(
  messages: readonly BaseMessage[],
  options: Partial<ChatCallOptions>,
  settings: ChatSettings,
): AskedRequest {
  const { messages: read, losses } = fromLangChainMessages(messages)
  const { tools = [], tool_choice: choice, stop, response_format: format } = options
  const given = {
    maxTokens: options.maxTokens ?? settings.maxTokens,
    temperature: options.temperature ?? settings.temperature,
    topP: options.topP ?? settings.topP,
    reasoning: options.reasoning ?? settings.reasoning,
    extra: options.extra ?? settings.extra,
    parallelToolCalls: options.parallel_tool_calls ?? options.parallelToolCalls ?? settings.parallelToolCalls,
    stop,
    output: format === undefined ? undefined : outputOf(format),
    ...(tools.length === 0 ? {} : { tools: tools.map(specOf), toolChoice: choiceOf(choice) }),
  }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { request: { messages: read, ...known }, losses }
}

/** A tool in any form LangChain binds: its own, or a definition of a provider. */
function specOf(tool: BindToolsInput): ToolSpec {
  return importTool(isLangChainTool(tool) ? convertToOpenAITool(tool) : tool).tool.spec
}

/** LangChain's words for a choice, and those of the providers that it passes through. */
function choiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined
  const word = isRecord(choice) ? namedIn(choice) : choice
  switch (word) {
    case 'auto':
    case 'none':
      return word
    case 'any':
    case 'required':
      return 'required'
    default:
      if (typeof word === 'string' && word !== '') return { tool: word }
      throw new ToolwireError('misuse', 'tool_choice is not known; use "auto", "any", "none" or the name of a tool')
  }
}

function namedIn(choice: { readonly [key: string]: unknown }): unknown {
  const named = isRecord(choice.function) ? choice.function.name : choice.name
  return named ?? choice.type
}

/** What a response format asks for; nothing where it is text. */
function outputOf(format: { readonly [key: string]: unknown }): ModelRequest['output'] {
  const inner = isRecord(format.json_schema) ? format.json_schema : format
  if (inner.schema === undefined) {
    if (format.type === 'text') return undefined
    if (format.type === 'json_object') return format.type
    throw new ToolwireError(
      'misuse',
      'response_format has no schema; use { type: "json_schema", json_schema: { name, schema } }',
    )
  }
  const { name, description, strict } = inner
  return {
    schema: jsonSchemaOf(inner.schema),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/** The JSON Schema of a zod schema, a Standard Schema with JSON Schema, or of itself. */
export function jsonSchemaOf(schema: unknown): JsonObject {
  const isForeign = isInteropZodSchema(schema) || isSerializableSchema(schema)
  const copy = plainCopy(isForeign ? toJsonSchema(schema) : schema)
  if (isJsonObject(copy)) return copy
  throw new ToolwireError('misuse', 'the schema is neither a zod schema nor a JSON Schema object')
}
