// Everything of a request but its messages and tools, both ways. The members `text`, `reasoning` and `tool_choice` are modelled
// in part: what else they hold is carried under their names.
import type { CompletionRequest, ReasoningSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { defaultOutputName, type NameRule, wireName } from '../names.js'
import { invalidAt } from '../request-body.js'
import { lowerOutput } from '../schemas.js'
import { decodeChoice, encodeChoice } from './tools.js'
import { fieldsToWrite, isDefault, modelled, ownOf, toolDialects, wire } from './types.js'

export type Settings = Omit<CompletionRequest, 'messages' | 'tools'>

/** `notes` gets what the schema of the answer could not say as it was; `fixed` are models that refuse to be told not to think. */
export function encodeSettings(
  request: Settings,
  names: NameRule,
  fixed: RegExp | undefined,
  notes: SchemaLoss[],
): JsonObject {
  const { model, toolChoice, parallelToolCalls, maxTokens, temperature, topP } = request
  const own = ownOf(request)
  const choice = toolChoice === undefined ? own?.tool_choice : encodeChoice(toolChoice, names)
  const text = encodeOutput(request.output, own?.text, notes)
  const isRefused = request.reasoning?.effort === 'none' && fixed?.test(model) === true
  const reasoning = encodeReasoningSetting(isRefused ? undefined : request.reasoning, own?.reasoning)
  const fields: { [key: string]: Json } = { model }
  if (choice !== undefined && choice !== null) fields.tool_choice = choice
  if (parallelToolCalls !== undefined) fields.parallel_tool_calls = parallelToolCalls
  if (maxTokens !== undefined) fields.max_output_tokens = maxTokens
  if (temperature !== undefined) fields.temperature = temperature
  if (topP !== undefined) fields.top_p = topP
  if (text !== undefined) fields.text = text
  if (reasoning !== undefined) fields.reasoning = reasoning
  return request.extra === undefined ? fields : { ...fields, ...fieldsToWrite(request, modelled.request) }
}

const outputNameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, max: 64 }

function encodeOutput(output: Settings['output'], own: Json | undefined, notes: SchemaLoss[]): JsonObject | undefined {
  const rest = isJsonObject(own) ? own : {}
  if (output === undefined) return Object.keys(rest).length === 0 ? undefined : rest
  if (output === 'json_object') return { ...rest, format: { type: output } }
  const { name, description, strict } = output
  const lowered = lowerOutput(output, toolDialects)
  for (const note of lowered.notes) notes.push(note)
  const format = {
    type: 'json_schema',
    name: wireName(name ?? defaultOutputName, outputNameRule),
    ...(description === undefined ? {} : { description }),
    ...(strict === undefined || strict !== lowered.strict ? {} : { strict }),
    schema: lowered.schema,
  }
  return { ...rest, format }
}

function encodeReasoningSetting(reasoning: ReasoningSpec | undefined, own: Json | undefined): JsonObject | undefined {
  const rest = isJsonObject(own) ? own : {}
  const written = reasoning?.effort === undefined ? rest : { ...rest, effort: reasoning.effort }
  return Object.keys(written).length === 0 ? undefined : written
}

/** The settings of a client's request. Wrong types are refused by their path; what is not modelled is carried. */
export function decodeSettings(body: JsonObject): Settings {
  const carried: [string, Json][] = []
  for (const key of Object.keys(body)) {
    const value = body[key] as Json
    if (!modelled.request.has(key) && !isDefault(key, value)) {
      carried.push([key.startsWith('$') ? `$${key}` : key, value])
    }
  }
  const toolChoice = decodeChoice(body.tool_choice)
  if (toolChoice === undefined && isPresent(body.tool_choice)) carried.push(['tool_choice', body.tool_choice])
  const { output, rest: text } = decodeOutput(body.text)
  if (text !== undefined) carried.push(['text', text])
  const { reasoning, rest } = decodeReasoningSetting(body.reasoning)
  if (rest !== undefined) carried.push(['reasoning', rest])
  const parallelToolCalls = member(body, 'parallel_tool_calls', 'boolean')
  const maxTokens = member(body, 'max_output_tokens', 'number')
  const temperature = member(body, 'temperature', 'number')
  const topP = member(body, 'top_p', 'number')
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = { model: requiredModel(body) }
  if (toolChoice !== undefined) settings.toolChoice = toolChoice
  if (parallelToolCalls !== undefined) settings.parallelToolCalls = parallelToolCalls
  if (output !== undefined) settings.output = output
  if (maxTokens !== undefined) settings.maxTokens = maxTokens
  if (temperature !== undefined) settings.temperature = temperature
  if (topP !== undefined) settings.topP = topP
  if (reasoning !== undefined) settings.reasoning = reasoning
  if (carried.length > 0) settings.extra = { [wire]: Object.fromEntries(carried) }
  return settings
}

function requiredModel(body: JsonObject): string {
  if (typeof body.model !== 'string') throw invalidAt('/model', 'the name of a model')
  return body.model
}

interface Types {
  readonly boolean: boolean
  readonly number: number
}

function member<T extends keyof Types>(body: JsonObject, key: string, type: T): Types[T] | undefined {
  const value = body[key]
  if (!isPresent(value)) return undefined
  if (typeof value !== type) throw invalidAt(`/${key}`, `a ${type}`)
  return value as Types[T]
}

function isPresent(value: Json | undefined): value is Json {
  return value !== undefined && value !== null
}

function decodeOutput(text: Json | undefined): {
  readonly output?: NonNullable<Settings['output']>
  readonly rest?: Json
} {
  if (!isPresent(text)) return {}
  if (!isJsonObject(text)) throw invalidAt('/text', 'an object')
  const { format, ...others } = text
  const output = decodeFormat(format)
  const rest = output === undefined ? text : others
  return {
    ...(output === undefined ? {} : { output }),
    ...(Object.keys(rest).length === 0 ? {} : { rest }),
  }
}

const formatMembers = new Set(['type', 'name', 'schema', 'strict', 'description'])

/** What to answer in; a format with anything unknown in it is carried whole. */
function decodeFormat(format: Json | undefined): Settings['output'] {
  if (!isJsonObject(format)) return undefined
  if (format.type === 'json_object') return Object.keys(format).length === 1 ? format.type : undefined
  if (format.type !== 'json_schema' || !isJsonObject(format.schema)) return undefined
  const { name, schema, strict, description } = format
  if (Object.keys(format).some((key) => !formatMembers.has(key))) return undefined
  return {
    schema,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function decodeReasoningSetting(value: Json | undefined): { readonly reasoning?: ReasoningSpec; readonly rest?: Json } {
  if (!isPresent(value)) return {}
  if (!isJsonObject(value)) throw invalidAt('/reasoning', 'an object')
  const { effort, ...rest } = value
  return {
    ...(typeof effort === 'string' ? { reasoning: { effort } } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { rest }),
  }
}
