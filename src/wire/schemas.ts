// The schemas of tools and of the answer, in a wire's dialects. The trap: what the wire is told must be undone in what comes back,
// so the maps go into the exchange; and a tool that cannot be said must not take the others down with it.
import type { Loss } from '../conversation/losses.js'
import { at } from '../conversation/losses.js'
import type { Wire } from '../conversation/messages.js'
import type { CompletionRequest, OutputSpec, ToolSpec } from '../conversation/request.js'
import type { JsonObject } from '../json/types.js'
import { objectRoot } from '../schema/object-root.js'
import type { SchemaLoss } from '../schema/restrict/context.js'
import { type DialectName, dialects } from '../schema/restrict/dialects.js'
import { restrict } from '../schema/restrict/restrict.js'
import type { Mapping } from '../schema/restrict/value-map.js'

/** What a wire takes as the schema of a tool, and as that of one it is to be held to; without the latter there is no such thing. */
export interface ToolDialects {
  readonly plain: DialectName
  readonly strict?: DialectName
}

export interface LoweredTool {
  readonly schema: JsonObject
  /** Whether the wire is asked to hold the model to the schema. */
  readonly strict: boolean
  readonly mapping?: Mapping | undefined
  readonly notes: readonly SchemaLoss[]
  /** Why the tool cannot be declared at all. */
  readonly refused?: string | undefined
}

/** The schema of a tool that has one. A strict one that the strict dialect refuses goes out as a plain one. */
export function lowerTool(schema: JsonObject, strict: boolean | undefined, wanted: ToolDialects): LoweredTool {
  const root = rooted(schema)
  if (root.type !== 'object') {
    const refused = 'its schema does not describe an object, and arguments always are one'
    return { schema, strict: false, notes: [], refused }
  }
  const notes: SchemaLoss[] = []
  if (strict === true && wanted.strict !== undefined) {
    const held = restrict(root, wanted.strict)
    if (held.refused === undefined) return { ...held, strict: true, notes: held.losses }
    notes.push({ kind: 'widened', path: '', message: `the model is not held to the schema: ${held.refused}` })
  }
  const plain = restrict(root, wanted.plain)
  return { ...plain, strict: false, notes: [...notes, ...plain.losses] }
}

const roots = new WeakMap<JsonObject, JsonObject>()

/** The schema with an object that has properties at its root, the same one each time for a frozen schema. */
function rooted(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema
  const known = roots.get(schema)
  if (known !== undefined) return known
  const { schema: object } = objectRoot(schema)
  const made = object.type === 'object' && schema.properties === undefined ? { ...object, properties: {} } : object
  if (Object.isFrozen(schema)) roots.set(schema, Object.freeze(made))
  return made
}

/** Why a tool cannot be declared on a wire; nothing when it can. */
export function refusedTool(tool: ToolSpec, wanted: ToolDialects): string | undefined {
  return tool.inputSchema === undefined ? undefined : lowerTool(tool.inputSchema, tool.strict, wanted).refused
}

/** How the arguments of each tool come back, by its name; nothing when all of them come back as they are. */
function toolMappings(
  tools: CompletionRequest['tools'],
  wanted: ToolDialects,
): ReadonlyMap<string, Mapping> | undefined {
  let mappings: Map<string, Mapping> | undefined
  for (const tool of tools ?? []) {
    if (tool.type === 'opaque' || tool.inputSchema === undefined || !mayMap(tool, wanted)) continue
    const { mapping } = lowerTool(tool.inputSchema, tool.strict, wanted)
    if (mapping === undefined) continue
    mappings ??= new Map()
    mappings.set(tool.name, mapping)
  }
  return mappings
}

/** Most requests hold no tool whose values change: they are not looked at. */
function mayMap(tool: ToolSpec, { plain, strict }: ToolDialects): boolean {
  return dialects[plain].mapped || (strict !== undefined && tool.strict === true)
}

export interface LoweredOutput {
  readonly schema: JsonObject
  readonly strict: boolean
  readonly mapping?: Mapping | undefined
  readonly notes: readonly SchemaLoss[]
  readonly refused?: string | undefined
}

/** The schema of the answer. */
export function lowerOutput({ schema, strict }: OutputSpec, wanted: ToolDialects): LoweredOutput {
  const notes: SchemaLoss[] = []
  if (strict === true && wanted.strict !== undefined) {
    const held = restrict(schema, wanted.strict)
    if (held.refused === undefined) return { ...held, strict: true, notes: held.losses }
    notes.push({ kind: 'widened', path: '', message: `the model is not held to the schema: ${held.refused}` })
  }
  const plain = restrict(schema, wanted.plain)
  return { ...plain, strict: false, notes: [...notes, ...plain.losses] }
}

/** The maps of an exchange: those of the tools, and that of the answer where it is asked for in a schema. */
export function mappingsOf(
  request: CompletionRequest,
  tools: ToolDialects,
  output: ToolDialects | undefined,
): { readonly maps?: ReadonlyMap<string, Mapping>; readonly output?: Mapping } {
  const maps = toolMappings(request.tools, tools)
  const answer =
    request.output === undefined || output === undefined ? undefined : lowerOutput(request.output, output).mapping
  return { ...(maps === undefined ? {} : { maps }), ...(answer === undefined ? {} : { output: answer }) }
}

/** What lowering did, as losses that explain; the change itself is a loss of its own. `path` is where the schema stands. */
export function schemaNotes(wire: Wire, notes: readonly SchemaLoss[], path: string): readonly Loss[] {
  return notes.map((note) => ({
    code: `schema_${note.kind}`,
    wire,
    path: path + note.path,
    kind: 'repaired',
    message: note.message,
  }))
}

/** The change of a schema that was lowered, and what lowering did. */
export function schemaLosses(
  wire: Wire,
  before: JsonObject,
  after: JsonObject,
  notes: readonly SchemaLoss[],
  path: string,
): readonly Loss[] {
  const explained = schemaNotes(wire, notes, path)
  if (after === before) return explained
  const message = `the schema is said in the dialect of ${wire}`
  return [{ code: 'schema_changed', wire, path, kind: 'changed', to: after, message }, ...explained]
}

/** The place of a tool's schema in the tool. */
export const inputSchemaPath: string = at('', 'inputSchema')
