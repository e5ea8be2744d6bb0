// Whether a JSON Schema makes sense as the schema of a tool. Says the first rule that is broken, where, and why.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { holders, keywordValues, places, referencesOf, schemaTypes } from './keywords.js'
import { type Resolve, resolver } from './references.js'
import { type SchemaProblem, type SchemaRule, schemaLimits } from './rules.js'
import { unmatchablePatterns } from './unmatchable.js'
import { reachable } from './walk.js'

export interface SchemaCheck {
  /** Whether the root must describe an object, as the input of a tool must. */
  readonly root: 'object' | 'any'
  /** `strict` adds what is asked of schemas written for this library: depth, `required` names, patterns that can be matched. */
  readonly level: 'strict' | 'lenient'
  /** Whether this library's own validator will check values; a Standard Schema brings its own. Default true. */
  readonly validated?: boolean
}

/** The first broken rule, or undefined. Linear in the schema, and bounded for hostile ones. */
export function checkSchema(schema: JsonObject, check: SchemaCheck): SchemaProblem | undefined {
  const problem = checkSize(schema) ?? checkRoot(schema, check.root) ?? checkNode(schema, '', 0, check)
  if (problem !== undefined || check.validated === false) return problem
  return checkReferences(schema, check) ?? (check.level === 'strict' ? checkPatterns(schema) : undefined)
}

/** Refuses a schema that is too large to walk. */
export function checkSize(schema: Json): SchemaProblem | undefined {
  const { nodes, depth, characters } = schemaLimits
  let count = 0
  let length = 0
  function fits(value: Json, level: number): boolean {
    if (++count > nodes || level > depth || length > characters) return false
    if (typeof value === 'string') length += value.length
    if (typeof value !== 'object' || value === null) return true
    if (Array.isArray(value)) return value.every((member: Json) => fits(member, level + 1))
    return Object.entries(value).every(([key, member]) => {
      length += key.length
      return fits(member, level + 1)
    })
  }
  if (fits(schema, 0) && length <= characters) return undefined
  const limits = `${nodes} values or ${characters} characters, or nests deeper than ${depth} levels`
  return found('schema_too_large', '', `the schema has more than ${limits}`)
}

/** The first pattern that cannot be matched. */
export function checkPatterns(schema: JsonObject): SchemaProblem | undefined {
  const [first] = unmatchablePatterns(schema)
  if (first === undefined) return undefined
  const pattern = quote(first.pattern)
  return found('pattern_unsupported', first.path, `the pattern ${pattern} cannot be matched in linear time`)
}

/** References must lead somewhere, and to something that says more than where to look next. */
function checkReferences(root: JsonObject, check: SchemaCheck): SchemaProblem | undefined {
  const resolve = resolver(root)
  for (const { schema, path } of reachable(root, resolve)) {
    // A reference may lead to a place that no keyword holds.
    const problem = checkKeywords(schema, path) ?? (check.level === 'strict' ? checkStrictly(schema, path) : undefined)
    if (problem !== undefined) return problem
    for (const reference of referencesOf(schema)) {
      const wrong = checkReference(reference, resolve)
      if (wrong !== undefined) return wrong
    }
  }
  return undefined
}

function checkReference(reference: string, resolve: Resolve): SchemaProblem | undefined {
  const seen = new Set<JsonObject>()
  const target = resolve(reference)
  if (target === undefined) {
    return found('ref_unresolved', '', `the reference ${quote(reference)} leads nowhere in the schema`)
  }
  for (
    let next: Json | undefined = target;
    isJsonObject(next) && typeof next.$ref === 'string';
    next = resolve(next.$ref)
  ) {
    if (seen.has(next)) return found('ref_cycle', '', `the reference ${quote(reference)} leads only back to itself`)
    seen.add(next)
  }
  return undefined
}

function checkRoot(schema: JsonObject, root: SchemaCheck['root']): SchemaProblem | undefined {
  if (root === 'any' || schema.type === 'object') return undefined
  const said = schema.type === undefined ? 'has no type' : `has the type ${JSON.stringify(schema.type)}`
  return found('root_type', '/type', `the root of the schema ${said}, not "object"`)
}

function checkNode(schema: Json, path: string, level: number, check: SchemaCheck): SchemaProblem | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isJsonObject(schema)) return found('subschema_kind', path, `${kind(schema)} stands where a schema belongs`)
  const strict = check.level === 'strict'
  const levels = schema.properties === undefined ? level : level + 1
  if (strict && levels > schemaLimits.propertyLevels) {
    return found('schema_depth', path, `the schema nests more than ${schemaLimits.propertyLevels} levels of properties`)
  }
  const own = checkKeywords(schema, path) ?? (strict ? checkStrictly(schema, path) : undefined)
  if (own !== undefined) return own
  for (const place of places(schema, path)) {
    const problem = checkNode(place.schema, place.path, levels, check)
    if (problem !== undefined) return problem
  }
  return undefined
}

function checkKeywords(schema: JsonObject, path: string): SchemaProblem | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`
    const holder = holders.get(keyword)
    const wanted = keywordValues.get(keyword)
    if (keyword === 'type') {
      const wrong = wrongType(value)
      if (wrong !== undefined) return found('unknown_type', at, wrong)
    } else if (keyword === 'enum' && !(Array.isArray(value) && value.length > 0)) {
      return found(
        'enum_values',
        at,
        Array.isArray(value) ? 'the enum is empty' : `the enum is ${kind(value)}, not a list`,
      )
    } else if (keyword === 'required' && !isNameList(value)) {
      return found('required_list', at, `required is ${kind(value)}, not a list of names`)
    } else if (holder === 'map' && !isJsonObject(value)) {
      return found('properties_map', at, `${keyword} is ${kind(value)}, not a map of names to schemas`)
    } else if (holder === 'list' && !(Array.isArray(value) && value.length > 0)) {
      return found('keyword_value', at, `${keyword} must be a list of at least one schema`)
    } else if (wanted !== undefined && !wanted.accepts(value)) {
      return found('keyword_value', at, `${keyword} must be ${wanted.kind}`)
    }
  }
  return undefined
}

function checkStrictly(schema: JsonObject, path: string): SchemaProblem | undefined {
  if (Array.isArray(schema.required) && (schema.type === 'object' || schema.properties !== undefined)) {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    const missing = schema.required.find((name) => !Object.hasOwn(properties, String(name)))
    if (missing !== undefined) {
      return found(
        'required_unknown',
        `${path}/required`,
        `the required name ${JSON.stringify(missing)} is not in properties`,
      )
    }
  }
  return undefined
}

function wrongType(value: Json): string | undefined {
  const names = Array.isArray(value) ? value : [value]
  if (names.length === 0) return 'the type is an empty list'
  const wrong = names.find((name) => !schemaTypes.some((known) => known === name))
  return wrong === undefined ? undefined : `the type ${JSON.stringify(wrong)} is not a JSON Schema type`
}

function isNameList(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function kind(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

function found(rule: SchemaRule, path: string, message: string): SchemaProblem {
  return { rule, path, message }
}
