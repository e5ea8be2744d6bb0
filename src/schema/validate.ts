// Checks a value against a JSON Schema. The only file that knows the engine (ajv). Schemas and values may be hostile: the work of one
// check is metered, patterns are linear, and a value that would take too long is refused with an issue instead of stopping the process.
import { _, Ajv2020, type ErrorObject, type KeywordCxt, type KeywordErrorDefinition, Name } from 'ajv/dist/2020.js'
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import type { Checked } from './issue.js'
import { issuesOf } from './messages.js'
import { linearPattern } from './pattern.js'
import { costKeyword, prepareSchema } from './prepare.js'
import { schemaLimits, schemaRules } from './rules.js'
import { engineForm, isUnique, keyCount, originalOf, survey } from './shadow.js'

/** A compiled schema: every failing path at once, or the very value it was given. Total: hostile values give issues, not throws. */
export type Validator = (value: unknown) => Checked<unknown>

const validators = new WeakMap<JsonObject, Validator>()

/** Compiles a schema, once per object. Throws `invalid_tool_spec` for a schema that `checkSchema` would refuse. */
export function compileSchema(schema: JsonObject): Validator {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const prepared = prepareSchema(schema)
  if (!prepared.ok) {
    const { rule, message } = prepared.problem
    throw new ToolwireError('invalid_tool_spec', `the schema cannot be used: ${message}; ${schemaRules[rule]}`, {
      detail: { rule },
    })
  }
  const validator = compile(prepared.schema)
  validators.set(schema, validator)
  return validator
}

class Exhausted extends Error {}

/** What is left of the work one check may do. Checks are synchronous and never nest, so one meter serves all. */
const meter = { left: 0 }

function spend(units: number): void {
  meter.left -= units
  if (meter.left < 0) throw new Exhausted()
}

function spendVisit(units: number, data: unknown, errors: readonly ErrorObject[] | null): void {
  // Failing is dear, and cannot end the check at once: inside an alternative the errors may yet be dropped.
  spend(errors !== null && errors.length > schemaLimits.errors ? 10 * units : units)
  // Each key may become an error, and errors are dear.
  if (typeof data === 'object' && data !== null) spend(10 * keyCount(data))
}

function compile(schema: JsonObject): Validator {
  const engine = ajv()
  // Tracking what was evaluated makes code larger, and with recursive references wrong: only where a keyword asks for it.
  engine.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated')
  const validate = compiled(engine, schema)
  // The engine keeps every schema it compiled; a tool made per request must not stay for ever.
  engine.removeSchema(schema)
  return (value) => {
    try {
      const size = survey(value)
      if (size.refused !== undefined) return { ok: false, issues: [{ path: '', message: size.refused }] }
      meter.left = schemaLimits.work
      if (validate(size.bigints ? engineForm(value) : value)) return { ok: true, value }
      return { ok: false, issues: issuesOf(validate.errors ?? []) }
    } catch (error) {
      const tooMuch = error instanceof Exhausted || error instanceof RangeError
      const message = tooMuch ? 'is too large or too complex to check against its schema' : 'cannot be read'
      return { ok: false, issues: [{ path: '', message }] }
    } finally {
      validate.errors = null
    }
  }
}

function compiled(engine: Ajv2020, schema: JsonObject): ReturnType<Ajv2020['compile']> {
  try {
    return engine.compile(schema)
  } catch (cause) {
    const forbidden = cause instanceof EvalError
    const message = forbidden
      ? 'this runtime forbids generated code, which checking a JSON Schema needs; give the tool a zod, valibot or arktype schema'
      : `the schema cannot be compiled: ${cause instanceof Error ? cause.message : 'unknown reason'}; correct it`
    throw new ToolwireError(forbidden ? 'unsupported_feature' : 'invalid_tool_spec', message, { cause })
  }
}

let shared: Ajv2020 | undefined

function ajv(): Ajv2020 {
  shared ??= newAjv()
  return shared
}

function newAjv(): Ajv2020 {
  const engine = new Ajv2020({
    allErrors: true,
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    logger: false,
    messages: false,
    code: { optimize: false, regExp: Object.assign(meteredPattern, { code: '' }) },
  })
  addOwnKeywords(engine)
  return engine
}

/** The meter, and the assertions whose time in the engine's own form grows with the square or with the length of hostile data. */
function addOwnKeywords(engine: Ajv2020): void {
  engine.addKeyword({ keyword: costKeyword, before: '$ref', code: chargeVisit })
  for (const keyword of ['uniqueItems', 'minLength', 'maxLength']) engine.removeKeyword(keyword)
  engine.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    code: (context) => {
      if (context.schema === true) failUnless(context, (data) => isUnique(originalOf(data), spend))
    },
  })
  engine.addKeyword({
    keyword: 'minLength',
    type: 'string',
    error: limitParams,
    code: (context) => failUnless(context, (data) => lengthOf(data, Number(context.schema)) >= Number(context.schema)),
  })
  engine.addKeyword({
    keyword: 'maxLength',
    type: 'string',
    error: limitParams,
    code: (context) => failUnless(context, (data) => lengthOf(data, Number(context.schema)) <= Number(context.schema)),
  })
}

/** The engine's own variable: the errors found so far. */
const foundErrors = new Name('vErrors')

function chargeVisit(context: KeywordCxt): void {
  const [units, walksKeys] = context.schema as [number, boolean]
  const charge = context.gen.scopeValue('func', { ref: spendVisit })
  context.gen.code(_`${charge}(${units}, ${walksKeys ? context.data : _`null`}, ${foundErrors})`)
}

function failUnless(context: KeywordCxt, test: (data: unknown) => boolean): void {
  const name = context.gen.scopeValue('func', { ref: test })
  context.fail(_`!${name}(${context.data})`)
}

const limitParams: KeywordErrorDefinition = { message: '', params: ({ schema }) => _`{limit: ${schema}}` }

/** Characters as JSON Schema counts them (code points), counted only where the limit depends on it. */
function lengthOf(data: unknown, limit: number): number {
  const text = String(data)
  if (text.length < limit || text.length > 2 * limit) return text.length
  spend(text.length / 50)
  let pairs = 0
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) pairs++
  }
  return text.length - pairs
}

function meteredPattern(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = linearPattern(source)
  return {
    // The engine tells patterns apart by their text.
    toString: () => source,
    test: (text) => {
      // `prepareSchema` leaves such patterns out.
      if (pattern === undefined) return true
      spend(1 + (text.length * pattern.size) / 8)
      return pattern.test(text)
    },
  }
}
