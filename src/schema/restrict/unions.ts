// Alternatives: `anyOf` and `oneOf`, with what stands beside them put into each.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { note } from './constraints.js'
import { allows, type Context, described, type Lowered, type Place, tell } from './context.js'
import { overlap } from './overlap.js'
import { isIdentity, type ValueMap } from './value-map.js'

export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly options: readonly Json[]
}

/** Keywords of an alternative that only limit what the schema around it describes. */
const limiting: ReadonlySet<string> = new Set(
  'required not title description minProperties maxProperties dependentRequired if then else'.split(' '),
)

/** The alternatives of a schema, unless they only limit what stands beside them: those are told in the description. */
export function unionOf(node: JsonObject): Union | undefined {
  const keyword = Array.isArray(node.anyOf) ? 'anyOf' : Array.isArray(node.oneOf) ? 'oneOf' : undefined
  if (keyword === undefined) return undefined
  const options = node[keyword] as readonly Json[]
  const onlyLimits = node.properties !== undefined && options.every((option) => isLimit(option, node))
  return onlyLimits ? undefined : { keyword, options }
}

function isLimit(option: Json, node: JsonObject): boolean {
  if (!isJsonObject(option)) return false
  return Object.entries(option).every(
    ([keyword, value]) => limiting.has(keyword) || (keyword === 'type' && value === (node.type ?? 'object')),
  )
}

const words: ReadonlySet<string> = new Set(
  'title description default examples $defs definitions $schema $id $comment'.split(' '),
)

export function lowerUnion(
  node: JsonObject,
  { keyword, options }: Union,
  place: Place,
  context: Context,
): Lowered | undefined {
  if (keyword === 'oneOf') tell(context, 'widened', `${place.path}/oneOf`, 'one of several is said as any of them')
  const base = Object.fromEntries(Object.entries(node).filter(([key]) => key !== keyword && !words.has(key)))
  const isAlone = Object.keys(base).length === 0
  const branches = options.flatMap((option, index) => {
    const source: Json = isAlone ? option : { allOf: [base, option] }
    const lowered = context.lower(source, { path: `${place.path}/${keyword}/${index}`, level: place.level })
    return lowered === undefined ? [] : [{ source, ...lowered }]
  })
  const union = joinBranches(node, branches, place, context)
  return union === undefined ? undefined : withDefault(union, node, place, context)
}

/** What a union is by default, where that can be said beside it. */
function withDefault({ schema, map }: Lowered, node: JsonObject, place: Place, context: Context): Lowered {
  const value = node.default
  if (value === undefined || schema.default !== undefined) return { schema, map }
  if (schema.$ref !== undefined) {
    tell(context, 'widened', `${place.path}/default`, 'nothing can be said beside a reference')
    return { schema, map }
  }
  const isSingle = typeof value !== 'object' || value === null
  if (allows(context, 'default') && isSingle && map === undefined) {
    return { schema: { ...schema, default: value } }
  }
  const notes: string[] = []
  note('default', value, `${place.path}/default`, notes, context)
  const { description: _, title: __, ...rest } = schema
  return { schema: described(rest, schema, notes), map }
}

/** One alternative, lowered, and the schema it was. */
interface Branch extends Lowered {
  readonly source: Json
}

/** Alternatives as one schema, and the map that tells them apart; nothing without any. */
export function joinBranches(
  node: JsonObject,
  all: readonly Branch[],
  place: Place,
  context: Context,
): Lowered | undefined {
  const branches = distinct(all)
  const [only, ...more] = branches
  if (only === undefined) return undefined
  const schema = unionSchema(node, distinctSchemas(branches.flatMap(optionsOf)))
  if (more.length === 0) return { ...only, schema }
  if (branches.every((branch) => branch.map === undefined)) return { schema }
  if (context.dialect.mapped && areAlike(branches, context)) return asText(node, place, context)
  const { $defs, definitions } = context.root
  const known = { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) }
  const alternatives = branches.map(({ source, schema: lowered, map }) => ({
    original: isJsonObject(source) ? { ...source, ...known } : {},
    lowered: { ...lowered, $defs: context.definitions },
    map,
  }))
  return { schema, map: { kind: 'alternatives', options: alternatives } }
}

/** What a value becomes on the wire by each kind of map, beside which no other alternative may look so. */
const looks: ReadonlyMap<string, string> = new Map([
  ['text', 'string'],
  ['entries', 'array'],
  ['tuple', 'object'],
])

/** Whether an alternative that changed its shape could be taken for another one that has that shape by itself. */
function areAlike(branches: readonly Branch[], context: Context): boolean {
  const isMistaken = (one: Branch, index: number): boolean =>
    branches
      .slice(index + 1)
      .some((other) => !sameMap(one.map, other.map, context) && overlap(one.schema, other.schema, context))
  if (branches.some(isMistaken)) return true
  return branches.some(({ map }) => {
    const look = looks.get(map?.kind ?? '')
    return (
      look !== undefined && branches.some((other) => other.map?.kind !== map?.kind && looksLike(other.schema, look))
    )
  })
}

function sameMap(one: ValueMap | undefined, other: ValueMap | undefined, { definitions, named }: Context): boolean {
  const text = (map: ValueMap | undefined): string => {
    const isDone = map?.kind !== 'named' || definitions[map.name] !== undefined
    if (map === undefined || (isDone && isIdentity(map, named))) return ''
    return JSON.stringify(map, (_, value: unknown) => (value instanceof Map ? [...value] : value))
  }
  return text(one) === text(other)
}

function looksLike({ type, anyOf, enum: values, const: value }: JsonObject, look: string): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((option) => isJsonObject(option) && looksLike(option, look))
  if (type !== undefined) return [type].flat().includes(look)
  const listed = Array.isArray(values) ? values : value === undefined ? undefined : [value]
  return listed === undefined || (look === 'string' && listed.some((item) => typeof item === 'string'))
}

/** A union whose alternatives could be mistaken for each other, as JSON text. */
function asText(node: JsonObject, place: Place, context: Context): Lowered {
  tell(context, 'lowered', place.path, 'alternatives that could be mistaken for each other are written as JSON text')
  return { schema: described({ type: 'string' }, node, ['as JSON text']), map: { kind: 'text' } }
}

/** Alternatives that became the same are one. */
function distinct(branches: readonly Branch[]): readonly Branch[] {
  const seen = new Set<string>()
  return branches.filter(({ schema, map }) => {
    const text = JSON.stringify(schema)
    if (map === undefined && seen.has(text)) return false
    seen.add(text)
    return true
  })
}

function distinctSchemas(options: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(options.map((option) => [JSON.stringify(option), option])).values()]
}

/** One alternative stands for itself, with the words of the union where it has none. */
function unionSchema(node: JsonObject, options: readonly JsonObject[]): JsonObject {
  const [only, ...more] = options
  if (only === undefined || more.length > 0) return described({ anyOf: options }, node, [])
  const hasWords = only.title !== undefined || only.description !== undefined || only.$ref !== undefined
  return hasWords ? only : described(only, node, [])
}

/** Alternatives of an alternative stand beside it. */
function optionsOf({ schema }: Branch): readonly JsonObject[] {
  const { anyOf } = schema
  if (!Array.isArray(anyOf) || Object.keys(schema).length > 1) return [schema]
  return anyOf.filter(isJsonObject)
}
