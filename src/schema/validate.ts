// Checks a value against a JSON Schema. Schemas and values may be hostile: the work of one check is metered, patterns are linear, and
// a value that would take too long is refused with an issue, never waved through and never left to stop the process.
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import { checkSchema } from './check.js'
import { compileNode } from './compile.js'
import { fillDefaults, hasDefaults, ownCopy } from './copy.js'
import type { Formats } from './formats/formats.js'
import type { Checked, Issue } from './issue.js'
import { capped, issuesOf } from './messages.js'
import { Exhausted } from './meter.js'
import { schemaRules } from './rules.js'
import { Enough, type Failure, type Node, newRun, type Run, visit } from './run.js'
import { surveySchema } from './survey.js'

/**
 * A compiled schema: every failing path at once, or the caller's own copy of the value, with defaults where they are valid. A `fresh`
 * value, parsed for this check alone, is handed over itself. Total: hostile values give issues, not throws. A run that is
 * given says afterwards what is left of its work.
 */
export type Validator = (value: unknown, options?: CheckOptions, run?: Run) => Checked<unknown>

/** Whether every pattern must be one that can be matched, or those that cannot be are left out. */
type Patterns = 'whole' | 'open'

type Validators = Readonly<Record<Patterns, WeakMap<JsonObject, Validator>>>
const createValidators = (): Validators => ({ whole: new WeakMap(), open: new WeakMap() })
const withoutFormats = createValidators()
const withFormats = new WeakMap<Formats, Validators>()

function validatorsFor(formats: Formats | undefined): Validators {
  if (formats === undefined) return withoutFormats
  let validators = withFormats.get(formats)
  if (validators === undefined) {
    validators = createValidators()
    withFormats.set(formats, validators)
  }
  return validators
}

/**
 * Compiles a schema, once per object. Throws `invalid_tool_spec` for a schema that cannot be checked whole. Patterns that cannot be matched
 * may be left out instead: then values are checked for the rest.
 */
export function compileSchema(schema: JsonObject, patterns: Patterns = 'whole', formats?: Formats): Validator {
  const validators = validatorsFor(formats)
  const known = validators[patterns].get(schema)
  if (known !== undefined) return known
  const problem = checkSchema(schema, { root: 'any', level: 'lenient', validated: patterns })
  if (problem !== undefined) {
    const { rule, path, message } = problem
    throw new ToolwireError('invalid_tool_spec', `the schema cannot be used: ${message}; ${schemaRules[rule]}`, {
      detail: { rule, path },
    })
  }
  const omitted = surveySchema(schema).unmatchable.map(({ pattern }) => pattern)
  const validator = validatorOf(compileNode(schema, new Set(omitted), formats), schema)
  validators[patterns].set(schema, validator)
  return validator
}

export interface CheckOptions {
  /** Steps the check may take; see meter.ts. */
  readonly work?: number | undefined
  /** The value was parsed for this check alone: it is handed over itself and not a copy of it. */
  readonly fresh?: boolean | undefined
  /** The values of `format` to check; none by default. */
  readonly formats?: Formats | undefined
}

export function checkJson(
  schema: JsonObject,
  value: unknown,
  options?: CheckOptions,
  patterns: Patterns = 'whole',
): Checked<unknown> {
  return compileSchema(schema, patterns, options?.formats)(value, options)
}

function validatorOf(root: Node, schema: JsonObject): Validator {
  let fills: boolean | undefined
  return (value, options, run = newRun(options?.work)) => {
    try {
      // Not `visit`: nothing is around the root, and what it applies to its members counts itself.
      if (!root.check(value, run)) return { ok: false, issues: collected(root, value, run) }
      fills ??= hasDefaults(schema)
      if (options?.fresh === true && !fills) return { ok: true, value }
      const copy = ownCopy(value, run)
      const isDone = !fills || !fillDefaults(copy, schema, run) || visit(root, copy, run)
      return { ok: true, value: isDone ? copy : ownCopy(value, run) }
    } catch (error) {
      return refusal(error, run)
    }
  }
}

/** The same run again, for its failures. It may run out of work on the way; that the value does not fit is certain. */
function collected(root: Node, value: unknown, run: Run): readonly Issue[] {
  const sink: Failure[] = []
  run.sink = sink
  run.path = []
  try {
    visit(root, value, run)
    return capped(issuesOf(sink))
  } catch (error) {
    if (!(error instanceof Enough) && (sink.length === 0 || !(error instanceof Exhausted))) throw error
    return capped(issuesOf(sink), true)
  }
}

function refusal(error: unknown, { limit }: Run): Checked<unknown> {
  // The engine's own stack may end before the depth that is allowed, in a program that is deep in calls itself.
  const isDeep = error instanceof RangeError || (error instanceof Exhausted && error.limit === 'depth')
  if (isDeep) return refused('nests too deeply to be checked against its schema; send flatter data', 'depth')
  if (!(error instanceof Exhausted)) return { ok: false, issues: [{ path: '', message: 'cannot be read' }] }
  const steps = `is too costly to check against its schema: it takes more than ${limit} steps`
  return refused(`${steps}; send fewer or shorter values`, 'work')
}

function refused(message: string, limit: 'work' | 'depth'): Checked<unknown> {
  return { ok: false, issues: [{ path: '', message }], limit }
}
