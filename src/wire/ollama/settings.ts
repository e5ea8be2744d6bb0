// Everything of a request but its model, messages and tools, in both directions. Sampling lives in `options`, whose other
// members are the model's own; `think` is on, off or a level; `format` is a schema, of an answer or of a call that must be made,
// or the word "json".
import { at, type Loss } from '../../conversation/losses.js'
import type { CompletionRequest } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import { writeJson } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { differences } from '../differences.js'
import { leftover, type Notes, noteOf } from '../extra.js'
import { invalidAt } from '../request-body.js'
import { ownFields, type WritableObject } from './calls.js'
import { callFormat, isCallFormat } from './demanded.js'
import { isDefault, lossOf, modelled, nearestLevel, thinkLevels, wire } from './types.js'

export type Settings = Omit<CompletionRequest, 'model' | 'messages' | 'tools'>

/** What a member says canonically, and the rest of it, which is carried. */
interface Reading {
  readonly settings: Settings
  readonly rest?: Json
}

export function readSettings(body: JsonObject): Settings {
  const think = readThink(body.think)
  const format = readFormat(body.format, body.tools)
  const options = readOptions(body.options)
  const left = { think: think.rest ?? null, format: format.rest ?? null, options: options.rest ?? null }
  const notes: Notes = body.think === true ? { think: true } : {}
  return {
    ...think.settings,
    ...format.settings,
    ...options.settings,
    ...leftover(wire, body, modelled.request, { isDefault, left, notes }),
  }
}

/** Thinking that is on without a level is of the level models take then; a note says that none was given. */
const plainLevel = 'medium'

function readThink(think: Json | undefined): Reading {
  if (think === true) return { settings: { reasoning: { effort: plainLevel } } }
  if (think === false) return { settings: { reasoning: { effort: 'none' } } }
  if (typeof think === 'string' && thinkLevels.has(think)) return { settings: { reasoning: { effort: think } } }
  return think === undefined ? { settings: {} } : { settings: {}, rest: think }
}

function readFormat(format: Json | undefined, tools?: Json): Reading {
  if (isJsonObject(format)) {
    return { settings: isCallFormat(format, tools) ? { toolChoice: 'required' } : { output: { schema: format } } }
  }
  if (format === 'json') return { settings: { output: 'json_object' } }
  return format === undefined || format === '' ? { settings: {} } : { settings: {}, rest: format }
}

function readOptions(options: Json | undefined): Reading {
  if (options === undefined || options === null) return { settings: {} }
  if (!isJsonObject(options)) throw invalidAt('/options', 'an object')
  const rest: [string, Json][] = []
  const settings: Draft = {}
  for (const key of Object.keys(options)) {
    const value = options[key] as Json
    if (!readOption(key, value, settings) && value !== null) rest.push([key, value])
  }
  return rest.length === 0 ? { settings } : { settings, rest: Object.fromEntries(rest) }
}

type Draft = { -readonly [K in keyof Settings]: Settings[K] }

/** Whether it is a setting, and not an option of the model's own. Negative `num_predict` has meanings that only this wire knows. */
function readOption(key: string, value: Json, settings: Draft): boolean {
  switch (key) {
    case 'num_predict':
      if (typeof value !== 'number' || value < 0) return false
      settings.maxTokens = value
      return true
    case 'temperature':
      if (typeof value !== 'number') return false
      settings.temperature = value
      return true
    case 'top_p':
      if (typeof value !== 'number') return false
      settings.topP = value
      return true
    case 'stop': {
      const list = typeof value === 'string' ? [value] : value
      if (!Array.isArray(list) || !list.every((word) => typeof word === 'string')) return false
      settings.stop = list
      return true
    }
    default:
      return false
  }
}

/** The members of the body that say the settings, and a loss for each thing they cannot say. `declared` are its tools. */
export function writeSettings(request: CompletionRequest, declared: readonly string[], losses: Loss[]): WritableObject {
  const tools = request.toolChoice === 'required' ? declared.map((text) => JSON.parse(text) as Json) : undefined
  const call = tools === undefined ? undefined : callFormat(tools)
  reportChoice(request, call !== undefined, losses)
  const own = request.extra?.[wire] ?? {}
  const answer = request.output === undefined ? restOf(readFormat, own.format) : writeFormat(request, losses)
  const written = {
    think: request.reasoning === undefined ? restOf(readThink, own.think) : writeThink(request, losses),
    format: call ?? answer,
    options: writeOptions(request, own.options),
    ...ownFields(request, taken),
  }
  if (request.extra !== undefined) {
    const back = readSettings(JSON.parse(writeJson({ ...written, tools })) as JsonObject)
    differences(wire, request.extra, back.extra, '/extra', losses)
  }
  return written
}

const taken: ReadonlySet<string> = new Set([...modelled.request, 'think', 'format', 'options'])

/** What a hand-set member says beyond the settings, which alone is written; those speak for themselves. */
function restOf(read: (value: Json | undefined) => Reading, value: Json | undefined): Json | undefined {
  return read(value).rest ?? undefined
}

/** Nothing where no level is meant: models that can think do so unless told not to, and others refuse to be told. */
function writeThink({ reasoning, extra }: CompletionRequest, losses: Loss[]): Json | undefined {
  const { effort = '', budgetTokens } = reasoning ?? {}
  const level = effort === 'none' || thinkLevels.has(effort) ? effort : nearestLevel.get(effort)
  if (level === undefined) {
    const message = 'thinking has levels on this wire, and this is none of them; the model decides'
    losses.push(lossOf('reasoning_setting_dropped', '/reasoning', 'dropped', message))
    return undefined
  }
  if (budgetTokens !== undefined) {
    const message = 'thinking has levels on this wire, no budget'
    losses.push(lossOf('reasoning_setting_dropped', '/reasoning/budgetTokens', 'dropped', message))
  }
  if (level !== effort) {
    const message = `there is no level "${effort}" of thinking on this wire`
    losses.push(lossOf('reasoning_setting_changed', '/reasoning/effort', 'changed', message, level))
  }
  if (level === plainLevel && noteOf(extra?.[wire], 'think') === true) return true
  return level === 'none' ? false : level
}

/** A format binds from the first token on: beside tools it would forbid every call, so there it is left out. */
function writeFormat({ output, tools }: CompletionRequest, losses: Loss[]): Json | undefined {
  if (tools !== undefined) {
    const message = 'an answer in JSON rules out tool calls on this wire; ask for it without tools'
    losses.push(lossOf('output_dropped', '/output', 'dropped', message))
    return undefined
  }
  if (output === 'json_object') return 'json'
  for (const key of ['name', 'description', 'strict'] as const) {
    if (output?.[key] === undefined) continue
    losses.push(lossOf('output_field_dropped', at('/output', key), 'dropped', 'the wire takes the schema alone'))
  }
  return output?.schema
}

function writeOptions(request: CompletionRequest, own: Json | undefined): JsonObject | undefined {
  const { rest } = readOptions(isJsonObject(own) ? own : undefined)
  const options: { [key: string]: Json } = isJsonObject(rest) ? { ...rest } : {}
  if (request.temperature !== undefined) options.temperature = request.temperature
  if (request.topP !== undefined) options.top_p = request.topP
  if (request.maxTokens !== undefined) options.num_predict = request.maxTokens
  if (request.stop !== undefined) options.stop = request.stop
  return Object.keys(options).length === 0 ? undefined : options
}

/** The wire has no choice: tools are there, or they are not, or the answer is held to the form of a call. */
function reportChoice(request: CompletionRequest, isDemanded: boolean, losses: Loss[]): void {
  const { toolChoice: choice, parallelToolCalls: parallel } = request
  if (choice === 'auto') {
    losses.push(lossOf('tool_choice_default', '/toolChoice', 'dropped', 'the model always chooses by itself'))
  } else if (isDemanded) {
    const message = 'a call is demanded by `format`, the schema of one call: the model answers with exactly one'
    losses.push(lossOf('tool_choice_as_format', '/toolChoice', 'repaired', message))
  } else if (choice !== undefined) {
    const message = 'no call can be demanded; the model may answer without one'
    losses.push(lossOf('tool_choice_widened', '/toolChoice', 'widened', message))
  }
  if (parallel === undefined) return
  const isMet = parallel || isDemanded
  const message = isMet
    ? 'the wire decides how many calls there are at once'
    : 'several calls at once cannot be forbidden'
  losses.push(lossOf('parallel_dropped', '/parallelToolCalls', isMet ? 'dropped' : 'widened', message))
}
