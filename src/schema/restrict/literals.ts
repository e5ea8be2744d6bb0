// Schemas that list their values. What a dialect's enum cannot hold is listed as JSON text, or split off.
import type { Json, JsonObject } from '../../json/types.js'
import { constrained } from './constraints.js'
import { allows, type Context, described, type Lowered, type Place, tell } from './context.js'

/** The values a schema lists; nothing when it lists none. */
export function literalsOf(node: JsonObject): readonly Json[] | undefined {
  const values = Array.isArray(node.enum) ? (node.enum as readonly Json[]) : undefined
  if (node.const === undefined) return values
  return values === undefined || values.some((value) => JSON.stringify(value) === JSON.stringify(node.const))
    ? [node.const]
    : []
}

const used: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'examples'])

export function lowerLiterals(
  node: JsonObject,
  all: readonly Json[],
  place: Place,
  context: Context,
): Lowered | undefined {
  const types = node.type === undefined ? undefined : [node.type].flat()
  const values = types === undefined ? all : all.filter((value) => typesOf(value).some((type) => types.includes(type)))
  if (values.length === 0) return undefined
  const listed = listing(node, values, types, place, context)
  const { schema } = constrained(listed.schema, node, place, context, used)
  return { ...listed, schema }
}

function listing(
  node: JsonObject,
  values: readonly Json[],
  types: readonly Json[] | undefined,
  place: Place,
  context: Context,
): Lowered {
  const { literals } = context.dialect
  const isOneConst = node.const !== undefined && allows(context, 'const')
  switch (literals) {
    case 'any':
      return { schema: enumOf(values, types, context) }
    case 'primitive':
      if (!values.every(isPrimitive)) return asTexts(values, place, context)
      return { schema: isOneConst ? constOf(values, types) : enumOf(values, types, context) }
    case 'string':
      if (!values.every((value) => typeof value === 'string' || value === null) || values[0] === null) {
        return asTexts(values, place, context)
      }
      return { schema: enumOf(values, types, context) }
    case 'string_number':
      return stringsAndNumbers(values, types, place, context)
  }
}

function isPrimitive(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

function constOf([value]: readonly Json[], types: readonly Json[] | undefined): JsonObject {
  const type = value === undefined ? undefined : typeOf(value, types)
  return { ...(type === undefined ? {} : { type }), const: value ?? null }
}

function enumOf(values: readonly Json[], declared: readonly Json[] | undefined, { dialect }: Context): JsonObject {
  const types = [...new Set(values.map((value) => typeOf(value, declared)))]
  const [only] = types
  if (types.length === 1 && only !== undefined) return { type: only, enum: values }
  const isListed = dialect.types === 'list' || (types.length === 2 && types[1] === 'null')
  return isListed ? { type: types, enum: values } : { enum: values }
}

/** The declared type that covers the value, else its own. */
function typeOf(value: Json, declared: readonly Json[] | undefined): string {
  const own = typesOf(value)
  return own.find((type) => declared?.includes(type)) ?? own[0] ?? 'null'
}

function typesOf(value: Json): readonly string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return [typeof value]
}

function asTexts(values: readonly Json[], place: Place, context: Context): Lowered {
  tell(context, 'lowered', `${place.path}/enum`, 'values that an enum cannot hold are listed as JSON text')
  const schema = { type: 'string', enum: values.map((value) => JSON.stringify(value)) }
  return { schema: described(schema, {}, []), map: { kind: 'text' } }
}

/** An enum of strings and numbers; other values become types of their own. */
function stringsAndNumbers(
  values: readonly Json[],
  types: readonly Json[] | undefined,
  place: Place,
  context: Context,
): Lowered {
  const plain = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const others = [
    ...new Set(
      values
        .filter((value) => typeof value !== 'string' && typeof value !== 'number')
        .map((value) => typeOf(value, types)),
    ),
  ]
  const options: JsonObject[] = plain.length === 0 ? [] : [enumOf(plain, types, context)]
  for (const type of others) options.push({ type })
  const isWider = others.some(
    (type) => type !== 'null' && !(type === 'boolean' && values.includes(true) && values.includes(false)),
  )
  if (isWider)
    tell(context, 'widened', `${place.path}/enum`, 'an enum holds strings and numbers only; of others the type is said')
  const [only, ...more] = options
  return { schema: only !== undefined && more.length === 0 ? only : { anyOf: options } }
}
