// Values of fields: checked by their type, written as text for a prompt, and read back from what a model wrote.
// The trap: what is written must read back to the same value, so both directions live here, side by side.
import { assertNever } from '../conversation/events.js'
import { isJsonObject, parseJson } from '../json/parse.js'
import { at } from '../json/pointer.js'
import { skipSpace, valueEnd } from '../json/scan.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value } from '../json/types.js'
import { takeSchema } from '../schema/intake.js'
import type { Checked, Issue } from '../schema/issue.js'
import { linearPattern } from '../schema/pattern.js'
import { type Field, type FieldType, intakeOf } from './field.js'

/** Checks the value of a field: by the schema it was given, else by its type. */
export async function checkField(field: Field, value: unknown): Promise<Checked<unknown>> {
  const intake = intakeOf(field)
  if (intake !== undefined) return intake.check(value)
  const issues: Issue[] = []
  const decoded = decode(field.type, value, '', issues)
  return issues.length === 0 ? { ok: true, value: decoded } : { ok: false, issues }
}

/** What is wrong with a value by the type of its field alone, whatever schema it was given. */
export function checkPlain(field: Field, value: unknown): readonly Issue[] {
  const issues: Issue[] = []
  decode(field.type, value, '', issues)
  return issues
}

/** Whether null is a value of the type, and not a way to say that there is none. */
export function takesNull(type: FieldType): boolean {
  const issues: Issue[] = []
  decode(type, null, '', issues)
  return issues.length === 0
}

/** The value as the type has it; what is wrong is added to the issues. A null for an optional member means that it is absent. */
function decode(type: FieldType, value: unknown, path: string, issues: Issue[]): unknown {
  const refuse = (message: string): undefined => {
    issues.push({ path, message })
    return undefined
  }
  switch (type.kind) {
    case 'string': {
      const problem = typeof value === 'string' ? textProblem(type, value) : 'must be a string'
      return problem === undefined ? value : refuse(problem)
    }
    case 'number':
    case 'integer': {
      const problem = numberProblem(type, value)
      return problem === undefined ? numberOf(type.kind, value) : refuse(problem)
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse('must be true or false')
    case 'date':
      return isDate(value) ? value : refuse('must be a date as text, YYYY-MM-DD')
    case 'datetime':
      return isDateTime(value) ? value : refuse('must be a date and time as text, like 2026-01-31T09:30:00Z')
    case 'class':
      return type.values.some((known) => known === value) ? value : refuse(`must be one of ${shown(type.values)}`)
    case 'json':
      return isJson(value) ? value : refuse('must be plain JSON')
    case 'object':
      if (!isJsonObject(value) || !isJson(value)) return refuse('must be an object')
      return type.fields === undefined ? value : decodeObject(type.fields, value, path, issues)
    case 'list': {
      if (!Array.isArray(value)) return refuse('must be a list')
      const problem = rangeProblem(type, value.length, 'items')
      if (problem !== undefined) return refuse(problem)
      return value.map((item: unknown, index) => decode(type.items, item, at(path, index), issues))
    }
    case 'schema': {
      const taken = takeSchema(type.schema, 'output')
      const checked = taken.ok ? taken.check(value) : undefined
      if (checked === undefined || checked instanceof Promise) return refuse('cannot be checked')
      if (checked.ok) return checked.value
      issues.push(...checked.issues.map((issue) => ({ path: `${path}${issue.path}`, message: issue.message })))
      return undefined
    }
    case 'tool':
    case 'tools':
    case 'tool_calls':
    case 'history':
      return value // read by those who know them
    default:
      return assertNever(type)
  }
}

function decodeObject(fields: readonly Field[], value: object, path: string, issues: Issue[]): unknown {
  const members = new Map(Object.entries(value) as [string, unknown][])
  const entries: [string, unknown][] = []
  for (const { name, type, optional } of fields) {
    const member = members.get(name)
    members.delete(name)
    if (member === undefined || (member === null && optional && !takesNull(type))) {
      if (!optional) issues.push({ path: at(path, name), message: 'is required' })
      continue
    }
    entries.push([name, decode(type, member, at(path, name), issues)])
  }
  for (const name of members.keys()) issues.push({ path: at(path, name), message: 'is not a member of the object' })
  return Object.fromEntries(entries)
}

function textProblem(type: Extract<FieldType, { kind: 'string' }>, value: string): string | undefined {
  const { min, max, pattern, format } = type
  const length =
    min === undefined && max === undefined ? undefined : rangeProblem(type, [...value].length, 'characters')
  if (length !== undefined) return length
  if (pattern !== undefined && linearPattern(pattern)?.test(value) !== true) return `must match the pattern ${pattern}`
  if (format === 'email' && !isEmail(value)) return 'must be an e-mail address'
  return format === 'uri' && !URL.canParse(value) ? 'must be an absolute address' : undefined
}

/** The length is looked at first: the pattern takes longer than linear time. */
function isEmail(value: string): boolean {
  return value.length <= 320 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)
}

function numberProblem(type: Extract<FieldType, { kind: 'number' | 'integer' }>, value: unknown): string | undefined {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  if (type.kind === 'integer' && !isWhole) return 'must be a whole number'
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isFinite(value))) return 'must be a number'
  if (type.min !== undefined && value < type.min) return `must be at least ${type.min}`
  return type.max !== undefined && value > type.max ? `must be at most ${type.max}` : undefined
}

/** Digits that a number would be written with are one; of an integer beyond 2^53−1 every digit is kept. */
function numberOf(kind: 'number' | 'integer', value: unknown): unknown {
  return kind === 'number' && typeof value === 'bigint' && `${Number(value)}` === `${value}` ? Number(value) : value
}

function rangeProblem(
  { min = 0, max = Number.POSITIVE_INFINITY }: { readonly min?: number; readonly max?: number },
  count: number,
  what: string,
): string | undefined {
  if (count < min) return `must have at least ${min} ${what}`
  return count > max ? `must have at most ${max} ${what}` : undefined
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(value)
}

function isDateTime(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const match =
    /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(
      value,
    )
  return match !== null && isDate(match[1])
}

/** JSON as it is stored or parsed, bigints included; anything else (a Date, a Map, a function) is not. */
function isJson(value: unknown, depth = 0): value is Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth > 100) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1))
  return isJsonObject(value) && Object.values(value).every((member) => isJson(member, depth + 1))
}

function shown(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

/** Whether a type is written as bare text and not as JSON. */
export function isText(type: FieldType): boolean {
  switch (type.kind) {
    case 'string':
    case 'class':
    case 'date':
    case 'datetime':
      return true
    case 'schema':
      return type.schema.type === 'string'
    default:
      return false
  }
}

/** A checked value as text for a prompt. */
export function writeValue(type: FieldType, value: unknown): string {
  return isText(type) && typeof value === 'string' ? value : stringifyJson(value as Value)
}

/** What a model wrote for a field, before it is checked. Text that is not what the type asks for is given on as it is. */
export function readValue(type: FieldType, text: string): unknown {
  switch (type.kind) {
    case 'class':
      return type.values.includes(text) ? text : unquoted(text)
    case 'date':
    case 'datetime':
      return unquoted(text)
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
    default: {
      if (isText(type)) return text
      const found = findJson(text)
      return found === undefined ? text : found.value
    }
  }
}

function unquoted(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text
}

/**
 * The JSON in a text: all of it, what a code fence holds, or the first object or list in it that is complete. Nothing is
 * repaired.
 */
export function findJson(text: string): { readonly value: Value } | undefined {
  const whole = text.trim()
  for (const candidate of [whole, ...fenced(whole)]) {
    const value = parsed(candidate)
    if (value !== undefined) return value
  }
  let tries = 0
  for (let index = whole.search(/[[{]/); index !== -1 && tries < 50; tries += 1) {
    const value = parsed(whole.slice(index, valueEnd(whole, skipSpace(whole, index))))
    if (value !== undefined) return value
    const next = whole.slice(index + 1).search(/[[{]/)
    index = next === -1 ? -1 : index + 1 + next
  }
  return undefined
}

function fenced(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```/gms)].map((match) => match[1] ?? '')
}

function parsed(text: string): { readonly value: Value } | undefined {
  try {
    return { value: parseJson(text) }
  } catch {
    return undefined
  }
}
