// Everything of a request but its contents and tools, both ways: choice, sampling, output, thinking, and the fields beside them.
// What is written is read back at once, and every difference is reported: so no setting can be lost without a word.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest, ReasoningSpec, ToolChoice } from '../../conversation/request.js'
import { isJsonObject, isList } from '../../json/parse.js'
import type { Writable } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { differences } from '../differences.js'
import { hasMember, leftover, noteOf } from '../extra.js'
import { wireName } from '../names.js'
import { hasPlainSettings } from '../plain-settings.js'
import { lowerOutput, schemaNotes } from '../schemas.js'
import { limitStops } from '../setting-limits.js'
import { nameRule, ownFields, withoutKeys } from './parts.js'
import { type GeminiProfile, schemaDialects, takesNoBudget } from './profiles.js'
import { openApiNote, toJsonSchema, writeSchema } from './schema.js'
import { callingKeys, generationKeys, objectOf, requestKeys, thinkingKeys, toolConfigKeys, wire } from './types.js'

type Settings = Omit<CompletionRequest, 'model' | 'messages' | 'tools'>
type Fields = { [key: string]: Writable }

/** The settings as fields of the body. `losses` gets what reading them back does not give. */
export function writeSettings(given: CompletionRequest, profile: GeminiProfile, losses: Loss[]): JsonObject {
  const request = limitStops(wire, given, maxStops, losses)
  const own = request.extra?.[wire]
  const fields: Fields = { ...ownFields(request, requestKeys) }
  const toolConfig = writeToolConfig(request, own)
  if (toolConfig !== undefined) fields.toolConfig = toolConfig
  const notes: SchemaLoss[] = []
  const generationConfig = writeGenerationConfig(request, own, profile, notes)
  if (generationConfig !== undefined) fields.generationConfig = generationConfig
  const written = fields as JsonObject
  if (toolConfig === undefined && hasPlainSettings(request)) return written
  const { model: _, messages: __, tools: ___, ...before } = request
  differences(wire, before, readSettings(written, takesNoBudget(profile, request.model)), '', losses)
  for (const loss of schemaNotes(wire, notes, '/output/schema')) losses.push(loss)
  return written
}

/** How many stop sequences the provider accepts. */
const maxStops = 5

/**
 * The settings of a body, lenient: a field of another type than it should be is kept beside them as it is. A budget of none
 * is noted, unless it is how the model is told not to think.
 */
export function readSettings(body: JsonObject, isUsualNone: boolean): Settings {
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
  const notes = {
    ...choice.notes,
    ...(output?.note === undefined ? {} : { responseSchema: output.note }),
    ...(reasoning?.effort === 'none' && !isUsualNone ? { none: 'budget' } : {}),
  }
  const left = {
    generationConfig: generationRest(config, thinking, settings),
    toolConfig: nested(without(tools, isToolConfig), 'functionCallingConfig', without(calling, isCalling)),
  }
  const { extra } = leftover(wire, body, requestKeys, { notes, inner: left })
  if (extra !== undefined) settings.extra = extra
  return settings
}

/** What of the configuration no setting says, thinking included. */
function generationRest(config: JsonObject, thinking: JsonObject, read: Settings): JsonObject | undefined {
  const rest = without(config, (key) => saysGeneration(key, config, read))
  return nested(
    rest,
    'thinkingConfig',
    without(thinking, (key) => saysThinking(key, thinking)),
  )
}

/** Whether a member of the configuration is said by a setting, or says nothing. */
function saysGeneration(key: string, config: JsonObject, read: Settings): boolean {
  if (config[key] === null) return generationKeys.has(key)
  switch (key) {
    case 'thinkingConfig':
      return true
    case 'maxOutputTokens':
      return read.maxTokens !== undefined
    case 'temperature':
      return read.temperature !== undefined
    case 'topP':
      return read.topP !== undefined
    case 'stopSequences':
      return read.stop !== undefined
    default:
      return read.output !== undefined && outputKeys.has(key)
  }
}

const outputKeys: ReadonlySet<string> = new Set(['responseMimeType', 'responseSchema', 'responseJsonSchema'])
const isToolConfig = (key: string): boolean => toolConfigKeys.has(key)
const isCalling = (key: string): boolean => callingKeys.has(key)

/** The members that are not said otherwise; nothing when none is left. */
function without(object: JsonObject, isSaid: (key: string) => boolean): JsonObject | undefined {
  let kept: [string, Json][] | undefined
  for (const key in object) {
    if (isSaid(key) || !Object.hasOwn(object, key)) continue
    kept ??= []
    kept.push([key, object[key] as Json])
  }
  return kept === undefined ? undefined : Object.fromEntries(kept)
}

/** What is left of an object, with what is left of the object inside it. */
function nested(outer: JsonObject | undefined, member: string, inner: JsonObject | undefined): JsonObject | undefined {
  return inner === undefined ? outer : { ...outer, [member]: inner }
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
  const extra = objectOf(own?.toolConfig) ?? noFields
  const inner = withoutKeys(objectOf(extra.functionCallingConfig) ?? noFields, callingKeys)
  const calling = { ...writeChoice(request, noteOf(own, 'mode')), ...inner }
  const fields = withoutKeys(extra, toolConfigKeys)
  if (hasMember(calling)) return { functionCallingConfig: calling, ...fields }
  return hasMember(fields) ? fields : undefined
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

function readOutput(
  config: JsonObject,
): { readonly spec: NonNullable<Settings['output']>; readonly note?: Json } | undefined {
  if (config.responseMimeType !== 'application/json') return undefined
  if (isJsonObject(config.responseJsonSchema)) {
    return config.responseSchema === undefined || config.responseSchema === null
      ? { spec: { schema: config.responseJsonSchema } }
      : undefined
  }
  if ((config.responseJsonSchema ?? config.responseSchema ?? null) === null) return { spec: 'json_object' }
  if (!isJsonObject(config.responseSchema)) return undefined
  return { spec: { schema: toJsonSchema(config.responseSchema) }, note: openApiNote(config.responseSchema) }
}

function writeGenerationConfig(
  request: CompletionRequest,
  own: JsonObject | undefined,
  profile: GeminiProfile,
  notes: SchemaLoss[],
): Writable | undefined {
  const extra = objectOf(own?.generationConfig) ?? noFields
  const inner = objectOf(extra.thinkingConfig) ?? noFields
  const thinking = {
    ...writeThinking(request, profile),
    ...withoutKeys(inner, request.reasoning === undefined ? none : thinkingKeys),
  }
  const fields: Fields = {}
  if (request.maxTokens !== undefined) fields.maxOutputTokens = request.maxTokens
  if (request.temperature !== undefined) fields.temperature = request.temperature
  if (request.topP !== undefined) fields.topP = request.topP
  if (request.stop !== undefined) fields.stopSequences = request.stop
  const { output } = request
  const isAsked = output !== undefined && !(profile.eitherModels?.test(request.model) && hasFunctions(request))
  if (isAsked) fields.responseMimeType = 'application/json'
  if (isAsked && output !== 'json_object') {
    const written = writeSchema(output.schema, noteOf(own, 'responseSchema'), profile.schemas, () =>
      lowerOutput(output, schemaDialects(profile)),
    )
    for (const note of written.notes) notes.push(note)
    if (written.openApi === undefined) fields.responseJsonSchema = written.schema
    else fields.responseSchema = written.openApi
  }
  if (hasMember(thinking)) fields.thinkingConfig = thinking
  if (!hasMember(extra)) return hasMember(fields) ? fields : undefined
  const said = new Set(['thinkingConfig', ...Object.keys(fields), ...(isAsked ? outputKeys : [])])
  const config = { ...fields, ...withoutKeys(extra, said) }
  return hasMember(config) ? config : undefined
}

const noFields: JsonObject = {}
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
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
])

function readThinking(thinking: JsonObject): ReasoningSpec | undefined {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking
  const effort = typeof level === 'string' && saysThinking('thinkingLevel', thinking) ? level.toLowerCase() : undefined
  if (budget === 0 && effort === undefined) return { effort: 'none' }
  const budgetTokens = isBudget(budget) ? budget : undefined
  if (effort === undefined) return budgetTokens === undefined ? undefined : { budgetTokens }
  return budgetTokens === undefined ? { effort } : { effort, budgetTokens }
}

/** Whether a member of a thinking configuration is said by reasoning settings, or says nothing. */
function saysThinking(key: string, { thinkingLevel: level, thinkingBudget: budget }: JsonObject): boolean {
  if (key === 'thinkingLevel') return level === null || (typeof level === 'string' && levels.has(level.toLowerCase()))
  return key === 'thinkingBudget' && (budget === null || isBudget(budget))
}

/** A number of tokens: below zero the model decides. */
function isBudget(budget: Json | undefined): budget is number {
  return typeof budget === 'number' && budget >= 0
}

/** A level, or a budget for models that know no levels; the wire refuses both at once. */
function writeThinking({ reasoning, model, extra }: CompletionRequest, profile: GeminiProfile): JsonObject {
  if (reasoning === undefined) return {}
  const { effort, budgetTokens } = reasoning
  const isNoted = noteOf(extra?.[wire], 'none') === 'budget'
  if (effort === 'none' && (isNoted || takesNoBudget(profile, model))) return { thinkingBudget: 0 }
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
