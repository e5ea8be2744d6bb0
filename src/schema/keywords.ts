// The JSON Schema keywords known here: which hold schemas, and what the others may hold. Walks and checks read these tables.
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'

export const schemaTypes = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const

/** How a keyword holds schemas: one, a list of them, a map of names to them, or a map of names to schemas and lists of names.
 * `prefix` is the list in `items` up to draft 2019-09, which may be empty. */
export type Holder = 'one' | 'list' | 'map' | 'dependents' | 'prefix'
export const holders: ReadonlyMap<string, Holder> = new Map([
  ['items', 'one'],
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
  ['contains', 'one'],
  ['propertyNames', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'dependents'],
  ['$defs', 'map'],
  ['definitions', 'map'],
])

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isNumber = (value: Json): boolean => typeof value === 'number' && Number.isFinite(value)
const isText = (value: Json): boolean => typeof value === 'string'

export function isNameList(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** What a plain keyword must hold, with the words that say so. */
export const keywordValues: ReadonlyMap<string, { readonly accepts: (value: Json) => boolean; readonly kind: string }> =
  new Map(
    Object.entries({
      minLength: { accepts: isCount, kind: 'a whole number from 0' },
      maxLength: { accepts: isCount, kind: 'a whole number from 0' },
      minItems: { accepts: isCount, kind: 'a whole number from 0' },
      maxItems: { accepts: isCount, kind: 'a whole number from 0' },
      minContains: { accepts: isCount, kind: 'a whole number from 0' },
      maxContains: { accepts: isCount, kind: 'a whole number from 0' },
      minProperties: { accepts: isCount, kind: 'a whole number from 0' },
      maxProperties: { accepts: isCount, kind: 'a whole number from 0' },
      minimum: { accepts: isNumber, kind: 'a number' },
      maximum: { accepts: isNumber, kind: 'a number' },
      exclusiveMinimum: { accepts: isNumber, kind: 'a number' },
      exclusiveMaximum: { accepts: isNumber, kind: 'a number' },
      multipleOf: { accepts: (value: Json) => isNumber(value) && Number(value) > 0, kind: 'a number above 0' },
      uniqueItems: { accepts: (value: Json) => typeof value === 'boolean', kind: 'true or false' },
      pattern: { accepts: isText, kind: 'a string' },
      description: { accepts: isText, kind: 'a string' },
      title: { accepts: isText, kind: 'a string' },
      $ref: { accepts: isText, kind: 'a string' },
      $dynamicRef: { accepts: isText, kind: 'a string' },
      $recursiveRef: { accepts: isText, kind: 'a string' },
      dependentRequired: {
        accepts: (value: Json) => isJsonObject(value) && Object.values(value).every(isNameList),
        kind: 'a map of names to lists of names',
      },
    }),
  )

const noReferences: readonly string[] = []

/** The references of a schema, whichever keyword writes them. */
export function referencesOf({ $ref, $dynamicRef, $recursiveRef }: JsonObject): readonly string[] {
  // Asked of every schema, and hardly one refers to anything.
  if ($ref === undefined && $dynamicRef === undefined && $recursiveRef === undefined) return noReferences
  return [$ref, $dynamicRef, $recursiveRef].filter((reference) => typeof reference === 'string')
}

export interface Place {
  readonly keyword: string
  /** The property name, for a keyword that maps names to schemas. */
  readonly key?: string
  readonly path: string
  readonly schema: Json
}

/** The schemas directly inside a schema, with where they stand. Malformed holders are passed over: the check names them. */
export function* places(schema: JsonObject, path = ''): Generator<Place> {
  for (const [keyword, value] of Object.entries(schema)) {
    const holder = holders.get(keyword)
    if (holder === 'one' && !Array.isArray(value)) yield { keyword, path: `${path}/${keyword}`, schema: value }
    else if ((holder === 'list' || holder === 'one') && Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield { keyword, path: `${path}/${keyword}/${index}`, schema: item }
    } else if ((holder === 'map' || holder === 'dependents') && isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        yield { keyword, key, path: at(`${path}/${keyword}`, key), schema: item }
      }
    }
  }
}
