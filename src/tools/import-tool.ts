// Tools defined elsewhere: OpenAI, Anthropic, Gemini, MCP, canonical and leaderboard definitions. Lenient: nothing is refused for its
// style, schemas are normalised, and every change is a note. What no call could ever satisfy is refused with a typed error.
import { type ToolSpec, toolSpecOf } from '../conversation/request.js'
import { ToolExecutionError } from '../conversation/tool-error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject, ValueObject } from '../json/types.js'
import { checkSchema } from '../schema/check.js'
import { normaliseSchema, type SchemaNote } from '../schema/normalise.js'
import { objectRoot } from '../schema/object-root.js'
import { plainCopy } from '../schema/plain.js'
import { checkSize } from '../schema/size.js'
import { surveySchema } from '../schema/survey.js'
import { checkJson } from '../schema/validate.js'
import { makeTool, type ToolOptions } from './definition.js'
import { specError } from './spec-rules.js'
import type { Tool, ToolContext } from './tool.js'

export interface ImportOptions extends ToolOptions {
  /** Where the definition came from, for collisions, policy and the audit trail. Default `imported`. */
  readonly source?: string
  /** The name to use instead of the definition's own. */
  readonly name?: string
  /** What runs the tool. Without it every call is answered with an error. */
  readonly execute?: (input: ValueObject, context: ToolContext) => unknown
}

export interface ImportedTool {
  readonly tool: Tool<ValueObject, unknown>
  /** What was mapped or left out on the way, with pointers into the definition's schema. */
  readonly notes: readonly SchemaNote[]
  /** MCP annotations as the server gave them: hints, not to be trusted. */
  readonly annotations?: JsonObject
}

/** Makes a tool of a foreign definition. Throws `invalid_tool_spec`, and nothing else, when there is no tool in it. */
export function importTool(definition: unknown, options: ImportOptions = {}): ImportedTool {
  const given = options.name ?? ''
  const plain = plainDefinition(specIn(definition), given)
  const found = unwrap(plain, given)
  const name = given === '' ? textOf(found.name) : given
  if (name === '') throw specError('', 'name_missing', 'the definition has no name')
  const description = textOf(found.description)
  const { schema, notes } = readSchema(name, found)
  const strict = options.strict ?? found.strict
  const annotations = isJsonObject(found.annotations) ? found.annotations : undefined
  const tool = makeTool<ValueObject, unknown>({
    name,
    description,
    taken: { schema, check: (value, options) => checkJson(schema, value, options, 'open') },
    source: options.source ?? 'imported',
    options: {
      ...(annotations === undefined ? {} : { annotations }),
      ...options,
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
    execute: options.execute ?? (() => notImplemented(name)),
  })
  return { tool, notes, ...(annotations === undefined ? {} : { annotations }) }
}

/** A tool that is defined already stands for its definition. */
function specIn(definition: unknown): unknown {
  return typeof definition === 'object' && definition !== null ? toolSpecOf(definition as ToolSpec) : definition
}

function notImplemented(name: string): never {
  throw new ToolExecutionError('resource_not_found', `Tool "${name}" is defined here but has no implementation`)
}

function plainDefinition(definition: unknown, name: string): JsonObject {
  const copy = plainCopy(definition)
  if (isJsonObject(copy)) return copy
  const problem = typeof definition === 'object' && definition !== null && !Array.isArray(definition)
  const message = problem
    ? 'the definition is not made of plain JSON values, or is far too large'
    : 'the definition is not an object'
  throw specError(name, problem ? 'schema_not_json' : 'definition_kind', message)
}

/** The members of a definition that matter, out of the wrapping each API puts around them. */
function unwrap(definition: JsonObject, name: string): JsonObject {
  const { type, function: inner, functionDeclarations } = definition
  if (isJsonObject(inner)) return inner
  if (Array.isArray(functionDeclarations)) {
    const [only, ...others] = functionDeclarations
    if (isJsonObject(only) && others.length === 0) return only
    throw specError(
      name,
      'definition_kind',
      `the definition holds ${functionDeclarations.length} function declarations, not one`,
    )
  }
  const isFunction = type === undefined || type === null || type === 'function' || definition.input_schema !== undefined
  if (isFunction) return definition
  throw specError(
    name === '' ? textOf(definition.name) : name,
    'definition_kind',
    `${JSON.stringify(type)} is a tool of the provider's own, not a function`,
  )
}

const schemaFields = ['input_schema', 'inputSchema', 'parametersJsonSchema', 'parameters_json_schema', 'parameters']

function readSchema(name: string, definition: JsonObject): { schema: JsonObject; notes: readonly SchemaNote[] } {
  const field = schemaFields.find((key) => definition[key] !== undefined && definition[key] !== null)
  const written = field === undefined ? undefined : definition[field]
  if (written === undefined) {
    const message = 'the definition has no schema: it takes no parameters'
    return { schema: { type: 'object', properties: {} }, notes: [{ path: '', message }] }
  }
  if (!isJsonObject(written)) throw specError(name, 'schema_not_json', `${field} is not a JSON Schema object`)
  const size = checkSize(written)
  if (size !== undefined) throw specError(name, size.rule, size.message, size.path)
  const normalised = normaliseSchema(written)
  const root = objectRoot(normalised.schema)
  const problem = checkSchema(root.schema, { root: 'object', level: 'lenient', validated: 'open' })
  if (problem !== undefined) throw specError(name, problem.rule, problem.message, problem.path)
  const unchecked = surveySchema(root.schema).unmatchable.map(({ path, pattern }) => ({
    path,
    message: `the pattern ${JSON.stringify(pattern)} cannot be matched in linear time and is not checked`,
  }))
  return { schema: root.schema, notes: [...normalised.notes, ...root.notes, ...unchecked] }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
