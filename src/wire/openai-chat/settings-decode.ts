// The settings of a client's request, decoded. What is not understood, or has a wrong type, stays where it is and is carried.
import type { CompletionRequest, OutputSpec, ReasoningSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import { innerFields, type Notes } from '../extra.js'
import type { Flags, MaxTokensName } from './profiles.js'
import { decodeChoice, decodeFunctionCall } from './tools.js'
import { memberOf, modelled } from './types.js'

/** What decoding found; what it understood is taken out of `rest`. */
export interface DecodedSettings {
  readonly fields: Partial<CompletionRequest>
  readonly notes: Notes
}

/** Reads what it understands out of `rest`; a member of a wrong type stays there and is carried as it came. */
export function readSettings(
  rest: Map<string, Json>,
  context: { readonly flags: Flags | undefined; readonly stream: boolean },
): DecodedSettings {
  const notes: { [name: string]: Json } = {}
  const { flags } = context
  const choice = readChoice(rest)
  const output = readOutput(rest)
  const reasoning = readEffort(rest, flags, notes)
  const stop = readStop(rest, notes)
  const maxTokens = readLimit(rest, flags, notes)
  const temperature = take(rest, 'temperature', isNumber)
  const topP = take(rest, 'top_p', isNumber)
  const parallelToolCalls = take(rest, 'parallel_tool_calls', isBoolean)
  readStream(rest, context, notes)
  const fields: { -readonly [K in keyof CompletionRequest]?: CompletionRequest[K] } = {}
  if (choice !== undefined) fields.toolChoice = choice
  if (parallelToolCalls !== undefined) fields.parallelToolCalls = parallelToolCalls
  if (output !== undefined) fields.output = output
  if (maxTokens !== undefined) fields.maxTokens = maxTokens
  if (temperature !== undefined) fields.temperature = temperature
  if (topP !== undefined) fields.topP = topP
  if (stop !== undefined) fields.stop = stop
  if (reasoning !== undefined) fields.reasoning = reasoning
  return { fields, notes }
}

function isNumber(value: Json): value is number {
  return typeof value === 'number'
}

function isBoolean(value: Json): value is boolean {
  return typeof value === 'boolean'
}

function take<T extends Json>(rest: Map<string, Json>, key: string, is: (value: Json) => value is T): T | undefined {
  const value = rest.get(key)
  if (value === undefined || !is(value)) return undefined
  rest.delete(key)
  return value
}

function readLimit(
  rest: Map<string, Json>,
  flags: Flags | undefined,
  notes: { [name: string]: Json },
): number | undefined {
  for (const name of ['max_completion_tokens', 'max_tokens'] satisfies MaxTokensName[]) {
    const limit = take(rest, name, isNumber)
    if (limit === undefined) continue
    if (flags !== undefined && name !== flags.maxTokens[0] && flags.maxTokens.includes(name)) notes.maxTokens = name
    return limit
  }
  return undefined
}

function readStop(rest: Map<string, Json>, notes: { [name: string]: Json }): readonly string[] | undefined {
  const stop = rest.get('stop')
  if (typeof stop === 'string') {
    notes.stop = 'string'
    rest.delete('stop')
    return [stop]
  }
  if (!Array.isArray(stop) || !stop.every((item) => typeof item === 'string')) return undefined
  rest.delete('stop')
  return stop
}

function readChoice(rest: Map<string, Json>): CompletionRequest['toolChoice'] {
  const choice = decodeChoice(rest.get('tool_choice') ?? null)
  if (choice !== undefined) {
    rest.delete('tool_choice')
    return choice
  }
  const legacy = decodeFunctionCall(rest.get('function_call') ?? null)
  if (legacy !== undefined) rest.delete('function_call')
  return legacy
}

function readOutput(rest: Map<string, Json>): OutputSpec | undefined {
  const format = rest.get('response_format')
  if (!isJsonObject(format) || format.type !== 'json_schema' || !isJsonObject(format.json_schema)) return undefined
  const { name, description, schema, strict } = format.json_schema
  if (!isJsonObject(schema)) return undefined
  const more = innerFields(format, 'json_schema', modelled.jsonSchema)
  if (more === undefined) rest.delete('response_format')
  else rest.set('response_format', { json_schema: more })
  return {
    schema,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function readEffort(
  rest: Map<string, Json>,
  flags: Flags | undefined,
  notes: { [name: string]: Json },
): ReasoningSpec | undefined {
  const word = rest.get('reasoning_effort')
  if (typeof word === 'string') {
    rest.delete('reasoning_effort')
    if (flags !== undefined && flags.effort !== 'reasoning_effort') notes.effort = 'reasoning_effort'
    return { effort: word }
  }
  const object = rest.get('reasoning')
  if (!isJsonObject(object)) return undefined
  const effort = memberOf(object, 'effort')
  const budget = memberOf(object, 'max_tokens')
  if (typeof effort !== 'string' && typeof budget !== 'number') return undefined
  const more = innerFields({ reasoning: object }, 'reasoning', modelled.reasoning)
  if (more === undefined) rest.delete('reasoning')
  else rest.set('reasoning', more)
  if (flags !== undefined && flags.effort !== 'reasoning') notes.effort = 'reasoning'
  return {
    ...(typeof effort === 'string' ? { effort } : {}),
    ...(typeof budget === 'number' ? { budgetTokens: budget } : {}),
  }
}

function readStream(
  rest: Map<string, Json>,
  context: { readonly flags: Flags | undefined; readonly stream: boolean },
  notes: { [name: string]: Json },
): void {
  const options = rest.get('stream_options')
  rest.delete('stream')
  if (!context.stream || context.flags?.streamOptions !== true) return
  if (!isJsonObject(options) || options.include_usage !== true) notes.includeUsage = false
  const more = isJsonObject(options) ? innerFields({ options }, 'options', modelled.streamOptions) : undefined
  if (more === undefined) rest.delete('stream_options')
  else rest.set('stream_options', more)
}
