// Tools and the choice among them, both ways. Tools are flat here, and silence about `strict` asks the server to try it, so it
// is always said.
import type { OpaqueTool, ToolChoice, ToolSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { leftover, noteOf } from '../extra.js'
import { type NameRule, wireName } from '../names.js'
import { invalidAt } from '../request-body.js'
import { lowerTool } from '../schemas.js'
import { clientOrigin, emptySchema, fieldsToWrite, isDefault, modelled, ownOf, toolDialects, wire } from './types.js'

/** `notes` gets what the schema could not say as it was. */
export function encodeTool(tool: ToolSpec | OpaqueTool, names: NameRule, notes: SchemaLoss[]): JsonObject {
  if (tool.type === 'opaque') return tool.data
  const { description, inputSchema } = tool
  const lowered = lowerTool(inputSchema ?? emptySchema, tool.strict, toolDialects)
  for (const note of lowered.notes) notes.push(note)
  const unsaid = tool.strict === undefined && noteOf(ownOf(tool), 'strict') === 'unsaid'
  const written: { [key: string]: Json } = { type: 'function', name: wireName(tool.name, names) }
  if (description !== undefined) written.description = description
  written.parameters = lowered.schema
  if (!unsaid) written.strict = lowered.strict
  return tool.extra === undefined ? written : { ...written, ...fieldsToWrite(tool, modelled.tool) }
}

export function decodeTool(tool: Json, path: string): ToolSpec | OpaqueTool {
  if (!isJsonObject(tool)) throw invalidAt(path, 'a tool: an object with a type')
  if (tool.type !== 'function' || typeof tool.name !== 'string') {
    return { type: 'opaque', origin: clientOrigin, data: tool }
  }
  const { name, description, parameters, strict } = tool
  const unsaid = strict === undefined || strict === null
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(parameters) ? { inputSchema: parameters } : {}),
    ...(strict === true ? { strict } : {}),
    ...leftover(wire, tool, modelled.tool, unsaid ? { isDefault, notes: { strict: 'unsaid' } } : { isDefault }),
  }
}

export function encodeChoice(choice: ToolChoice, names: NameRule): Json {
  if (typeof choice === 'string') return choice
  if ('tool' in choice) return { type: 'function', name: wireName(choice.tool, names) }
  const tools = choice.allowed.map((name) => ({ type: 'function', name: wireName(name, names) }))
  return { type: 'allowed_tools', mode: choice.mode, tools }
}

/** The choice of a request; nothing for one that is not modelled (a hosted or custom tool), which is carried as it is. */
export function decodeChoice(choice: Json | undefined): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (!isJsonObject(choice)) return undefined
  if (choice.type === 'function' && typeof choice.name === 'string' && Object.keys(choice).length === 2) {
    return { tool: choice.name }
  }
  const { type, mode, tools } = choice
  if (type !== 'allowed_tools' || (mode !== 'auto' && mode !== 'required') || !Array.isArray(tools)) return undefined
  const allowed: string[] = []
  for (const tool of tools) {
    if (!isJsonObject(tool) || tool.type !== 'function' || typeof tool.name !== 'string') return undefined
    allowed.push(tool.name)
  }
  return allowed.length === 0 ? undefined : { allowed, mode }
}
