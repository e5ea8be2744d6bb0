// Tool definitions. The trap: the root of an input schema must be an object, and the wire refuses some property keys, which
// are mapped and mapped back in the arguments of calls.
import { memoOf } from '../../conversation/freeze.js'
import { at, type Loss } from '../../conversation/losses.js'
import type { OpaqueTool, ToolSpec } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Exchange } from '../codec.js'
import { carriedFields, leftover } from '../extra.js'
import { wireName } from '../names.js'
import { cachedPiece, type Piece, relocate } from '../pieces.js'
import { invalidAt } from '../request-body.js'
import { inputSchemaPath, type LoweredSchema, lowerTool, schemaLosses, schemaNotes } from '../schemas.js'
import type { PropertyNames } from './history.js'
import { defaults, isDefault, lossOf, modelled, propertyRule, toolDialects, toolNameRule, wire } from './types.js'

type Tools = readonly (ToolSpec | OpaqueTool)[]

/** The property keys that have to be spelt otherwise, by tool; nothing when there are none. */
export function propertyNames(tools: Tools | undefined): PropertyNames | undefined {
  let names: Map<string, ReadonlyMap<string, string>> | undefined
  for (const tool of tools ?? []) {
    const spelt = tool.type === 'opaque' ? noKeys : speltKeys(tool)
    if (tool.type === 'opaque' || spelt.size === 0) continue
    names ??= new Map()
    names.set(tool.name, spelt)
  }
  return names
}

const noKeys: ReadonlyMap<string, string> = new Map()
const keysOfTool = 'anthropic property keys'

function speltKeys(tool: ToolSpec): ReadonlyMap<string, string> {
  const memo = memoOf(tool)
  const known = memo?.get<ReadonlyMap<string, string>>(keysOfTool)
  if (known !== undefined) return known
  const properties = tool.inputSchema?.properties
  const keys = isJsonObject(properties) ? Object.keys(properties) : []
  const refused = keys.filter((key) => wireName(key, propertyRule) !== key)
  const spelt = refused.length === 0 ? noKeys : new Map(refused.map((key) => [key, wireName(key, propertyRule)]))
  memo?.set(keysOfTool, spelt)
  return spelt
}

/** The same the other way round, for reading calls. */
export function exchangeKeys(names: PropertyNames | undefined): Exchange['keys'] {
  if (names === undefined) return undefined
  return new Map([...names].map(([tool, keys]) => [tool, new Map([...keys].map(([key, spelt]) => [spelt, key]))]))
}

export function writeTools(
  tools: Tools | undefined,
  properties: PropertyNames | undefined,
  losses: Loss[],
): readonly string[] {
  const items: string[] = []
  tools?.forEach((tool, index) => {
    const piece = cachedPiece(tool, wire, (node) => writeTool(node, properties))
    if (piece.losses.length > 0) relocate(piece.losses, at('/tools', index), losses)
    items.push(piece.text)
  })
  return items
}

function writeTool(tool: ToolSpec | OpaqueTool, properties: PropertyNames | undefined): Piece {
  const losses: Loss[] = []
  if (tool.type === 'opaque') {
    const read = readTool(tool.data, '')
    const message = 'a built-in tool without a type of its own is read as a function'
    if (read.type !== 'opaque') losses.push(lossOf('opaque_changed', '', 'changed', message, read))
    return { text: writeUnicode(tool.data), losses }
  }
  const name = wireName(tool.name, toolNameRule)
  if (name !== tool.name) {
    const message = `the tool name "${tool.name}" is spelt as the wire allows`
    losses.push(lossOf('name_changed', '/name', 'changed', message, name))
  }
  const fields = carriedFields(wire, tool, '', losses, { taken: modelled.tool, isDefault })
  const { description } = tool
  const lowered = lowerTool(tool.inputSchema ?? emptySchema, tool.strict, toolDialects)
  const strict = tool.strict === true && !lowered.strict ? undefined : tool.strict
  if (strict !== tool.strict) {
    losses.push(lossOf('strict_dropped', '/strict', 'dropped', 'the schema cannot be said in strict mode'))
  }
  const schema = writeSchema(tool.inputSchema, lowered, properties?.get(tool.name), losses)
  return { text: writeUnicode({ name, description, input_schema: schema, strict, ...fields }), losses }
}

const emptySchema: JsonObject = { type: 'object', properties: {} }

function writeSchema(
  schema: JsonObject | undefined,
  lowered: LoweredSchema,
  keys: ReadonlyMap<string, string> | undefined,
  losses: Loss[],
): JsonObject {
  if (schema === undefined) {
    const message = 'a tool without parameters has an empty schema'
    losses.push(lossOf('schema_changed', '/inputSchema', 'changed', message, lowered.schema))
    return lowered.schema
  }
  if (keys === undefined) {
    for (const loss of schemaLosses(wire, schema, lowered.schema, lowered.notes, inputSchemaPath)) losses.push(loss)
    return lowered.schema
  }
  const spelt = renamedProperties(lowered.schema, keys)
  losses.push(
    lossOf('keys_changed', '/inputSchema', 'changed', 'some property keys are spelt as the wire allows', spelt),
    ...schemaNotes(wire, lowered.notes, inputSchemaPath),
  )
  return spelt
}

function renamedProperties(schema: JsonObject, keys: ReadonlyMap<string, string>): JsonObject {
  const { properties, required } = schema
  const spelt = isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([key, value]) => [keys.get(key) ?? key, value]))
    : properties
  const needed = Array.isArray(required)
    ? required.map((key: Json) => (typeof key === 'string' ? (keys.get(key) ?? key) : key))
    : required
  return {
    ...schema,
    ...(spelt === undefined ? {} : { properties: spelt }),
    ...(needed === undefined ? {} : { required: needed }),
  }
}

/** A tool as a client declares it: a function, or one that the provider built, kept whole. */
export function readTool(tool: Json, path: string): ToolSpec | OpaqueTool {
  if (!isJsonObject(tool)) throw invalidAt(path, 'an object')
  const { type, name, description, input_schema: schema, strict } = tool
  const isFunction = (type === undefined || type === null || type === 'custom') && typeof name === 'string'
  if (!isFunction || !isAbsentOr(description, 'string') || !isAbsentOr(strict, 'boolean')) return opaqueTool(tool)
  if (schema !== undefined && schema !== null && !isJsonObject(schema)) return opaqueTool(tool)
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isJsonObject(schema) ? { inputSchema: schema } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...leftover(wire, tool, modelled.tool, defaults),
  }
}

function opaqueTool(data: JsonObject): OpaqueTool {
  return { type: 'opaque', origin: { wire }, data }
}

function isAbsentOr(value: Json | undefined, type: 'string' | 'boolean'): boolean {
  return value === undefined || value === null || typeof value === type
}
