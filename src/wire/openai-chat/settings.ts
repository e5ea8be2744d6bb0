// The settings of a request beside messages and tools, encoded: limits, sampling, choice, output, reasoning.
// The trap: a setting the wire spells in two ways is written back the way the client spelt it, by a note on the request.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest, OutputSpec, ReasoningSpec } from '../../conversation/request.js'
import type { Json, JsonObject } from '../../json/types.js'
import { innerFields, type Notes, noteOf } from '../extra.js'
import { defaultOutputName, wireName } from '../names.js'
import { lowerOutput, schemaLosses } from '../schemas.js'
import { limitStops } from '../setting-limits.js'
import type { Flags } from './profiles.js'
import { formatKeys, readSettings } from './settings-decode.js'
import { encodeChoice, encodeFunctionCall } from './tools.js'
import { modelled, nameRule, toolDialects, wire } from './types.js'

type Fields = { [key: string]: Json | undefined }

/** The settings as members of the body, and what `carriedFields` must know of them. */
export interface EncodedSettings {
  readonly fields: JsonObject
  readonly written: {
    readonly taken: ReadonlySet<string>
    readonly notes: Notes
    readonly inner: { readonly [key: string]: JsonObject | undefined }
  }
}

/** Members that are never carried: the codec always writes them itself. */
const always: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'functions',
  'stream',
  'stream_options',
  'reasoning',
])

interface Writing {
  readonly request: CompletionRequest
  readonly own: JsonObject | undefined
  readonly flags: Flags
  readonly losses: Loss[]
  readonly fields: Fields
  readonly notes: { [name: string]: Json }
  readonly inner: { [key: string]: JsonObject | undefined }
}

/** `model` is undefined where the path names it. */
export function encodeSettings(
  given: CompletionRequest,
  model: string | undefined,
  stream: boolean,
  tools: 'tools' | 'functions' | undefined,
  flags: Flags,
  losses: Loss[],
): EncodedSettings {
  const request = limitStops(wire, given, flags.maxStops, losses)
  const own = request.extra?.[wire]
  const writing: Writing = { request, own, flags, losses, fields: { model }, notes: {}, inner: {} }
  const { fields, notes } = writing
  writeLimit(writing)
  if (request.temperature !== undefined) fields.temperature = request.temperature
  if (request.topP !== undefined) fields.top_p = request.topP
  writeStop(writing)
  writeChoice(writing, tools)
  writeOutput(writing)
  writeEffort(writing)
  if (stream) writeStream(writing)
  if (flags.modelInPath && typeof noteOf(own, 'path') === 'string') notes.path = noteOf(own, 'path') as string
  const taken = own === undefined ? always : takenBy(fields, own, tools !== undefined)
  return { fields: fields as JsonObject, written: { taken, notes, inner: writing.inner } }
}

/** What must not come out of `extra`: members that are written, and those that the codec would read as its own setting. */
function takenBy(fields: Fields, own: JsonObject, hasTools: boolean): ReadonlySet<string> {
  const taken = new Set<string>([...always, ...Object.keys(fields)])
  if (!hasTools) for (const key of ['tool_choice', 'parallel_tool_calls']) taken.add(key)
  for (const [key, value] of Object.entries(own)) if (isSetting(key, value)) taken.add(key)
  return taken
}

function isSetting(key: string, value: Json): boolean {
  const { left } = readSettings({ [key]: value }, { flags: undefined, stream: false })
  return Object.hasOwn(left, key)
}

function writeLimit({ request, own, flags, fields, notes }: Writing): void {
  if (request.maxTokens === undefined) return
  const [first = 'max_tokens'] = flags.maxTokens
  const noted = flags.maxTokens.find((name) => name === noteOf(own, 'maxTokens') && name !== first)
  fields[noted ?? first] = request.maxTokens
  if (noted !== undefined) notes.maxTokens = noted
}

function writeStop({ request, own, fields, notes }: Writing): void {
  if (request.stop === undefined) return
  const alone = request.stop.length === 1 && noteOf(own, 'stop') === 'string'
  fields.stop = alone ? request.stop[0] : request.stop
  if (alone) notes.stop = 'string'
}

function writeChoice(
  { request, flags, losses, fields, notes }: Writing,
  tools: 'tools' | 'functions' | undefined,
): void {
  if (tools === 'functions') {
    notes.functions = true
    if (request.toolChoice !== undefined) fields.function_call = encodeFunctionCall(request.toolChoice, losses)
    return
  }
  if (request.toolChoice !== undefined) fields.tool_choice = encodeChoice(request.toolChoice, flags, losses)
  if (request.parallelToolCalls === undefined) return
  if (tools === undefined) {
    const message = 'no tools are sent, so nothing can be called in parallel'
    losses.push({ code: 'parallel_dropped', wire, path: '/parallelToolCalls', kind: 'dropped', message })
  } else fields.parallel_tool_calls = request.parallelToolCalls
}

const anyObject: OutputSpec = { name: defaultOutputName, schema: { type: 'object' } }

/** The output that is asked for: the nearest of what this server has. */
function nearestOutput({ request: { output }, flags, losses }: Writing): CompletionRequest['output'] {
  if (output === 'json_object' && !flags.jsonObject) {
    const message = 'this server has no JSON mode; it is asked for the schema of any object'
    losses.push({ code: 'output_changed', wire, path: '/output', kind: 'changed', to: { ...anyObject }, message })
    return anyObject
  }
  if (typeof output === 'object' && !flags.jsonSchema) {
    const message = 'this server takes no schema; it is asked for any JSON object'
    losses.push({ code: 'output_widened', wire, path: '/output', kind: 'widened', to: 'json_object', message })
    return 'json_object'
  }
  return output
}

function writeOutput(writing: Writing): void {
  const { request, own, losses, fields, inner } = writing
  const output = nearestOutput(writing)
  if (output === undefined) return
  const format = output === request.output ? innerFields(own, 'response_format', formatKeys) : undefined
  if (output === 'json_object') {
    inner.response_format = format
    fields.response_format = { type: output, ...format }
    return
  }
  const name = wireName(output.name ?? defaultOutputName, nameRule)
  if (name !== output.name) {
    const message = 'the wire wants a name of letters, digits, _ and - for the output'
    losses.push({ code: 'output_field_changed', wire, path: '/output/name', kind: 'changed', to: name, message })
  }
  const more = innerFields(format, 'json_schema', modelled.jsonSchema)
  if (more !== undefined) inner.response_format = { json_schema: more }
  const { description, strict } = output
  const lowered = lowerOutput(output, toolDialects)
  for (const loss of schemaLosses(wire, output.schema, lowered.schema, lowered.notes, '/output/schema'))
    losses.push(loss)
  if (strict === true && !lowered.strict) {
    const message = 'the schema cannot be said in strict mode'
    losses.push({ code: 'output_field_dropped', wire, path: '/output/strict', kind: 'dropped', message })
  }
  fields.response_format = {
    type: 'json_schema',
    json_schema: {
      name,
      ...(description === undefined ? {} : { description }),
      schema: lowered.schema,
      ...(strict === undefined || strict !== lowered.strict ? {} : { strict }),
      ...more,
    },
  }
}

/** Not to think is left out for a model that refuses to be told so. */
function sayable({ reasoning, model }: CompletionRequest, flags: Flags, losses: Loss[]): ReasoningSpec | undefined {
  if (reasoning?.effort !== 'none' || !flags.fixedThinking.test(model)) return reasoning
  const { budgetTokens } = reasoning
  dropReasoning(budgetTokens === undefined ? '/reasoning' : '/reasoning/effort', losses)
  return budgetTokens === undefined ? undefined : { budgetTokens }
}

function writeEffort({ request, own, flags, losses, fields, notes, inner }: Writing): void {
  const reasoning = sayable(request, flags, losses)
  const noted = noteOf(own, 'effort')
  const form = noted === 'reasoning' || noted === 'reasoning_effort' ? noted : flags.effort
  const more = innerFields(own, 'reasoning', modelled.reasoning)
  const { effort, budgetTokens } = reasoning ?? {}
  if (form === 'reasoning') {
    const written = effort !== undefined || budgetTokens !== undefined
    if (written || more !== undefined) {
      fields.reasoning = { effort, max_tokens: budgetTokens, ...more } as JsonObject
      inner.reasoning = more
    }
    if (written && form !== flags.effort) notes.effort = form
    if (!written && reasoning !== undefined) dropReasoning('/reasoning', losses)
    return
  }
  if (more !== undefined && effort === undefined) {
    fields.reasoning = more
    inner.reasoning = more
  }
  if (effort !== undefined) {
    fields.reasoning_effort = effort
    if (form !== flags.effort) notes.effort = form
    if (budgetTokens !== undefined) dropReasoning('/reasoning/budgetTokens', losses)
  } else if (reasoning !== undefined) dropReasoning('/reasoning', losses)
}

function dropReasoning(path: string, losses: Loss[]): void {
  const message = 'this server has no such reasoning setting'
  losses.push({ code: 'reasoning_setting_dropped', wire, path, kind: 'dropped', message })
}

function writeStream({ own, flags, fields, notes, inner }: Writing): void {
  fields.stream = true
  if (!flags.streamOptions) return
  const more = innerFields(own, 'stream_options', modelled.streamOptions)
  const silent = noteOf(own, 'includeUsage') === false
  if (silent) notes.includeUsage = false
  inner.stream_options = more
  if (!silent || more !== undefined) fields.stream_options = { ...(silent ? {} : { include_usage: true }), ...more }
}
