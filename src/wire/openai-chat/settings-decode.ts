// The settings of a client's request, decoded. What is not understood, or has a wrong type, stays where it is and is carried.
import type { CompletionRequest, ReasoningSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { innerFields, type Notes } from '../extra.js'
import type { Flags, MaxTokensName } from './profiles.js'
import { decodeChoice, decodeFunctionCall } from './tools.js'
import { memberOf, modelled } from './types.js'

/** What decoding found. `left` is what of each member that it understood is still to be carried, or null. */
export interface DecodedSettings {
  readonly fields: Partial<CompletionRequest>
  readonly notes: Notes
  readonly left: JsonObject
}

interface Reading {
  readonly body: JsonObject
  readonly flags: Flags | undefined
  readonly stream: boolean
  readonly notes: { [name: string]: Json }
  readonly left: { [key: string]: Json }
}

/** The settings among the members of a body; a member of a wrong type is none of them and is carried as it came. */
export function readSettings(
  body: JsonObject,
  context: { readonly flags: Flags | undefined; readonly stream: boolean },
): DecodedSettings {
  const notes: { [name: string]: Json } = {}
  const left: { [key: string]: Json } = {}
  const reading: Reading = { body, flags: context.flags, stream: context.stream, notes, left }
  const choice = readChoice(reading)
  const output = readOutput(reading)
  const reasoning = readEffort(reading)
  const stop = readStop(reading)
  const maxTokens = readLimit(reading)
  const temperature = take(reading, 'temperature', isNumber)
  const topP = take(reading, 'top_p', isNumber)
  const parallelToolCalls = take(reading, 'parallel_tool_calls', isBoolean)
  readStream(reading)
  const fields: { -readonly [K in keyof CompletionRequest]?: CompletionRequest[K] } = {}
  if (choice !== undefined) fields.toolChoice = choice
  if (parallelToolCalls !== undefined) fields.parallelToolCalls = parallelToolCalls
  if (output !== undefined) fields.output = output
  if (maxTokens !== undefined) fields.maxTokens = maxTokens
  if (temperature !== undefined) fields.temperature = temperature
  if (topP !== undefined) fields.topP = topP
  if (stop !== undefined) fields.stop = stop
  if (reasoning !== undefined) fields.reasoning = reasoning
  return { fields, notes, left }
}

function isNumber(value: Json): value is number {
  return typeof value === 'number'
}

function isBoolean(value: Json): value is boolean {
  return typeof value === 'boolean'
}

function take<T extends Json>({ body, left }: Reading, key: string, is: (value: Json) => value is T): T | undefined {
  const value = memberOf(body, key)
  if (value === undefined || !is(value)) return undefined
  left[key] = null
  return value
}

const limitNames: readonly MaxTokensName[] = ['max_completion_tokens', 'max_tokens']

function readLimit(reading: Reading): number | undefined {
  const { flags, notes } = reading
  for (const name of limitNames) {
    const limit = take(reading, name, isNumber)
    if (limit === undefined) continue
    if (flags !== undefined && name !== flags.maxTokens[0] && flags.maxTokens.includes(name)) notes.maxTokens = name
    return limit
  }
  return undefined
}

function readStop({ body, notes, left }: Reading): readonly string[] | undefined {
  const stop = memberOf(body, 'stop')
  if (typeof stop === 'string') {
    notes.stop = 'string'
    left.stop = null
    return [stop]
  }
  if (!Array.isArray(stop) || !stop.every((item) => typeof item === 'string')) return undefined
  left.stop = null
  return stop
}

function readChoice({ body, left }: Reading): CompletionRequest['toolChoice'] {
  const choice = decodeChoice(memberOf(body, 'tool_choice') ?? null)
  if (choice !== undefined) {
    left.tool_choice = null
    return choice
  }
  const legacy = decodeFunctionCall(memberOf(body, 'function_call') ?? null)
  if (legacy !== undefined) left.function_call = null
  return legacy
}

/** What of a response format is a setting where no schema is. */
export const formatKeys: ReadonlySet<string> = new Set(['type'])

function readOutput({ body, left }: Reading): CompletionRequest['output'] {
  const format = memberOf(body, 'response_format')
  if (isJsonObject(format) && format.type === 'json_object') {
    left.response_format = innerFields(body, 'response_format', formatKeys) ?? null
    return 'json_object'
  }
  if (!isJsonObject(format) || format.type !== 'json_schema' || !isJsonObject(format.json_schema)) return undefined
  const { name, description, schema, strict } = format.json_schema
  if (!isJsonObject(schema)) return undefined
  const more = innerFields(format, 'json_schema', modelled.jsonSchema)
  left.response_format = more === undefined ? null : { json_schema: more }
  return {
    schema,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function readEffort({ body, flags, notes, left }: Reading): ReasoningSpec | undefined {
  const word = memberOf(body, 'reasoning_effort')
  if (typeof word === 'string') {
    left.reasoning_effort = null
    if (flags !== undefined && flags.effort !== 'reasoning_effort') notes.effort = 'reasoning_effort'
    return { effort: word }
  }
  const object = memberOf(body, 'reasoning')
  if (!isJsonObject(object)) return undefined
  const effort = memberOf(object, 'effort')
  const budget = memberOf(object, 'max_tokens')
  if (typeof effort !== 'string' && typeof budget !== 'number') return undefined
  const more = innerFields({ reasoning: object }, 'reasoning', modelled.reasoning)
  left.reasoning = more ?? null
  if (flags !== undefined && flags.effort !== 'reasoning') notes.effort = 'reasoning'
  return {
    ...(typeof effort === 'string' ? { effort } : {}),
    ...(typeof budget === 'number' ? { budgetTokens: budget } : {}),
  }
}

function readStream({ body, flags, stream, notes, left }: Reading): void {
  left.stream = null
  if (!stream || flags?.streamOptions !== true) return
  const options = memberOf(body, 'stream_options')
  if (!isJsonObject(options) || options.include_usage !== true) notes.includeUsage = false
  const more = isJsonObject(options) ? innerFields({ options }, 'options', modelled.streamOptions) : undefined
  left.stream_options = more ?? null
}
