// From what a program says of a tool to a `Tool`: strict, because the author can correct it. Definitions from elsewhere go through
// `importTool`, which is lenient; both end in `makeTool`.

import type { StandardTypedV1 } from '@standard-schema/spec'
import { freeze, memoOf } from '../conversation/freeze.js'
import type { ToolSpec } from '../conversation/request.js'
import { canonicalJson } from '../json/canonical.js'
import { digest } from '../json/digest.js'
import type { JsonObject } from '../json/types.js'
import type { Formats } from '../schema/formats/formats.js'
import type { AnySchema, FromSchema, Infer } from '../schema/infer.js'
import { type Intake, intakeProblem, takeSchema } from '../schema/intake.js'
import type { Checked } from '../schema/issue.js'
import { specError } from './spec-rules.js'
import { type Tool, type ToolCapability, type ToolContext, type ToolLimits, toolCapabilities } from './tool.js'

export interface ToolOptions extends ToolLimits {
  /** What the tool touches; a policy may deny it or ask first. */
  readonly capabilities?: readonly ToolCapability[]
  /** Whether a call that was in flight at a crash may simply be run again. Default false. */
  readonly repeatable?: boolean
  /** Asks providers that can to hold the model to the schema exactly. */
  readonly strict?: boolean
  /** MCP's hints about the tool (`readOnlyHint`, `title`, …), which `serveMcp` lists. */
  readonly annotations?: JsonObject
  /**
   * The values of `format` that arguments and results are checked for, such as `formats` of `toolwire/formats`. Default: none, because
   * JSON Schema makes them annotations. Only for JSON Schemas: a schema of zod or another library checks what it wants to.
   */
  readonly formats?: Formats
}

/** What a handler may return: what the output schema takes, or anything without one. */
export type Returned<Out> = Out extends StandardTypedV1
  ? StandardTypedV1.InferInput<Out>
  : Out extends JsonObject
    ? FromSchema<Out>
    : never

export interface ToolDefinition<Input extends AnySchema, Output> extends ToolOptions {
  /** Lower-case letters, digits and `_`, a letter first, at most 64. */
  readonly name: string
  /** What the tool does and when to use it, 10 to 500 characters. */
  readonly description: string
  readonly input: Input
  /** An integer beyond ±(2^53−1) arrives as a bigint where a JSON Schema or `params` says integer or number. */
  readonly execute: (input: Infer<Input>, context: ToolContext) => Output | Promise<Output>
}

/** Defines a tool. Throws `invalid_tool_spec` with the broken rule as `detail.rule`. */
export function defineTool<const Input extends AnySchema, const Out extends AnySchema>(
  definition: ToolDefinition<Input, Returned<Out>> & {
    /** What the handler returns, checked after it did. */
    readonly outputSchema: Out
  },
): Tool<Infer<Input>, Returned<Out>>
export function defineTool<const Input extends AnySchema, Output>(
  definition: ToolDefinition<Input, Output> & { readonly outputSchema?: undefined },
): Tool<Infer<Input>, Output>
export function defineTool<Input extends AnySchema, Output>(
  definition: ToolDefinition<Input, Output> & { readonly outputSchema?: AnySchema | undefined },
): Tool<Infer<Input>, Output> {
  checkWords(definition)
  const { name, description, input, outputSchema, execute } = definition
  if (input === undefined) throw specError(name, 'input_missing', 'it has no input schema')
  if (typeof execute !== 'function') throw specError(name, 'execute_missing', 'it has no execute function')
  const taken = taking(name, input, 'input')
  const output = outputSchema === undefined ? undefined : taking(name, outputSchema, 'output')
  return makeTool({ name, description, taken, output, source: 'local', options: definition, execute })
}

interface Parts<Input, Output> {
  readonly name: string
  readonly description: string
  readonly taken: Pick<Intake, 'schema' | 'check'>
  readonly output?: Intake | undefined
  readonly source: string
  readonly options: ToolOptions
  readonly execute: (input: Input, context: ToolContext) => Output | Promise<Output>
}

/** Puts a tool together from parts that were checked; checks the options itself. */
export function makeTool<Input, Output>(parts: Parts<Input, Output>): Tool<Input, Output> {
  const { name, description, taken, output, source, options, execute } = parts
  checkOptions(name, options)
  const spec = freeze(specOf(name, description, taken.schema, options.strict))
  const facts: Omit<Draft<Input, Output>, 'digest'> = {
    name,
    description,
    spec,
    inputSchema: taken.schema,
    capabilities: options.capabilities === undefined ? [] : [...new Set(options.capabilities)],
    source,
    repeatable: options.repeatable ?? false,
    // The schema that was checked against is the one the input type was inferred from.
    checkInput: withFormats(taken.check, options.formats) as Tool<Input, Output>['checkInput'],
    execute,
  }
  const tool = Object.defineProperty(facts, 'digest', digestProperty) as Draft<Input, Output>
  const { timeoutMs, concurrency, rateLimit } = options
  if (spec.strict !== undefined) tool.strict = spec.strict
  if (timeoutMs !== undefined) tool.timeoutMs = timeoutMs
  if (concurrency !== undefined) tool.concurrency = concurrency
  if (rateLimit !== undefined) tool.rateLimit = rateLimit
  if (options.annotations !== undefined) tool.annotations = options.annotations
  if (output !== undefined) {
    tool.outputSchema = output.schema
    const check = withFormats(output.check, options.formats)
    tool.checkOutput = (value) => check(value) as Checked<Output> | Promise<Checked<Output>>
  }
  return tool
}

function withFormats(check: Intake['check'], formats: Formats | undefined): Intake['check'] {
  return formats === undefined ? check : (value, options) => check(value, { ...options, formats })
}

/** Written out: spreads of what may be absent cost more than all else here. */
function specOf(name: string, description: string, inputSchema: JsonObject, strict: boolean | undefined): ToolSpec {
  const spec = description === '' ? { name, inputSchema } : { name, description, inputSchema }
  return strict === undefined ? spec : { ...spec, strict }
}

/**
 * Only who pins definitions asks, and hashing takes longer than all the rest. One getter for all tools: the runtime keeps objects that
 * have one of their own as tables, which are slow to read.
 */
const digestProperty: PropertyDescriptor & ThisType<Tool> = {
  enumerable: true,
  configurable: true,
  get() {
    return digestOf(this.spec)
  },
}

function digestOf(spec: ToolSpec): string {
  const { name, description = '', inputSchema = {} } = spec
  const memo = memoOf(spec)
  const known = memo?.get<string>(digestProperty)
  if (known !== undefined) return known
  const made = digest(canonicalJson({ name, description, inputSchema }))
  memo?.set(digestProperty, made)
  return made
}

/** A tool that is being put together. */
type Draft<Input, Output> = { -readonly [Key in keyof Tool<Input, Output>]: Tool<Input, Output>[Key] }

function taking(name: string, schema: unknown, side: 'input' | 'output'): Intake {
  const taken = takeSchema(schema, side)
  if (!taken.ok) throw specError(name, taken.problem.rule, taken.problem.message, taken.problem.path)
  const root = side === 'input' ? 'object' : 'any'
  const problem = intakeProblem(taken, { root, level: 'strict' })
  if (problem !== undefined) throw specError(name, problem.rule, problem.message, problem.path)
  return taken
}

function checkWords(definition: unknown): void {
  if (typeof definition !== 'object' || definition === null) {
    throw specError('', 'definition_kind', 'the definition is not an object')
  }
  const { name, description }: { name?: unknown; description?: unknown } = definition
  if (typeof name !== 'string' || name === '') throw specError('', 'name_missing', 'it has no name')
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw specError(name, 'name_style', 'the name is not snake_case starting with a lower-case letter')
  }
  if (name.length > 64) throw specError(name, 'name_length', `the name has ${name.length} characters`)
  if (typeof description !== 'string') throw specError(name, 'description_missing', 'it has no description')
  // Counted only where characters of two units could make a difference.
  const isPlainlyFit = description.length >= 20 && description.length <= 500
  const length = isPlainlyFit ? description.length : [...description].length
  if (length < 10 || length > 500) {
    throw specError(name, 'description_length', `the description has ${length} characters`)
  }
}

function checkOptions(name: string, options: ToolOptions): void {
  for (const capability of options.capabilities ?? []) {
    if (!toolCapabilities.includes(capability)) {
      throw specError(name, 'capability_unknown', `the capability ${JSON.stringify(capability)} is not known`)
    }
  }
  checkLimit(name, 'timeoutMs', options.timeoutMs)
  checkLimit(name, 'concurrency', options.concurrency)
  checkLimit(name, 'rateLimit.calls', options.rateLimit?.calls)
  checkLimit(name, 'rateLimit.perMs', options.rateLimit?.perMs)
  checkFlag(name, 'repeatable', options.repeatable)
  checkFlag(name, 'strict', options.strict)
  checkFormats(name, options.formats)
}

function checkLimit(name: string, field: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return
  throw specError(name, 'limit_value', `${field} is ${String(value)}`)
}

function checkFormats(name: string, formats: unknown): void {
  if (formats === undefined) return
  const checks: readonly unknown[] =
    typeof formats === 'object' && formats !== null ? Object.values(formats) : [formats]
  if (checks.every((check) => typeof check === 'function')) return
  throw specError(name, 'formats_value', 'formats is not an object of functions')
}

function checkFlag(name: string, field: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  throw specError(name, 'flag_value', `${field} is ${String(value)}`)
}
