// Keywords that limit a value of one type: written where the dialect has them, else told in the description.
import type { Json, JsonObject } from '../../json/types.js'
import { type Context, described, type Lowered, type Place, tell } from './context.js'
import type { Dialect } from './dialects.js'

/** The type each keyword speaks of; beside another type it says nothing. */
const subjects: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: 'minLength maxLength pattern format contentEncoding contentMediaType contentSchema',
    number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    array: 'items prefixItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems',
    object:
      'properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties',
  }).flatMap(([type, keywords]) => keywords.split(' ').map((keyword) => [keyword, type] as const)),
)
/** Keywords that are told in the description when they cannot be written, whatever the type. */
const tellable: ReadonlySet<string> = new Set(['not', 'if', 'then', 'else', 'default', 'examples', 'anyOf', 'oneOf'])
/** Keywords that are written by other means, or tell the model nothing. */
const silent: ReadonlySet<string> = new Set(
  '$id id $anchor $dynamicAnchor $comment $defs definitions $vocabulary type title description enum const'.split(' '),
)
/** Limits of collections that the model need not be told twice. */
const longestNote = 160

/** The types a schema without one speaks of. */
export function spokenTypes(node: JsonObject): readonly string[] {
  const found = new Set(Object.keys(node).flatMap((keyword) => subjects.get(keyword) ?? []))
  return [...found]
}

const none: ReadonlySet<string> = new Set()

/** A schema of one type with what else its source says of it: as keywords, or in the description. `used` are dealt with already. */
export function constrained(
  schema: JsonObject,
  node: JsonObject,
  place: Place,
  context: Context,
  used: ReadonlySet<string> = none,
  first: readonly string[] = [],
): Lowered {
  const type = schema.type === 'integer' ? 'number' : schema.type
  const written: [string, Json][] = []
  const notes: string[] = [...first]
  for (const [keyword, value] of Object.entries(node)) {
    if (silent.has(keyword) || used.has(keyword)) continue
    const subject = subjects.get(keyword)
    if (subject !== undefined && subject !== type) continue
    const path = `${place.path}/${keyword}`
    if (isWritten(keyword, value, context.dialect)) written.push([keyword, value])
    else if (keyword === '$schema') continue
    else if (subject === undefined && !tellable.has(keyword)) tell(context, 'widened', path, `${keyword} is not sent`)
    else note(keyword, value, path, notes, context)
  }
  const whole = written.length === 0 ? schema : { ...schema, ...Object.fromEntries(written) }
  return { schema: described(whole, node, notes) }
}

function isWritten(keyword: string, value: Json, { keywords, formats, mostMinItems }: Dialect): boolean {
  // Alternatives that come here only limit what stands beside them.
  if ((keywords !== 'all' && !keywords.has(keyword)) || keyword === 'anyOf') return false
  // A default of another shape than a single value might have been given another shape itself.
  if (keyword === 'default') return typeof value !== 'object' || value === null
  if (keyword === 'format') return formats === undefined || (typeof value === 'string' && formats.has(value))
  return keyword !== 'minItems' || mostMinItems === undefined || (typeof value === 'number' && value <= mostMinItems)
}

/** Whether a keyword of a schema of this one type is written as it is. */
export function staysWritten(keyword: string, value: Json, type: Json, dialect: Dialect): boolean {
  if (silent.has(keyword)) return false
  const subject = subjects.get(keyword)
  return (
    (subject === undefined || subject === (type === 'integer' ? 'number' : type)) && isWritten(keyword, value, dialect)
  )
}

/** Tells a keyword in words that a model reads as it reads a schema. */
export function note(keyword: string, value: Json, path: string, notes: string[], context: Context): void {
  const text = `${keyword}: ${JSON.stringify(value)}`
  if (text.length > longestNote) {
    tell(context, 'widened', path, `${keyword} cannot be said, and is too long to be told in the description`)
    return
  }
  notes.push(text)
  tell(context, 'moved', path, `${keyword} is told in the description`)
}
