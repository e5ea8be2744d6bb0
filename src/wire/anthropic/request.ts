// A sealed request as a Messages body. The trap: `max_tokens` is required, sampling is refused by the current version, and
// there is no parallel flag of its own: it rides on `tool_choice`.
import { applyLosses, type Loss } from '../../conversation/losses.js'
import type { Message } from '../../conversation/messages.js'
import type { CompletionRequest, OutputSpec, ReasoningSpec, ToolChoice } from '../../conversation/request.js'
import { type SealedRequest, sealRequest } from '../../conversation/seal-request.js'
import { isJsonObject } from '../../json/parse.js'
import { type Writable, writeJson, writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { EncodedRequest, Env, Exchange } from '../codec.js'
import { carriedFields, noteOf } from '../extra.js'
import { renamed, wireName } from '../names.js'
import { requestBodyOf } from '../pieces.js'
import { lowerOutput, mappingsOf, schemaLosses } from '../schemas.js'
import { type Block, isThinking } from './blocks.js'
import { type PropertyNames, writeHistory } from './history.js'
import { type AnthropicProfile, sealRules } from './profiles.js'
import { isFixed, readSettings, type Settings } from './request-decode.js'
import { exchangeKeys, propertyNames, writeTools } from './tools.js'
import {
  isDefault,
  lossOf,
  modelled,
  outputDialects,
  path,
  sameJson,
  toolDialects,
  toolNameRule,
  wire,
} from './types.js'

export function seal(request: CompletionRequest, env: Env): SealedRequest {
  return sealRequest(request, sealRules(env.profile, request.model))
}

export function encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest {
  const profile: AnthropicProfile = env.profile
  const sealed = seal(request, env)
  const losses: Loss[] = [...sealed.losses]
  const properties = propertyNames(sealed.request.tools)
  const settings = writeSettings(sealed.request, profile, losses)
  const tools = writeTools(sealed.request.tools, properties, losses)
  const history = writeHistory(withTrimmedEnd(sealed.request.messages, losses), properties, losses)
  const fields = writeUnicode(options.stream ? { ...settings, stream: true } : settings)
  const head = history.system === undefined ? fields : `${fields.slice(0, -1)},"system":${history.system}}`
  const body = requestBodyOf(head, { key: 'tools', items: tools }, { key: 'messages', items: history.messages })
  const beta = betaOf(sealed.request)
  const headers = {
    'content-type': 'application/json',
    'anthropic-version': profile.version ?? '2026-10-21',
    ...(beta === undefined ? {} : { 'anthropic-beta': beta }),
  }
  const exchange = exchangeOf(sealed.request, options.stream, properties, env)
  return { http: { method: 'POST', path, headers, body }, losses, exchange }
}

/**
 * An answer that the model is to go on with must not end in white space. Seen here and not by `seal`: once more is said behind it, it may.
 */
function withTrimmedEnd(messages: readonly Message[], losses: Loss[]): readonly Message[] {
  const last = messages.at(-1)
  const part = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (last?.role !== 'assistant' || part?.type !== 'text') return messages
  const text = part.text.trimEnd()
  if (text === part.text) return messages
  const place = `/messages/${messages.length - 1}/content/${last.content.length - 1}/text`
  losses.push(
    lossOf('prefill_trimmed', place, 'changed', 'the wire refuses a last answer that ends in white space', text),
  )
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), { ...part, text }] }]
}

/** The beta header a client sent: fields under `extra` may depend on it. */
function betaOf(request: CompletionRequest): string | undefined {
  const beta = noteOf(request.extra?.[wire], 'beta')
  return typeof beta === 'string' && beta !== '' ? beta : undefined
}

function exchangeOf(
  request: CompletionRequest,
  stream: boolean,
  properties: PropertyNames | undefined,
  env: Env,
): Exchange {
  const names = renamed(request.tools, toolNameRule)
  const keys = exchangeKeys(properties)
  return {
    wire,
    model: request.model,
    provider: env.profile.name,
    stream,
    position: request.messages.length,
    ...(names === undefined ? {} : { names }),
    ...(keys === undefined ? {} : { keys }),
    ...mappingsOf(request, toolDialects, outputDialects),
  }
}

/** Fields of the request whose parts are modelled: what is left of them is carried under their own name. */
const shared = ['thinking', 'output_config', 'tool_choice'] as const

const withoutSampling = new Set([...modelled.request, 'top_k'])

/** Everything but system text, tools and messages. */
function writeSettings(request: CompletionRequest, profile: AnthropicProfile, losses: Loss[]): Block {
  const known = profile.sampling === true ? modelled.request : withoutSampling
  const beta = betaOf(request)
  const isOff = isThinkingOff(request, profile)
  const notes = {
    ...(beta === undefined ? {} : { beta }),
    ...(isOff && isFixed(profile, request.model) ? { thinking: 'disabled' } : {}),
  }
  const extra = carriedFields(wire, request, '', losses, { taken: known, isDefault, notes })
  const thinking = writeThinkingConfig(request, extra.thinking, isOff, profile, losses)
  const settings: Fields = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens(request, profile, losses),
    ...extra,
  }
  put(settings, 'tool_choice', writeChoice(request, whyUnforced(request, thinking, profile), extra.tool_choice, losses))
  put(settings, 'thinking', thinking)
  put(settings, 'output_config', writeOutput(request, extra.output_config, isOff, losses))
  put(settings, 'stop_sequences', writeStop(request.stop, losses))
  writeSampling(request, profile, settings, losses)
  if (request.reasoning !== undefined && !isOff && !saysReasoning(request.reasoning, settings)) {
    losses.push(lossOf('reasoning_setting_dropped', '/reasoning', 'dropped', 'nothing of it goes to this wire'))
  }
  if (shared.some((key) => extra[key] !== undefined) || isAdaptive(thinking))
    reconcile(request, settings, profile, losses)
  return settings
}

type Fields = { [key: string]: Writable }

/** Nothing takes the place of what was carried under that name. */
function put(fields: Fields, key: string, value: Writable): void {
  if (value !== undefined || fields[key] !== undefined) fields[key] = value
}

function saysReasoning(reasoning: ReasoningSpec, settings: Block): boolean {
  if (reasoning.budgetTokens !== undefined && settings.thinking !== undefined) return true
  return isJsonObject(settings.output_config) && settings.output_config.effort !== undefined
}

function defaultMaxTokens(request: CompletionRequest, profile: AnthropicProfile, losses: Loss[]): number {
  // Thinking counts against it, so its budget comes on top.
  const tokens = (profile.defaultMaxTokens ?? 8192) + Math.max(0, request.reasoning?.budgetTokens ?? 0)
  const message = `the wire demands a limit and the request has none; it is ${tokens}`
  losses.push(lossOf('max_tokens_default', '/maxTokens', 'changed', message, tokens))
  return tokens
}

function writeSampling(request: CompletionRequest, profile: AnthropicProfile, settings: Fields, losses: Loss[]): void {
  const { temperature, topP } = request
  if (profile.sampling === true) {
    put(settings, 'temperature', temperature)
    put(settings, 'top_p', topP)
    return
  }
  const message = 'this version of the wire refuses sampling parameters; pin the older one to send them'
  if (temperature !== undefined) losses.push(lossOf('sampling_dropped', '/temperature', 'dropped', message))
  if (topP !== undefined) losses.push(lossOf('sampling_dropped', '/topP', 'dropped', message))
}

/** Sequences without a visible character are refused. */
function writeStop(stop: readonly string[] | undefined, losses: Loss[]): readonly string[] | undefined {
  if (stop === undefined || stop.every((sequence) => sequence.trim() !== '')) return stop
  const kept = stop.filter((sequence) => sequence.trim() !== '')
  const message = 'the wire refuses stop sequences of white space alone'
  if (kept.length > 0) losses.push(lossOf('stop_dropped', '/stop', 'changed', message, kept))
  else losses.push(lossOf('stop_dropped', '/stop', 'dropped', message))
  return kept.length > 0 ? kept : undefined
}

function isAdaptive(thinking: Json | undefined): boolean {
  return isJsonObject(thinking) && thinking.type === 'adaptive'
}

/** Whether thinking is switched off, which some models refuse; a client that named one of them is taken at its word. */
function isThinkingOff(request: CompletionRequest, profile: AnthropicProfile): boolean {
  const { effort, budgetTokens = 0 } = request.reasoning ?? {}
  if (effort !== 'none' || budgetTokens > 0) return false
  return !isFixed(profile, request.model) || noteOf(request.extra?.[wire], 'thinking') === 'disabled'
}

/** A budget is manual thinking, where the model takes one; other settings of it are carried. */
function writeThinkingConfig(
  request: CompletionRequest,
  own: Json | undefined,
  isOff: boolean,
  profile: AnthropicProfile,
  losses: Loss[],
): Json | undefined {
  const wanted = request.reasoning?.budgetTokens
  const place = '/reasoning/budgetTokens'
  if (isOff) {
    const message = 'thinking is switched off, without a budget'
    if (wanted !== undefined) losses.push(lossOf('budget_dropped', place, 'dropped', message))
    return { ...(isJsonObject(own) ? own : {}), type: 'disabled' }
  }
  if (wanted === undefined) return own
  if (wanted > 0 && profile.adaptiveModels?.test(request.model)) {
    const message = 'this model refuses a budget; it is asked to think as much as it finds right'
    const path = request.reasoning?.effort === undefined ? '/reasoning' : place
    losses.push(lossOf('budget_dropped', path, 'dropped', message))
    return { ...(isJsonObject(own) ? own : {}), type: 'adaptive' }
  }
  if (lacksThinking(request.messages)) {
    const message = 'the running tool turn came without its thinking, so thinking is off until it ends'
    losses.push(lossOf('thinking_off', place, 'dropped', message))
    return undefined
  }
  const most = (request.maxTokens ?? Number.POSITIVE_INFINITY) - 1
  if (wanted <= 0 || most < leastBudget) {
    const message = wanted <= 0 ? 'no budget is no thinking' : `a budget needs more than ${leastBudget} tokens in all`
    losses.push(lossOf('thinking_off', place, 'dropped', message))
    return undefined
  }
  const budget = Math.min(Math.max(wanted, leastBudget), most)
  if (budget !== wanted) {
    const message = `the budget must be at least ${leastBudget} and below the limit of the answer; it is ${budget}`
    losses.push(lossOf('budget_changed', place, 'changed', message, budget))
  }
  return { ...(isJsonObject(own) ? own : {}), type: 'enabled', budget_tokens: budget }
}

const leastBudget = 1024

/** Whether results go back to a turn that does not begin with thinking: manual thinking is refused there. */
function lacksThinking(messages: readonly Message[]): boolean {
  const index = messages.findLastIndex((message) => message.role === 'assistant')
  const turn = messages[index]
  if (turn?.role !== 'assistant' || messages[index + 1]?.role !== 'tool') return false
  const [first] = turn.content
  return first !== undefined && !isThinking(first)
}

function writeOutput(
  request: CompletionRequest,
  own: Json | undefined,
  isOff: boolean,
  losses: Loss[],
): Json | undefined {
  const output = request.output === 'json_object' ? undefined : request.output
  const effort = isOff ? undefined : writeEffort(request, losses)
  const message = 'the wire takes the schema alone'
  for (const key of ['name', 'description', 'strict'] as const) {
    if (output?.[key] !== undefined) losses.push(lossOf('output_field_dropped', `/output/${key}`, 'dropped', message))
  }
  if (request.output === 'json_object') {
    losses.push(lossOf('output_dropped', '/output', 'dropped', 'the wire takes a schema, no JSON mode'))
  }
  const format = output === undefined ? undefined : writeFormat(output, losses)
  if (format === undefined && effort === undefined) return own
  return {
    ...(isJsonObject(own) ? own : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(format === undefined ? {} : { format }),
  }
}

function writeFormat(output: OutputSpec, losses: Loss[]): JsonObject | undefined {
  const { schema, notes, refused } = lowerOutput(output, outputDialects)
  if (refused !== undefined) {
    losses.push(lossOf('output_dropped', '/output', 'dropped', `the wire cannot be held to this schema: ${refused}`))
    return undefined
  }
  for (const loss of schemaLosses(wire, output.schema, schema, notes, '/output/schema')) losses.push(loss)
  return { type: 'json_schema', schema }
}

const efforts: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

/** The wire knows no effort below `low`. */
function writeEffort({ reasoning }: CompletionRequest, losses: Loss[]): string | undefined {
  const effort = reasoning?.effort
  if (effort === undefined || efforts.has(effort)) return effort
  const path = '/reasoning/effort'
  if (effort === 'minimal') {
    losses.push(lossOf('reasoning_setting_changed', path, 'changed', 'the lowest effort on this wire is low', 'low'))
    return 'low'
  }
  const known = [...efforts].join(', ')
  const message =
    effort === 'none'
      ? 'the model refuses to be told not to think'
      : `the wire knows no effort "${effort}"; it is one of ${known}`
  losses.push(lossOf('reasoning_setting_dropped', path, 'dropped', message))
  return undefined
}

/** Why no tool can be forced in this request; nothing when one can. */
function whyUnforced(request: CompletionRequest, thinking: Json | undefined, profile: AnthropicProfile): string {
  if (isJsonObject(thinking) && thinking.type === 'enabled') return 'no tool can be forced while thinking has a budget'
  return profile.unforcedModels?.test(request.model) ? 'this model cannot be forced' : ''
}

function writeChoice(
  request: CompletionRequest,
  unforced: string,
  own: Json | undefined,
  losses: Loss[],
): Json | undefined {
  const { parallelToolCalls: parallel } = request
  if (request.toolChoice === undefined && parallel === undefined) return own
  const choice = possibleChoice(request.toolChoice ?? 'auto', unforced, losses)
  if (request.toolChoice === undefined) {
    const message = 'parallel calls are switched together with the choice, so that is said too'
    losses.push(lossOf('tool_choice_said', '/toolChoice', 'changed', message, 'auto'))
  }
  if (choice.type === 'none' && parallel !== undefined) {
    const message = 'with no tool to be called there is nothing to call in parallel'
    losses.push(lossOf('parallel_dropped', '/parallelToolCalls', 'dropped', message))
  }
  const flag = choice.type === 'none' || parallel === undefined ? {} : { disable_parallel_tool_use: !parallel }
  return { ...(isJsonObject(own) ? own : {}), ...choice, ...flag }
}

type WireChoice = { readonly type: 'auto' | 'any' | 'none' } | { readonly type: 'tool'; readonly name: string }

/** The choice as the wire has it; what it cannot say or would refuse is widened, and reported. */
function possibleChoice(choice: ToolChoice, unforced: string, losses: Loss[]): WireChoice {
  const isFree =
    choice === 'auto' || choice === 'none' || (typeof choice === 'object' && 'mode' in choice && choice.mode === 'auto')
  if (!isFree && unforced !== '') {
    losses.push(lossOf('tool_choice_widened', '/toolChoice', 'widened', unforced, 'auto'))
    return { type: 'auto' }
  }
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice }
  if ('tool' in choice) {
    const name = wireName(choice.tool, toolNameRule)
    const message = `the tool name "${choice.tool}" is spelt as the wire allows`
    if (name !== choice.tool) losses.push(lossOf('name_changed', '/toolChoice/tool', 'changed', message, name))
    return { type: 'tool', name }
  }
  return { type: choice.mode === 'required' ? 'any' : 'auto' } // sealed: only the allowed tools are declared
}

/** Fields set by hand under `extra` may be modelled ones: reports each setting that decoding will read differently. */
function reconcile(request: CompletionRequest, settings: Block, profile: AnthropicProfile, losses: Loss[]): void {
  const wanted: Settings = applyLosses(settingsOf(request), losses)
  const read: Settings = readSettings(JSON.parse(writeJson(settings)) as JsonObject, betaOf(request), profile)
  for (const key of ['toolChoice', 'parallelToolCalls', 'output', 'reasoning', 'extra'] as const) {
    const [before, after] = [wanted[key], read[key]]
    if (sameJson(before, after)) continue
    const message = `the fields of the body that say "${key}" are read so`
    losses.push(lossOf('setting_changed', `/${key}`, after === undefined ? 'dropped' : 'changed', message, after))
  }
}

function settingsOf(request: CompletionRequest): Settings {
  const { model: _, messages: __, tools: ___, ...settings } = request
  return settings
}
