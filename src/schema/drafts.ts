// The drafts of JSON Schema, and how a schema of an older draft reads in terms of draft 2020-12. The validator knows only 2020-12.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

/** The drafts that differ from each other here. Drafts 3, 4 and 6 are read as draft 7. */
export type Draft = 7 | 2019 | 2020

const draftNames: readonly (readonly [RegExp, Draft])[] = [
  [/^json-schema\.org\/draft-0[3467]\/(?:hyper-)?schema$/, 7],
  [/^json-schema\.org\/draft\/2019-09\/(?:hyper-)?schema$/, 2019],
  [/^json-schema\.org\/(?:draft\/(?:2020-12|next)\/)?schema$/, 2020],
  [/^spec\.openapis\.org\/oas\/3\.1\/dialect\/[\w-]+$/, 2020],
]

/** The draft that a `$schema` names; undefined for a dialect that is not known here. */
export function draftOf($schema: string): Draft | undefined {
  if ($schema.length > 100) return undefined
  const name = $schema.replace(/^https?:\/\//, '').replace(/#$/, '')
  return draftNames.find(([pattern]) => pattern.test(name))?.[1]
}

const since2020: readonly string[] = ['prefixItems', '$dynamicAnchor', '$dynamicRef']
const since2019: readonly string[] = [
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependentRequired',
  'dependentSchemas',
  '$anchor',
  '$recursiveAnchor',
  '$recursiveRef',
]

/** Keywords that came after a draft. A schema of that draft may hold them, but they mean nothing there. */
const laterKeywords: Readonly<Record<Draft, readonly string[]>> = {
  7: [...since2019, ...since2020],
  2019: since2020,
  2020: [],
}

/** Keywords that stay beside the `$ref` of draft 7, because they do not affect the result. */
const annotations: ReadonlySet<string> = new Set(
  '$comment $schema $defs definitions title description default examples deprecated readOnly writeOnly'.split(' '),
)

/** The schema as draft 2020-12 writes it. The subschemas stay the same objects; most schemas are returned as they are. */
export function readAs2020(schema: JsonObject, draft: Draft): JsonObject {
  if (draft === 7 && typeof schema.$ref === 'string') return withoutSiblings(schema)
  const later = laterKeywords[draft]
  let read = schema
  if (later.some((keyword) => schema[keyword] !== undefined)) read = keep(schema, (keyword) => !later.includes(keyword))
  if (Array.isArray(read.items)) read = withPrefix(read, read.items)
  return isJsonObject(read.dependencies) ? withDependents(read, read.dependencies) : read
}

function withoutSiblings(schema: JsonObject): JsonObject {
  const isPlain = Object.keys(schema).every((keyword) => keyword === '$ref' || annotations.has(keyword))
  if (isPlain) return schema
  return keep(schema, (keyword) => keyword === '$ref' || annotations.has(keyword))
}

/** Up to draft 2019-09: a list of schemas in `items`, and `additionalItems` for what follows. */
function withPrefix(schema: JsonObject, prefix: readonly Json[]): JsonObject {
  const { items: _, additionalItems, ...rest } = schema
  return {
    ...rest,
    ...(prefix.length === 0 ? {} : { prefixItems: [...prefix] }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  }
}

/** Up to draft 7, and still common: `dependencies` holds both names and schemas. */
function withDependents(schema: JsonObject, dependencies: JsonObject): JsonObject {
  const { dependencies: _, ...rest } = schema
  const entries = Object.entries(dependencies)
  const names = entries.filter(([, needed]) => Array.isArray(needed))
  const schemas = entries.filter(([, needed]) => !Array.isArray(needed))
  const required = join(memberOf(rest, 'dependentRequired'), names, (one, other) => [...listOf(one), ...listOf(other)])
  const dependents = join(memberOf(rest, 'dependentSchemas'), schemas, (one, other) => ({ allOf: [one, other] }))
  return {
    ...rest,
    ...(Object.keys(required).length === 0 ? {} : { dependentRequired: required }),
    ...(Object.keys(dependents).length === 0 ? {} : { dependentSchemas: dependents }),
  }
}

/** A map with more entries in it. Where both have the same key, both values count. */
function join(
  map: JsonObject,
  entries: readonly (readonly [string, Json])[],
  both: (one: Json, other: Json) => Json,
): JsonObject {
  const joined = new Map(Object.entries(map))
  for (const [key, value] of entries) {
    const known = joined.get(key)
    joined.set(key, known === undefined ? value : both(known, value))
  }
  return Object.fromEntries(joined)
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function memberOf(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword]
  return isJsonObject(value) ? value : {}
}

function keep(schema: JsonObject, isKept: (keyword: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isKept(keyword)))
}
