// Declared tools in both directions. The server keeps only part of a schema: what it would drop is said in other words.
import { at, type Loss } from '../../conversation/losses.js'
import type { OpaqueTool, ToolSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import { differences } from '../differences.js'
import { innerFields, leftover, unmodelled } from '../extra.js'
import { cachedPiece, type Piece, relocate } from '../pieces.js'
import { invalidAt } from '../request-body.js'
import { inputSchemaPath, lowerTool, schemaNotes } from '../schemas.js'
import { ownFields, type WritableObject } from './calls.js'
import { isDefault, modelled, toolDialects, wire } from './types.js'

type AnyTool = ToolSpec | OpaqueTool

/** The items of `tools`. */
export function writeTools(tools: readonly AnyTool[], losses: Loss[]): readonly string[] {
  return tools.map((tool, index) => {
    const piece = cachedPiece(tool, wire, writeTool)
    if (piece.losses.length > 0) relocate(piece.losses, at('/tools', index), losses)
    return piece.text
  })
}

function writeTool(tool: AnyTool): Piece {
  const schema = tool.type === 'opaque' ? undefined : tool.inputSchema
  const lowered = schema === undefined ? undefined : lowerTool(schema, false, toolDialects)
  const text = writeUnicode(objectOf(tool, lowered?.schema))
  const losses: Loss[] = [...schemaNotes(wire, lowered?.notes ?? [], inputSchemaPath)]
  const isPlain =
    tool.type === undefined && tool.extra === undefined && tool.strict === undefined && lowered?.schema === schema
  if (!isPlain || schema === undefined) differences(wire, tool, readTool(JSON.parse(text) as Json, ''), '', losses)
  return { text, losses }
}

function objectOf(tool: AnyTool, schema: JsonObject | undefined): WritableObject {
  if (tool.type === 'opaque') return tool.data
  const inner = innerFields(tool.extra?.[wire], 'function', modelled.toolFunction)
  const callee = { name: tool.name, description: tool.description, parameters: schema ?? empty, ...inner }
  return { type: 'function', function: callee, ...ownFields(tool, modelled.tool) }
}

const empty: JsonObject = { type: 'object', properties: {} }

/** What is not a function stays as it came. */
export function readTool(tool: Json, path: string): AnyTool {
  if (!isJsonObject(tool)) throw invalidAt(path, 'an object')
  const { type, function: callee } = tool
  const isFunction = type === 'function' || type === undefined || type === null
  if (!isFunction || !isJsonObject(callee) || typeof callee.name !== 'string') {
    return { type: 'opaque', origin: { wire }, data: tool }
  }
  const { name, description, parameters } = callee
  const inner = { function: unmodelled(callee, modelled.toolFunction) }
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(parameters) ? { inputSchema: parameters } : {}),
    ...leftover(wire, tool, modelled.tool, { isDefault, inner }),
  }
}
