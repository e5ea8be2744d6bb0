// Everything of a request but its contents and tools, both ways: choice, sampling, output, thinking, and the fields beside them.
// What is written is read back at once, and every difference is reported: so no setting can be lost without a word.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest, OutputSpec, ReasoningSpec, ToolChoice } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Writable } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { differences } from '../differences.js'
import { leftover, noteOf } from '../extra.js'
import { wireName } from '../names.js'
import { hasPlainSettings } from '../plain-settings.js'
import { lowerOutput, schemaNotes } from '../schemas.js'
import { nameRule, ownFields, withoutKeys } from './parts.js'
import { type GeminiProfile, schemaDialects } from './profiles.js'
import { openApiNote, toJsonSchema, writeSchema } from './schema.js'
import {
  callingKeys,
  generationKeys,
  isList,
  objectOf,
  requestKeys,
  thinkingKeys,
  toolConfigKeys,
  wire,
} from './types.js'

type Settings = Omit<CompletionRequest, 'model' | 'messages' | 'tools'>
type Fields = { [key: string]: Writable }

/** The settings as fields of the body. `losses` gets what reading them back does not give. */
export function writeSettings(request: CompletionRequest, profile: GeminiProfile, losses: Loss[]): JsonObject {
  const own = request.extra?.[wire]
  const fields: Fields = { ...ownFields(request, requestKeys) }
  const toolConfig = writeToolConfig(request, own)
  if (toolConfig !== undefined) fields.toolConfig = toolConfig
  const notes: SchemaLoss[] = []
  const generationConfig = writeGenerationConfig(request, own, profile, notes)
  if (generationConfig !== undefined) fields.generationConfig = generationConfig
  const written = plain(fields)
  if (toolConfig === undefined && hasPlainSettings(request)) return written
  const { model: _, messages: __, tools: ___, ...before } = request
  differences(wire, before, readSettings(written), '', losses)
  losses.push(...schemaNotes(wire, notes, '/output/schema'))
  return written
}

/** The settings of a body, lenient: a field of another type than it should be is kept beside them as it is. */
export function readSettings(body: JsonObject): Settings {
  const config = objectOf(body.generationConfig) ?? {}
  const thinking = objectOf(config.thinkingConfig) ?? {}
  const tools = objectOf(body.toolConfig) ?? {}
  const calling = objectOf(tools.functionCallingConfig) ?? {}
  const choice = readChoice(calling)
  const output = readOutput(config)
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = {}
  if (choice.choice !== undefined) settings.toolChoice = choice.choice
  if (output !== undefined) settings.output = output.spec
  if (typeof config.maxOutputTokens === 'number') settings.maxTokens = config.maxOutputTokens
  if (typeof config.temperature === 'number') settings.temperature = config.temperature
  if (typeof config.topP === 'number') settings.topP = config.topP
  if (isTextList(config.stopSequences)) settings.stop = config.stopSequences
  const reasoning = readThinking(thinking)
  if (reasoning !== undefined) settings.reasoning = reasoning
  const rest: [string, JsonObject | undefined][] = [
    ['generationConfig', generationRest(config, thinking, settings)],
    ['toolConfig', nested(tools, toolConfigKeys, 'functionCallingConfig', without(calling, callingKeys))],
  ]
  const notes = { ...choice.notes, ...(output?.note === undefined ? {} : { responseSchema: output.note }) }
  const kept = leftover(wire, body, requestKeys, { notes }).extra?.[wire] ?? {}
  const own = { ...kept, ...Object.fromEntries(rest.filter(([, value]) => value !== undefined)) } as JsonObject
  if (Object.keys(own).length > 0) settings.extra = { [wire]: own }
  return settings
}

/** What of the configuration no setting says, thinking included. */
function generationRest(config: JsonObject, thinking: JsonObject, read: Settings): JsonObject | undefined {
  const said = new Set<string>(['thinkingConfig'])
  if (read.maxTokens !== undefined) said.add('maxOutputTokens')
  if (read.temperature !== undefined) said.add('temperature')
  if (read.topP !== undefined) said.add('topP')
  if (read.stop !== undefined) said.add('stopSequences')
  if (read.output !== undefined) for (const key of outputKeys) said.add(key)
  const silent = Object.keys(config).filter((key) => config[key] === null && generationKeys.has(key))
  return nested(config, new Set([...said, ...silent]), 'thinkingConfig', without(thinking, saidThinking(thinking)))
}

const outputKeys = ['responseMimeType', 'responseSchema', 'responseJsonSchema']

/** The members that are not said otherwise; nothing when none is left. */
function without(object: JsonObject, said: ReadonlySet<string>): JsonObject | undefined {
  const kept = Object.entries(object).filter(([key]) => !said.has(key))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** What is left of an object, with what is left of the object inside it. */
function nested(
  object: JsonObject,
  said: ReadonlySet<string>,
  member: string,
  inner: JsonObject | undefined,
): JsonObject | undefined {
  const outer = without(object, new Set([...said, member]))
  if (inner === undefined) return outer
  return { ...outer, [member]: inner }
}

// Choice

const modeNumbers = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const

function readChoice(calling: JsonObject): { readonly choice?: ToolChoice; readonly notes?: JsonObject } {
  const { mode: given, allowedFunctionNames: names } = calling
  const mode = typeof given === 'number' ? modeNumbers[given] : typeof given === 'string' ? given.toUpperCase() : ''
  const allowed = isTextList(names) ? names : []
  switch (mode) {
    case 'NONE':
      return { choice: 'none' }
    case 'ANY': {
      const [only] = allowed
      if (only === undefined) return { choice: 'required' }
      return { choice: allowed.length === 1 ? { tool: only } : { allowed, mode: 'required' } }
    }
    case 'AUTO':
      if (allowed.length === 0) return { choice: 'auto' }
      return { choice: { allowed, mode: 'auto' }, notes: { mode } }
    case 'VALIDATED':
      if (allowed.length === 0) return { notes: { mode } }
      return { choice: { allowed, mode: 'auto' } }
    default:
      return {}
  }
}

function writeToolConfig(request: CompletionRequest, own: JsonObject | undefined): Writable | undefined {
  const extra = objectOf(own?.toolConfig) ?? {}
  const inner = withoutKeys(objectOf(extra.functionCallingConfig) ?? {}, callingKeys)
  const calling = { ...writeChoice(request, noteOf(own, 'mode')), ...inner }
  const fields = withoutKeys(extra, toolConfigKeys)
  if (Object.keys(calling).length > 0) return { functionCallingConfig: calling, ...fields }
  return Object.keys(fields).length > 0 ? fields : undefined
}

/**
 * `VALIDATED` is the one mode that allows text and holds arguments to their schemas, as strict tools ask, or restricts calls
 * to some tools. Only declared functions can be forced.
 */
function writeChoice({ toolChoice: choice, tools }: CompletionRequest, mode: Json | undefined): JsonObject {
  const isStrict = tools?.every((tool) => tool.type !== 'opaque' && tool.strict === true) === true
  if (choice === undefined)
    return isStrict || (mode === 'VALIDATED' && tools !== undefined) ? { mode: 'VALIDATED' } : {}
  if (choice === 'auto') return { mode: isStrict ? 'VALIDATED' : 'AUTO' }
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: hasFunctions({ tools }) ? 'ANY' : 'AUTO' }
  const names = ('tool' in choice ? [choice.tool] : choice.allowed).map((name) => wireName(name, nameRule))
  const any = 'tool' in choice || choice.mode === 'required'
  return { mode: any ? 'ANY' : mode === 'AUTO' ? 'AUTO' : 'VALIDATED', allowedFunctionNames: names }
}

function hasFunctions({ tools }: { readonly tools?: CompletionRequest['tools'] }): boolean {
  return tools?.some((tool) => tool.type !== 'opaque') === true
}

// Output, sampling, thinking

function readOutput(config: JsonObject): { readonly spec: OutputSpec; readonly note?: Json } | undefined {
  if (config.responseMimeType !== 'application/json') return undefined
  if (isJsonObject(config.responseJsonSchema)) {
    return config.responseSchema === undefined || config.responseSchema === null
      ? { spec: { schema: config.responseJsonSchema } }
      : undefined
  }
  if (!isJsonObject(config.responseSchema)) return undefined
  return { spec: { schema: toJsonSchema(config.responseSchema) }, note: openApiNote(config.responseSchema) }
}

function writeGenerationConfig(
  request: CompletionRequest,
  own: JsonObject | undefined,
  profile: GeminiProfile,
  notes: SchemaLoss[],
): Writable | undefined {
  const extra = objectOf(own?.generationConfig) ?? {}
  const thinking = {
    ...writeThinking(request.reasoning, request.model, profile),
    ...withoutKeys(objectOf(extra.thinkingConfig) ?? {}, request.reasoning === undefined ? none : thinkingKeys),
  }
  const said = new Set(['thinkingConfig'])
  const fields: Fields = {}
  const say = (key: string, value: Writable | undefined): void => {
    if (value === undefined) return
    said.add(key)
    fields[key] = value
  }
  say('maxOutputTokens', request.maxTokens)
  say('temperature', request.temperature)
  say('topP', request.topP)
  say('stopSequences', request.stop)
  if (request.output !== undefined && !(profile.eitherModels?.test(request.model) && hasFunctions(request))) {
    for (const key of outputKeys) said.add(key)
    const { output } = request
    const written = writeSchema(output.schema, noteOf(own, 'responseSchema'), profile.schemas, () =>
      lowerOutput(output, schemaDialects(profile)),
    )
    notes.push(...written.notes)
    fields.responseMimeType = 'application/json'
    if (written.openApi === undefined) fields.responseJsonSchema = written.schema
    else fields.responseSchema = written.openApi
  }
  if (Object.keys(thinking).length > 0) fields.thinkingConfig = thinking
  const config = { ...fields, ...withoutKeys(extra, said) }
  return Object.keys(config).length > 0 ? config : undefined
}

const none: ReadonlySet<string> = new Set()
const levels: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high'])
/** Words of other wires, in the nearest level. */
const nearestLevel: ReadonlyMap<string, string> = new Map([
  ['none', 'minimal'],
  ['xhigh', 'high'],
  ['max', 'high'],
])
/** What a level means to models that take a budget. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
])

function readThinking(thinking: JsonObject): ReasoningSpec | undefined {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking
  const said = saidThinking(thinking)
  const effort = said.has('thinkingLevel') && typeof level === 'string' ? { effort: level.toLowerCase() } : {}
  const tokens = said.has('thinkingBudget') && typeof budget === 'number' ? { budgetTokens: budget } : {}
  return 'effort' in effort || 'budgetTokens' in tokens ? { ...effort, ...tokens } : undefined
}

/** The members of a thinking configuration that reasoning settings say. */
function saidThinking(thinking: JsonObject): ReadonlySet<string> {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking
  const said = new Set<string>()
  if (level === null || (typeof level === 'string' && levels.has(level.toLowerCase()))) said.add('thinkingLevel')
  if (budget === null || typeof budget === 'number') said.add('thinkingBudget')
  return said
}

/** A level, or a budget for models that know no levels; the wire refuses both at once. */
function writeThinking(reasoning: ReasoningSpec | undefined, model: string, profile: GeminiProfile): JsonObject {
  if (reasoning === undefined) return {}
  const { effort, budgetTokens } = reasoning
  const takesBudget = profile.budgetModels?.test(model) === true
  if (budgetTokens !== undefined && (takesBudget || effort === undefined)) return { thinkingBudget: budgetTokens }
  if (effort === undefined) return {}
  const known = nearestLevel.get(effort) ?? effort
  if (takesBudget) {
    const budget = budgets.get(effort) ?? budgets.get(known)
    return budget === undefined ? {} : { thinkingBudget: budget }
  }
  return levels.has(known) ? { thinkingLevel: known.toUpperCase() } : {}
}

function isTextList(value: Json | undefined): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === 'string')
}

/** Fields without the absent ones. */
function plain(fields: Fields): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
}
