// Tools and the choice among them, in both directions, the legacy `functions` and `function_call` included.
import { at, type Loss } from '../../conversation/losses.js'
import type { CompletionRequest, OpaqueTool, ToolChoice, ToolSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { carriedFields, innerFields, leftover, noteOf, unmodelled } from '../extra.js'
import { wireName } from '../names.js'
import type { Piece } from '../pieces.js'
import { invalidAt } from '../request-body.js'
import { inputSchemaPath, lowerTool, schemaLosses } from '../schemas.js'
import type { Flags } from './profiles.js'
import { isNull, modelled, nameRule, toolDialects, wire } from './types.js'

export type AnyTool = ToolSpec | OpaqueTool

/** One tool as JSON. Losses are relative to the tool. */
export function encodeTool(tool: AnyTool, legacy: boolean): Piece {
  if (tool.type === 'opaque') return { text: writeUnicode(tool.data), losses: [] }
  const losses: Loss[] = []
  const name = wireName(tool.name, nameRule)
  if (name !== tool.name) {
    const message = `${wire} refuses the name "${tool.name}"`
    losses.push({ code: 'name_changed', wire, path: '/name', kind: 'changed', to: name, message })
  }
  const inner = innerFields(tool.extra?.[wire], 'function', modelled.toolFunction)
  const described: Definition = tool.description === undefined ? { name } : { name, description: tool.description }
  writeParameters(tool, described, losses)
  const definition = inner === undefined ? described : { ...described, ...inner }
  const taken = legacy ? 'all' : modelled.tool
  const fields = carriedFields(wire, tool, '', losses, { taken, inner: { function: inner } })
  return { text: writeUnicode(legacy ? definition : { type: 'function', function: definition, ...fields }), losses }
}

type Definition = { [key: string]: Json }

/** The schema and the strict flag, which is said only when the caller did and only where it can be kept. */
function writeParameters({ inputSchema, strict }: ToolSpec, definition: Definition, losses: Loss[]): void {
  if (inputSchema === undefined) {
    if (strict !== undefined) definition.strict = strict
    return
  }
  const lowered = lowerTool(inputSchema, strict, toolDialects)
  for (const loss of schemaLosses(wire, inputSchema, lowered.schema, lowered.notes, inputSchemaPath)) losses.push(loss)
  definition.parameters = lowered.schema
  if (strict === undefined) return
  if (!strict || lowered.strict) {
    definition.strict = strict
    return
  }
  const message = 'the schema cannot be said in strict mode'
  losses.push({ code: 'strict_dropped', wire, path: '/strict', kind: 'dropped', message })
}

/** Whether tools and choice can be said in the legacy form, and a client said them so. */
export function usesFunctions(request: CompletionRequest): boolean {
  const { tools, toolChoice, parallelToolCalls, extra } = request
  if (noteOf(extra?.[wire], 'functions') !== true || tools === undefined || parallelToolCalls !== undefined)
    return false
  const sayable = toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none' || isNamed(toolChoice)
  return sayable && tools.every((tool) => tool.type !== 'opaque')
}

function isNamed(choice: ToolChoice): choice is { readonly tool: string } {
  return typeof choice === 'object' && 'tool' in choice
}

/** The choice as the wire says it, or nothing; what the profile does not obey is widened and reported. */
export function encodeChoice(choice: ToolChoice, flags: Flags, losses: Loss[]): Json | undefined {
  if (flags.choices === 'none' && choice !== 'auto') {
    const message = `this server cannot be told ${JSON.stringify(choice)}; it is asked for nothing instead`
    losses.push({ code: 'tool_choice_widened', wire, path: '/toolChoice', kind: 'widened', message })
    return undefined
  }
  if (typeof choice === 'string') return choice === 'required' ? flags.requiredWord : choice
  if (isNamed(choice)) {
    return { type: 'function', function: { name: choiceName(choice.tool, '/toolChoice/tool', losses) } }
  }
  const tools = choice.allowed.map((tool, index) => {
    return { type: 'function', function: { name: choiceName(tool, at('/toolChoice/allowed', index), losses) } }
  })
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } }
}

export function encodeFunctionCall(choice: ToolChoice, losses: Loss[]): Json | undefined {
  if (isNamed(choice)) return { name: choiceName(choice.tool, '/toolChoice/tool', losses) }
  return choice === 'auto' || choice === 'none' ? choice : undefined
}

function choiceName(name: string, path: string, losses: Loss[]): string {
  const to = wireName(name, nameRule)
  if (to !== name) {
    losses.push({
      code: 'name_changed',
      wire,
      path,
      kind: 'changed',
      to,
      message: `${wire} refuses the name "${name}"`,
    })
  }
  return to
}

export function decodeTool(value: Json, path: string): AnyTool {
  if (!isJsonObject(value)) throw invalidAt(path, 'an object that describes a tool')
  const { type = null, function: definition } = value
  const isFunction = type === 'function' || type === null
  if (!isFunction && typeof type !== 'string') throw invalidAt(`${path}/type`, 'the kind of tool')
  if (!isFunction || !isJsonObject(definition)) {
    return { type: 'opaque', origin: { wire }, data: value }
  }
  return decodeFunction(definition, path, value)
}

/** A function definition, alone (legacy) or inside its tool object. */
export function decodeFunction(definition: JsonObject, path: string, tool: JsonObject = {}): ToolSpec {
  const { name, description, parameters, strict } = definition
  if (typeof name !== 'string') throw invalidAt(`${path}/function/name`, 'the name of the function')
  const inner = { function: unmodelled(definition, modelled.toolFunction) }
  if (parameters !== undefined && parameters !== null && !isJsonObject(parameters)) {
    throw invalidAt(`${path}/function/parameters`, 'a JSON Schema')
  }
  const rest = leftover(wire, tool, modelled.tool, { isDefault: isNull, inner })
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(parameters) ? { inputSchema: parameters } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...rest,
  }
}

/** The choice in canonical form; nothing when it cannot be said there, and then it is carried as it is. */
export function decodeChoice(value: Json): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return value
  if (value === 'any') return 'required'
  if (!isJsonObject(value)) return undefined
  if (value.type === 'allowed_tools') return decodeAllowed(value.allowed_tools)
  const name = functionName(value)
  return name === undefined ? undefined : { tool: name }
}

function decodeAllowed(value: Json | undefined): ToolChoice | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.tools)) return undefined
  const { mode } = value
  const names = value.tools.map((tool: Json) => (isJsonObject(tool) ? functionName(tool) : undefined))
  const allowed = names.filter((name) => name !== undefined)
  if (allowed.length !== names.length || (mode !== 'auto' && mode !== 'required')) return undefined
  return { allowed, mode }
}

/** `{type:'function',function:{name}}`, or the flat spelling some clients use. */
function functionName(value: JsonObject): string | undefined {
  if (value.type !== 'function') return undefined
  const { name } = isJsonObject(value.function) ? value.function : value
  return typeof name === 'string' ? name : undefined
}

export function decodeFunctionCall(value: Json): ToolChoice | undefined {
  if (value === 'auto' || value === 'none') return value
  return isJsonObject(value) && typeof value.name === 'string' ? { tool: value.name } : undefined
}
