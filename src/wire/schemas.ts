// The schemas of tools and of the answer, in a wire's dialects. The trap: what the wire is told must be undone in what comes back,
// so the maps go into the exchange; and a tool that cannot be said must not take the others down with it.
import { memoOf } from '../conversation/freeze.js'
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

export interface LoweredSchema {
  readonly schema: JsonObject
  /** Whether the wire is asked to hold the model to the schema. */
  readonly strict: boolean
  readonly mapping?: Mapping | undefined
  readonly notes: readonly SchemaLoss[]
  /** Why the schema cannot be said at all: the tool is not declared then. */
  readonly refused?: string | undefined
}

/** The schema of a tool that has one. A strict one that the strict dialect refuses goes out as a plain one. */
export function lowerTool(schema: JsonObject, strict: boolean | undefined, wanted: ToolDialects): LoweredSchema {
  const root = rooted(schema)
  if (root.type !== 'object') {
    const refused = 'its schema does not describe an object, and arguments always are one'
    return { schema, strict: false, notes: [], refused }
  }
  return lowerAs(root, strict, wanted)
}

function lowerAs(given: JsonObject, isStrict: boolean | undefined, wanted: ToolDialects): LoweredSchema {
  if (isStrict !== true || wanted.strict === undefined) {
    const { schema, mapping, losses: notes, refused } = restrict(given, wanted.plain)
    return { schema, strict: false, mapping, notes, refused }
  }
  const held = restrict(given, wanted.strict)
  if (held.refused === undefined)
    return { schema: held.schema, strict: true, mapping: held.mapping, notes: held.losses }
  const plain = restrict(given, wanted.plain)
  const message = `the model is not held to the schema: ${held.refused}`
  return { ...plain, strict: false, notes: [{ kind: 'widened', path: '', message }, ...plain.losses] }
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
  if (tool.inputSchema === undefined || isTaken(tool.inputSchema, tool.strict, wanted)) return undefined
  return loweredTool(tool, tool.inputSchema, wanted).refused
}

/** Whether a schema is taken by a dialect that takes any object: nothing more needs to be known of most tools. */
function isTaken(schema: JsonObject, strict: boolean | undefined, wanted: ToolDialects): boolean {
  const isPlain = strict !== true || wanted.strict === undefined
  return isPlain && schema.type === 'object' && dialects[wanted.plain].keywords === 'all'
}

/** The schema of a tool, lowered once for a tool that can no longer change. */
function loweredTool(tool: ToolSpec, schema: JsonObject, wanted: ToolDialects): LoweredSchema {
  const memo = memoOf(tool)
  const known = memo?.get<LoweredSchema>(wanted)
  if (known !== undefined) return known
  const lowered = lowerTool(schema, tool.strict, wanted)
  memo?.set(wanted, lowered)
  return lowered
}

/** How the arguments of each tool come back, by its name; nothing when all of them come back as they are. */
function toolMappings(
  tools: CompletionRequest['tools'],
  wanted: ToolDialects,
): ReadonlyMap<string, Mapping> | undefined {
  let mappings: Map<string, Mapping> | undefined
  for (const tool of tools ?? []) {
    if (tool.type === 'opaque' || tool.inputSchema === undefined || !mayMap(tool, wanted)) continue
    const { mapping } = loweredTool(tool, tool.inputSchema, wanted)
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

/** The schema of the answer. */
export function lowerOutput({ schema, strict }: OutputSpec, wanted: ToolDialects): LoweredSchema {
  return lowerAs(schema, strict, wanted)
}

/** The maps of an exchange: those of the tools, and that of the answer where it is asked for in a schema. */
export function mappingsOf(
  request: CompletionRequest,
  tools: ToolDialects,
  output: ToolDialects | undefined,
): { readonly maps?: ReadonlyMap<string, Mapping>; readonly output?: Mapping } {
  const maps = toolMappings(request.tools, tools)
  const held = typeof request.output === 'object' && output !== undefined
  const answer = held ? lowerOutput(request.output, output).mapping : undefined
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
