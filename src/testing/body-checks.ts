// What strict providers refuse that only the body shows: settings a wire does not have, and shapes that decoding forgives.
import type { Wire } from '../conversation/messages.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { HttpRequest } from '../wire/codec.js'
import { modelIn } from '../wire/gemini/paths.js'
import { profiles as geminiProfiles } from '../wire/gemini/profiles.js'

/** Whether the provider remembers the item of an answer. */
export type IsStored = (id: Json | undefined) => boolean
type Check = (body: JsonObject, http: HttpRequest, isStored: IsStored) => readonly (string | false)[]

/** The faults of a body that decodes. */
export function bodyFaults(
  wire: Wire,
  raw: HttpRequest & { readonly body: string },
  isStored: IsStored,
): readonly string[] {
  const body = parseBody(raw.body)
  const faults = isJsonObject(body) ? checks[wire](body, raw, isStored) : []
  return faults.filter((fault) => fault !== false)
}

const checks: Readonly<Record<Wire, Check>> = {
  'openai-chat': (body) => [
    ...withoutTools(body),
    ...withoutTheWord('messages', body.messages, 'response_format', body.response_format),
    Array.isArray(body.stop) &&
      body.stop.length > 4 &&
      `stop: at most 4 sequences are allowed, there are ${body.stop.length}`,
    has(body, 'max_tokens') && has(body, 'max_completion_tokens') && 'max_tokens: give max_completion_tokens only',
    ...objects(body.messages).flatMap((message, index) => chatMessage(message, `messages.${index}`)),
  ],
  'openai-responses': (body, _, isStored) => [
    ...forcedWithoutTools(body),
    typeof body.max_output_tokens === 'number' &&
      body.max_output_tokens < 16 &&
      `max_output_tokens: must be at least 16, is ${body.max_output_tokens}`,
    ...withoutTheWord('input', body.input, 'text.format', isJsonObject(body.text) ? body.text.format : undefined),
    ...objects(body.input).flatMap((item, index, items) =>
      responsesItem(item, items[index + 1], `input.${index}`, isStored),
    ),
  ],
  anthropic: (body, { headers }) => [
    headers['anthropic-version'] === undefined && 'anthropic-version: header is required',
    typeof body.max_tokens !== 'number' && 'max_tokens: Field required',
    ...(isOldVersion(headers) ? [] : sampling.map((key) => has(body, key) && `${key}: Extra inputs are not permitted`)),
    forcesWhileThinking(body) && 'tool_choice: thinking may not be enabled when it forces tool use',
    usesTools(body) && !has(body, 'tools') && 'tools: must be declared when the history has tool blocks',
    ...objects(body.messages).flatMap((message, index) => anthropicMessage(message, `messages.${index}`)),
  ],
  ollama: (body) => objects(body.messages).flatMap((message, index) => ollamaMessage(message, `messages.${index}`)),
  gemini: (body, { path }) => [
    ...objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations).map(twoSchemas)),
    ...objects(body.contents).map(
      (content, index) => !hasValidRole(content) && `contents.${index}.role: valid roles are user and model`,
    ),
    geminiProfiles.gemini?.signedModels?.test(modelIn(path)) === true &&
      lacksSignature(objects(body.contents)) &&
      'contents: a function call of the current turn is missing a thought_signature',
  ],
}

const sampling = ['temperature', 'top_p', 'top_k']

function isOldVersion(headers: HttpRequest['headers']): boolean {
  return headers['anthropic-version'] === '2023-06-01'
}

function has(body: JsonObject, key: string): boolean {
  return Object.hasOwn(body, key) && body[key] !== null
}

/** The objects of a list; what is no list has none, and what is no object in it is decoding's matter. */
function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

function withoutTools(body: JsonObject): readonly (string | false)[] {
  if (Array.isArray(body.tools) && body.tools.length === 0) return ['tools: an empty list is not allowed']
  const needing = ['tool_choice', 'parallel_tool_calls'].filter((key) => !has(body, 'tools') && has(body, key))
  return needing.map((key) => `${key}: only allowed when tools are given`)
}

/** Responses takes an empty list and idle settings, as SDKs send them; only a call that must be made needs tools. */
function forcedWithoutTools({ tools, tool_choice: choice }: JsonObject): readonly (string | false)[] {
  const hasTools = Array.isArray(tools) && tools.length > 0
  const isForced = choice === 'required' || isJsonObject(choice)
  return [!hasTools && isForced && 'tool_choice: a call can only be demanded when tools are given']
}

/** What is asked for as any JSON object must be called that in the messages; instructions beside them do not count. */
function withoutTheWord(
  name: string,
  messages: Json | undefined,
  member: string,
  format: Json | undefined,
): readonly (string | false)[] {
  if (!isJsonObject(format) || format.type !== 'json_object') return []
  const isThere = /json/i.test(JSON.stringify(messages))
  return [!isThere && `${name}: must contain the word 'json' in some form, to use '${member}' of type 'json_object'`]
}

function chatMessage(message: JsonObject, path: string): readonly (string | false)[] {
  const calls = objects(message.tool_calls)
  const isAssistant = message.role === 'assistant'
  const empty = Array.isArray(message.tool_calls) && message.tool_calls.length === 0
  return [
    empty && `${path}.tool_calls: an empty list is not allowed`,
    isAssistant &&
      calls.length === 0 &&
      !has(message, 'content') &&
      `${path}.content: must be given without tool_calls`,
    message.role === 'tool' && typeof message.tool_call_id !== 'string' && `${path}.tool_call_id: must be given`,
    message.role === 'tool' &&
      objects(message.content).some((part) => part.type !== 'text') &&
      `${path}.content: a tool message holds text only`,
    ...calls.map(
      ({ function: called }) =>
        isJsonObject(called) && typeof called.arguments !== 'string' && `${path}: arguments must be a string`,
    ),
  ]
}

function responsesItem(
  item: JsonObject,
  next: JsonObject | undefined,
  path: string,
  isStored: IsStored,
): readonly (string | false)[] {
  const followed = next?.type === 'function_call' || next?.type === 'reasoning' || next?.role === 'assistant'
  return [
    item.type === 'function_call' && typeof item.arguments !== 'string' && `${path}.arguments: must be a string`,
    item.type === 'reasoning' && !followed && `${path}: reasoning was provided without its required following item`,
    item.type === 'reasoning' &&
      !has(item, 'encrypted_content') &&
      !isStored(item.id) &&
      `${path}: the item was not stored`,
  ]
}

function forcesWhileThinking({ tool_choice: choice, thinking }: JsonObject): boolean {
  const forces = isJsonObject(choice) && (choice.type === 'any' || choice.type === 'tool')
  return forces && isJsonObject(thinking) && thinking.type === 'enabled'
}

function usesTools(body: JsonObject): boolean {
  return objects(body.messages).some((message) => objects(message.content).some((block) => block.type === 'tool_use'))
}

function anthropicMessage(message: JsonObject, path: string): readonly (string | false)[] {
  const blocks = objects(message.content)
  const results = blocks.filter((block) => block.type === 'tool_result')
  const isEmpty = message.content === '' || (Array.isArray(message.content) && message.content.length === 0)
  return [
    isEmpty && `${path}: messages must have non-empty content`,
    results.some((block, index) => blocks[index] !== block) && `${path}: tool_result blocks must come first`,
    ...blocks.map(
      (block, index) =>
        block.type === 'text' &&
        String(block.text).trim() === '' &&
        `${path}.content.${index}: text content blocks must contain non-whitespace text`,
    ),
    ...blocks.map(
      (block, index) =>
        block.type === 'tool_use' && !isJsonObject(block.input) && `${path}.content.${index}.input: must be an object`,
    ),
  ]
}

function ollamaMessage(message: JsonObject, path: string): readonly (string | false)[] {
  return [
    has(message, 'content') && typeof message.content !== 'string' && `${path}.content: must be a string`,
    ...objects(message.tool_calls).map(
      ({ function: called }) =>
        isJsonObject(called) && !isJsonObject(called.arguments) && `${path}: arguments must be an object`,
    ),
  ]
}

/** A role may be missing, and results may stand under the roles of older samples. */
function hasValidRole({ role, parts }: JsonObject): boolean {
  if (role === undefined || role === null || role === 'user' || role === 'model') return true
  if (role !== 'function' && role !== 'tool') return false
  return objects(parts).every((part) => has(part, 'functionResponse') || has(part, 'function_response'))
}

function twoSchemas(spec: JsonObject): string | false {
  return has(spec, 'parameters') && has(spec, 'parametersJsonSchema') && 'tools: give one schema of a function, not two'
}

/**
 * Whether the first call of a turn since the user last spoke has no signature. A turn may be spread over several contents:
 * the official client keeps each chunk of a stream as one.
 */
function lacksSignature(contents: readonly JsonObject[]): boolean {
  const isResult = (part: JsonObject): boolean => has(part, 'functionResponse')
  const asked = contents.findLastIndex(({ role, parts }) => role !== 'model' && !objects(parts).some(isResult))
  let called = false
  for (const { role, parts } of contents.slice(asked + 1)) {
    const call = objects(parts).find((part) => has(part, 'functionCall'))
    if (!called && call !== undefined && !has(call, 'thoughtSignature')) return true
    called = role === 'model' && (called || call !== undefined)
  }
  return false
}
