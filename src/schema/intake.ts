// One way in for every kind of schema: a Standard Schema that can also say its JSON Schema (zod 4, arktype, wrapped valibot, `params`),
// or a JSON Schema itself. A Standard Schema checks values by its own rules; a JSON Schema through `compileSchema`.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { checkRoot, checkSchema, type SchemaCheck } from './check.js'
import type { Checked, Issue } from './issue.js'
import { capped } from './messages.js'
import { paramSchema } from './param.js'
import { plainCopy } from './plain.js'
import type { SchemaProblem, SchemaRule } from './rules.js'
import { type TidySchema, tidySchema } from './tidy.js'
import { type CheckOptions, compileSchema, type Validator } from './validate.js'

export interface Intake {
  readonly ok: true
  /** The JSON Schema for the model, which the caller's edits cannot reach. */
  readonly schema: JsonObject
  /** Whether `check` runs this library's validator, so that the schema must be one it can run. */
  readonly validated: boolean
  /** Whether the schema was seen to break no rule on its way in; what else there is to ask is left to `intakeProblem`. */
  readonly isSound: boolean
  /** The options are for this library's own validator; a Standard Schema does as it likes. */
  check(value: unknown, options?: CheckOptions): Checked<unknown> | Promise<Checked<unknown>>
}
export type IntakeResult = Intake | { readonly ok: false; readonly problem: SchemaProblem }

type Side = 'input' | 'output'
const taken = new WeakMap<object, Intake>()

/** Takes a schema in, once per object. `side` chooses what a schema with transforms describes to the model. */
export function takeSchema(schema: unknown, side: Side): IntakeResult {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    return refused('schema_not_json', 'the schema is not an object')
  }
  const own = paramSchema(schema)
  const standard = own === undefined ? standardOf(schema) : undefined
  if (standard !== undefined) return takeStandard(schema, standard, side)
  const known = taken.get(schema)
  // An ordinary object its owner may have edited since.
  if (known !== undefined && sameJson(known.schema, own ?? schema)) return known
  const result = takeJson(own ?? schema)
  if (result.ok) taken.set(schema, result)
  return result
}

/** The first rule that a schema breaks where it is used. `validated` matters only to one that this library checks values against. */
export function intakeProblem({ schema, validated, isSound }: Intake, check: SchemaCheck): SchemaProblem | undefined {
  if (isSound) return checkRoot(schema, check.root)
  return checkSchema(schema, validated ? check : { ...check, validated: 'none' })
}

function takeJson(schema: object): IntakeResult {
  const copy = plainCopy(schema)
  if (!isJsonObject(copy))
    return refused('schema_not_json', 'the schema is not made of plain JSON values, or is far too large')
  const problem = checkSchema(copy, { root: 'any', level: 'lenient' })
  if (problem !== undefined) return { ok: false, problem }
  let validator: Validator | undefined
  const check: Intake['check'] = (value, options) => {
    if (options?.formats !== undefined) return compileSchema(copy, 'whole', options.formats)(value, options)
    validator ??= compileSchema(copy)
    return validator(value, options)
  }
  return { ok: true, schema: copy, validated: true, isSound: false, check }
}

/** Whether a schema is still what the copy was made from. The walk is that of the copy, so that it ends whatever became of the other. */
function sameJson(copy: Json | undefined, schema: unknown): boolean {
  if (typeof copy !== 'object' || copy === null) return copy === schema
  if (typeof schema !== 'object' || schema === null || Array.isArray(copy) !== Array.isArray(schema)) return false
  const members = schema as { readonly [key: string]: unknown }
  let left = 0
  for (const key in copy) left += Object.hasOwn(copy, key) ? 1 : 0
  for (const key in members) {
    if (members[key] === undefined) continue
    if (!Object.hasOwn(copy, key) || !sameJson((copy as JsonObject)[key], members[key])) return false
    left -= 1
  }
  return left === 0
}

type Standard = StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>

/** Nothing for one that cannot even be asked, such as a schema of zod that was frozen before its first use. */
function standardOf(schema: object): Standard | undefined {
  try {
    const standard: unknown = '~standard' in schema ? schema['~standard'] : undefined
    return typeof standard === 'object' && standard !== null && 'validate' in standard
      ? (standard as Standard)
      : undefined
  } catch {
    return undefined
  }
}

/** Who gives plain JSON that nobody else holds, so that it need not be copied: zod reads it out of a text each time. */
const givesOwn: ReadonlySet<string> = new Set(['zod'])

function takeStandard(of: object, standard: Standard, side: Side): IntakeResult {
  const known = descriptionOf(of, side)
  if (known !== undefined) return standardIntake(known, standard)
  const { vendor, jsonSchema } = standard
  const refuse = (rule: SchemaRule, why: string): IntakeResult => refused(rule, `the ${vendor} schema ${why}`)
  if (jsonSchema === undefined) return refuse('json_schema_missing', 'cannot say its JSON Schema')
  try {
    const given = jsonSchema[side]({ target: 'draft-2020-12' })
    const plain = givesOwn.has(vendor) ? (given as Json) : plainCopy(given)
    if (!isJsonObject(plain)) return refuse('schema_not_json', 'gave no plain JSON Schema')
    const tidy = tidySchema(plain)
    keepDescription(of, side, tidy)
    return standardIntake(tidy, standard)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    return refuse('json_schema_failed', `has no JSON Schema: ${reason}`)
  }
}

/** What a Standard Schema said of itself, and who said it: a proxy or an heir shows the mark of another. */
interface Description extends TidySchema {
  readonly owner: object
}

/** The description hangs on the schema itself, out of sight: a weak table would cost a twentieth of what zod takes to describe it. */
const marks = { input: Symbol('toolwire input'), output: Symbol('toolwire output') } as const
/** Of schemas that take no mark. */
const unmarked = { input: new WeakMap<object, TidySchema>(), output: new WeakMap<object, TidySchema>() }

function descriptionOf(schema: object, side: Side): TidySchema | undefined {
  const mark = (schema as { readonly [mark: symbol]: Description | undefined })[marks[side]]
  return mark?.owner === schema ? mark : unmarked[side].get(schema)
}

function keepDescription(owner: object, side: Side, tidy: TidySchema): void {
  const value: Description = { owner, schema: tidy.schema, isSound: tidy.isSound }
  if (Object.isExtensible(owner)) Object.defineProperty(owner, marks[side], { value, configurable: true })
  else unmarked[side].set(owner, tidy)
}

function standardIntake({ schema, isSound }: TidySchema, standard: Standard): Intake {
  return { ok: true, schema, validated: false, isSound, check: (value) => checkStandard(standard, value) }
}

function checkStandard(standard: StandardSchemaV1.Props, value: unknown): Checked<unknown> | Promise<Checked<unknown>> {
  try {
    const result = standard.validate(value)
    return result instanceof Promise ? result.then(checkedOf, unreadable) : checkedOf(result)
  } catch {
    return unreadable()
  }
}

function checkedOf(result: StandardSchemaV1.Result<unknown>): Checked<unknown> {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: capped(result.issues.map(issueOf)) }
}

function issueOf(issue: StandardSchemaV1.Issue): Issue {
  const keys = (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment))
  return { path: keys.reduce<string>(at, ''), message: issue.message }
}

/** The schema's own code threw; its words are not for a model to read. */
function unreadable(): Checked<unknown> {
  return { ok: false, issues: [{ path: '', message: 'could not be checked: the schema itself failed' }] }
}

function refused(rule: SchemaRule, message: string): IntakeResult {
  return { ok: false, problem: { rule, path: '', message } }
}
