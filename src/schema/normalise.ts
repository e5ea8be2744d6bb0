// Dialects of JSON Schema met in the wild (OpenAPI 3.0 and Gemini, drafts 3 to 7, the Berkeley leaderboard, language type names) as
// JSON Schema 2020-12. Total: what cannot be mapped is dropped, and everything that was changed is said in a note.
import { isJsonObject } from '../json/parse.js'
import { at as memberOf } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { mapType, snakeKeywords } from './dialects.js'
import { draftOf } from './drafts.js'
import { holders, keywordValues } from './keywords.js'
import { shown } from './messages.js'
import { type SchemaNote, upgradeSchema } from './upgrade.js'

export type { SchemaNote }

export interface Normalised {
  readonly schema: JsonObject
  readonly notes: readonly SchemaNote[]
}

/** Normalises a schema of known size (see `checkSize`). */
export function normaliseSchema(schema: JsonObject): Normalised {
  const upgraded = upgradeSchema(schema)
  // A dynamic reference cannot be written as a plain one. The validator reads such a schema as it is.
  const source = upgraded.isDynamic ? schema : upgraded.schema
  const notes: SchemaNote[] = upgraded.isDynamic ? [] : [...upgraded.notes]
  const result = normalised(source, '', (path, message) => notes.push({ path, message }))
  return { schema: result.schema, notes }
}

type Report = (path: string, message: string) => void

interface Member {
  readonly schema: JsonObject
  /** What the member says about itself: `optional: true`, or the `required: true` of draft 3. */
  readonly required?: boolean | undefined
}

interface State {
  /** What the schema says of itself as a member. */
  required?: boolean
  /** The members of the schema that say that they are optional. */
  readonly optional: Set<string>
}

function normalised(source: JsonObject, path: string, report: Report): Member {
  const members = new Map<string, Json>()
  const state: State = { optional: new Set() }
  for (const [written, value] of Object.entries(source)) {
    const keyword = snakeKeywords.get(written) ?? written
    if (keyword !== written) report(path, `${written} is read as ${keyword}`)
    readKeyword(keyword, value, members, state, path, report)
  }
  readBounds(members, path, report)
  // Without a list of items it means nothing.
  members.delete('additionalItems')
  readNullable(members, path, report)
  readOptional(members, state.optional)
  return { schema: Object.fromEntries(members), required: state.required }
}

function readKeyword(
  keyword: string,
  value: Json,
  members: Map<string, Json>,
  state: State,
  path: string,
  report: Report,
): void {
  const at = `${path}/${keyword}`
  if (keyword === 'type') readType(value, members, at, report)
  else if (keyword === 'required') readRequired(value, members, state, at, report)
  else if (keyword === 'optional' && typeof value === 'boolean') {
    state.required = !value
    report(at, `optional: ${value} is read as ${value ? 'not required' : 'required'}`)
  } else if (keyword === 'enum') {
    if (Array.isArray(value) && value.length > 0) members.set(keyword, value)
    else report(at, 'an enum without values is dropped')
  } else if (keyword === 'propertyOrdering') report(at, 'propertyOrdering is dropped')
  else if (keyword === 'id' && typeof value === 'string' && path === '') members.set('$id', value)
  else if (keyword === 'dependencies') report(at, 'dependencies is not a map and is dropped')
  else if (keyword === '$schema' && typeof value === 'string' && draftOf(value) === undefined) {
    report(at, `$schema ${shown(value)} is not a known dialect and is dropped: the schema is read as draft 2020-12`)
  } else if (holders.has(keyword)) readHolder(keyword, value, members, state, at, report)
  else readPlain(keyword, value, members, at, report)
}

function readType(value: Json, members: Map<string, Json>, at: string, report: Report): void {
  const written = Array.isArray(value) ? value : [value]
  const names = new Set<Json>()
  for (const name of written) {
    // Draft 3 allowed schemas in a list of types.
    const mapped = name === null && Array.isArray(value) ? 'null' : mapType(name)
    if (mapped === undefined) {
      report(at, `type ${JSON.stringify(name)} has no JSON Schema type: any value is accepted`)
      return
    }
    if (mapped !== name) report(at, `type ${JSON.stringify(name)} is read as ${JSON.stringify(mapped)}`)
    names.add(mapped)
  }
  const [only] = names
  if (only === undefined) report(at, 'an empty list of types is dropped')
  else members.set('type', names.size === 1 ? only : [...names])
}

function readRequired(value: Json, members: Map<string, Json>, state: State, at: string, report: Report): void {
  if (typeof value === 'boolean') {
    state.required = value
    report(at, `required: ${value} is moved to the object that holds the member`)
  } else if (Array.isArray(value) && value.every((name) => typeof name === 'string')) {
    members.set('required', [...new Set([...requiredOf(members), ...value])])
  } else report(at, 'required is not a list of names and is dropped')
}

function readOptional(members: Map<string, Json>, optional: ReadonlySet<string>): void {
  if (optional.size === 0 || !members.has('required')) return
  const names = requiredOf(members).filter((name) => typeof name !== 'string' || !optional.has(name))
  if (names.length > 0) members.set('required', names)
  else members.delete('required')
}

function requiredOf(members: Map<string, Json>): readonly Json[] {
  const required = members.get('required')
  return Array.isArray(required) ? required : []
}

function readHolder(
  keyword: string,
  value: Json,
  members: Map<string, Json>,
  state: State,
  at: string,
  report: Report,
): void {
  const holder = holders.get(keyword)
  if (holder === 'one') members.set(keyword, subschema(value, at, report).schema)
  else if (holder === 'list' && Array.isArray(value) && value.length > 0) {
    members.set(
      keyword,
      value.map((item, index) => subschema(item, `${at}/${index}`, report).schema),
    )
  } else if (holder === 'map' && isJsonObject(value)) readMap(keyword, value, members, state, at, report)
  else report(at, `${keyword} does not hold schemas and is dropped`)
}

function readMap(
  keyword: string,
  value: JsonObject,
  members: Map<string, Json>,
  state: State,
  at: string,
  report: Report,
): void {
  const entries: [string, Json][] = []
  const required = new Set(requiredOf(members))
  for (const [key, item] of Object.entries(value)) {
    const member = subschema(item, memberOf(at, key), report)
    entries.push([key, member.schema])
    if (keyword === 'properties' && member.required === true) required.add(key)
    if (keyword === 'properties' && member.required === false) state.optional.add(key)
  }
  members.set(keyword, Object.fromEntries(entries))
  if (required.size > 0) members.set('required', [...required])
}

function subschema(value: Json, path: string, report: Report): { schema: Json; required?: boolean | undefined } {
  if (typeof value === 'boolean') return { schema: value }
  if (isJsonObject(value)) return normalised(value, path, report)
  const type = mapType(value)
  report(
    path,
    `${JSON.stringify(value)} is not a schema and is read as ${type === undefined ? 'any value' : `type "${type}"`}`,
  )
  return { schema: type === undefined ? {} : { type } }
}

function readPlain(keyword: string, value: Json, members: Map<string, Json>, at: string, report: Report): void {
  const wanted = keywordValues.get(keyword)
  const isDraftBound = (keyword === 'exclusiveMinimum' || keyword === 'exclusiveMaximum') && typeof value === 'boolean'
  if (wanted === undefined || wanted.accepts(value) || isDraftBound) members.set(keyword, value)
  else if (typeof value === 'string' && value.trim() !== '' && wanted.accepts(Number(value))) {
    members.set(keyword, Number(value))
    report(at, `the limit ${JSON.stringify(value)} is read as a number`)
  } else report(at, `${keyword} is not ${wanted.kind} and is dropped`)
}

/** Draft 4: `exclusiveMinimum: true` makes the `minimum` beside it exclusive. */
function readBounds(members: Map<string, Json>, path: string, report: Report): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const flag = members.get(exclusive)
    if (typeof flag !== 'boolean') continue
    const limit = members.get(bound)
    members.delete(exclusive)
    report(`${path}/${exclusive}`, `${exclusive}: ${flag} is read in the manner of draft 4`)
    if (!flag || limit === undefined) continue
    members.delete(bound)
    members.set(exclusive, limit)
  }
}

/** OpenAPI 3.0: `nullable: true`. */
function readNullable(members: Map<string, Json>, path: string, report: Report): void {
  const nullable = members.get('nullable')
  if (typeof nullable !== 'boolean') return
  members.delete('nullable')
  report(
    `${path}/nullable`,
    `nullable: ${nullable} is read as ${nullable ? 'a type with null' : 'a type without null'}`,
  )
  if (!nullable) return
  const type = members.get('type')
  const values = members.get('enum')
  const alternatives = members.get('anyOf')
  if (type !== undefined) members.set('type', [...new Set([...(Array.isArray(type) ? type : [type]), 'null'])])
  else if (Array.isArray(alternatives)) members.set('anyOf', [...alternatives, { type: 'null' }])
  if (Array.isArray(values) && !values.includes(null)) members.set('enum', [...values, null])
}
