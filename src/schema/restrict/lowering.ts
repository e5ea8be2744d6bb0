// One schema node after another, in the words of a dialect. Whatever cannot be said exactly is said more widely, never less:
// the original schema checks what comes back.
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { schemaTypes } from '../keywords.js'
import { schemaLimits } from '../rules.js'
import { lowerArray, lowerObject } from './collections.js'
import { constrained, spokenTypes } from './constraints.js'
import {
  allows,
  anything,
  type Context,
  described,
  type Lowered,
  type Place,
  TooLarge,
  tell,
  withNull,
} from './context.js'
import { literalsOf, lowerLiterals } from './literals.js'
import { merged } from './merging.js'
import { referenceIn } from './targets.js'
import { joinBranches, lowerUnion, unionOf } from './unions.js'

/** The schema in the dialect of the context; nothing when no value matches it. */
export function lowerNode(source: Json, place: Place, context: Context): Lowered | undefined {
  context.count += 1
  if (context.count > schemaLimits.nodes) throw new TooLarge()
  if (source === false) return undefined
  if (!isJsonObject(source)) return anything(context, {}, place)
  if (referenceIn(source) !== undefined) return lowerReference(source, place, context)
  const opened = context.open.length
  try {
    const node = withoutAllOf(source, place, context, 0)
    return node === undefined ? undefined : lowerMerged(node, place, context)
  } finally {
    context.open.length = opened
  }
}

function lowerMerged(node: JsonObject, place: Place, context: Context): Lowered | undefined {
  if (referenceIn(node) !== undefined) return lowerReference(node, place, context)
  const values = literalsOf(node)
  if (values !== undefined) return lowerLiterals(node, values, place, context)
  const union = unionOf(node)
  if (union !== undefined && allows(context, 'anyOf')) return lowerUnion(node, union, place, context)
  return lowerTypes(node, place, context)
}

const knownTypes: ReadonlySet<Json> = new Set<Json>(schemaTypes)

function lowerTypes(node: JsonObject, place: Place, context: Context): Lowered | undefined {
  const { type } = node
  if (typeof type === 'string' && type !== 'null' && knownTypes.has(type)) return lowerType(node, place, context)
  const declared = node.type === undefined ? undefined : [node.type].flat().filter((type) => knownTypes.has(type))
  const types = declared ?? spokenTypes(node)
  if (declared === undefined && types.length > 0) {
    tell(context, 'narrowed', place.path, `the type is not said; it is read as ${types.join(' or ')}`)
  }
  if (types.length === 0) {
    // No type is left where two conditions contradict each other.
    if (Array.isArray(node.type) && node.type.length === 0) return undefined
    const open = anything(context, node, place)
    return open.map === undefined ? constrained({}, node, place, context) : open
  }
  const solid = types.filter((type) => type !== 'null')
  const [only, ...more] = solid
  const hasNull = solid.length < types.length
  if (only === undefined) return { schema: described({ type: 'null' }, node, []) }
  if (more.length > 0) return severalTypes(node, types, place, context)
  const lowered = lowerType({ ...node, type: only }, place, context)
  return hasNull ? { ...lowered, schema: withNull(lowered.schema, context.dialect) } : lowered
}

/** Several types: a list of their names where nothing else is said of them, else alternatives. */
function severalTypes(node: JsonObject, types: readonly Json[], place: Place, context: Context): Lowered | undefined {
  const { title: _, description: __, ...bare } = node
  const branches = types.map((type) => ({
    source: { ...bare, type },
    ...(type === 'null' ? { schema: { type } } : lowerType({ ...bare, type }, place, context)),
  }))
  const isPlain = branches.every(({ schema }) => Object.keys(schema).length === 1)
  if (isPlain && context.dialect.types === 'list') return { schema: described({ type: types }, node, []) }
  return joinBranches(node, branches, place, context)
}

function lowerType(node: JsonObject, place: Place, context: Context): Lowered {
  if (node.type !== 'object' && node.type !== 'array')
    return constrained({ type: node.type ?? 'null' }, node, place, context)
  if (node.type === 'array') return lowerArray(node, place, context)
  const level = place.level + 1
  const most = context.dialect.limits?.levels ?? Number.POSITIVE_INFINITY
  if (level > most) {
    tell(context, 'lowered', place.path, `what lies deeper than ${most} levels is written as JSON text`)
    return { schema: described({ type: 'string' }, node, ['an object, as JSON text']), map: { kind: 'text' } }
  }
  return lowerObject(node, { ...place, level }, context)
}

// References

/** How long a chain of references or joined schemas may be before it is taken for a circle. */
const longestChain = 50

function lowerReference(source: JsonObject, place: Place, context: Context): Lowered | undefined {
  const reference = referenceIn(source) ?? ''
  const target = context.resolve(reference)
  const { $ref: _, $dynamicRef: __, $recursiveRef: ___, $defs: ____, definitions: _____, ...beside } = source
  if (target === undefined) {
    tell(context, 'widened', place.path, `the reference ${JSON.stringify(reference)} leads nowhere in this schema`)
    return lowerNode(beside, place, context)
  }
  if (typeof target === 'boolean') return lowerNode(target, place, context)
  const name = context.targets.kept.get(target)
  const isPlain = Object.keys(beside).length === 0
  const isCyclic = context.targets.cyclic.has(target)
  if (name !== undefined && (isPlain || isCyclic)) {
    if (!isPlain) tell(context, 'widened', place.path, 'nothing can be said beside a reference')
    return definition(name, target, context)
  }
  return writtenOut(target, beside, place, context)
}

/** A reference to a definition, which is lowered when it is first needed. */
function definition(name: string, target: JsonObject, context: Context): Lowered | undefined {
  if (!context.named.has(name)) {
    context.named.set(name, undefined)
    const lowered = lowerNode(
      target === context.root ? withoutDefinitions(target) : target,
      { path: `/$defs/${name}`, level: 0 },
      context,
    )
    context.definitions[name] = lowered?.schema ?? { type: 'null' }
    context.named.set(name, lowered?.map)
  }
  return { schema: { $ref: `#/$defs/${name}` }, map: { kind: 'named', name } }
}

function withoutDefinitions({ $defs: _, definitions: __, ...root }: JsonObject): JsonObject {
  return root
}

/** The target in the place of its reference; a circle is cut after some rounds. */
function writtenOut(target: JsonObject, beside: JsonObject, place: Place, context: Context): Lowered | undefined {
  const rounds = context.open.filter((open) => open === target).length
  if (rounds > context.unroll || context.open.length > longestChain) {
    tell(
      context,
      'widened',
      place.path,
      `a schema that contains itself is written out ${context.unroll} times; deeper anything goes`,
    )
    return anything(context, { ...withoutDefinitions(beside) }, place)
  }
  context.open.push(target)
  try {
    const whole = withoutDefinitions(target)
    if (Object.keys(beside).length === 0) return lowerNode(whole, place, context)
    return lowerNode(
      referenceIn(whole) === undefined
        ? { ...whole, ...annotations(beside), allOf: [...allOf(whole), assertions(beside)] }
        : whole,
      place,
      context,
    )
  } finally {
    context.open.pop()
  }
}

const annotating: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples'])

function annotations(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => annotating.has(keyword)))
}

function assertions(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotating.has(keyword)))
}

function allOf(schema: JsonObject): readonly Json[] {
  return Array.isArray(schema.allOf) ? schema.allOf : []
}

/** The schema with what must hold besides joined into it; nothing when no value could match. */
function withoutAllOf(source: JsonObject, place: Place, context: Context, depth: number): JsonObject | undefined {
  if (!Array.isArray(source.allOf)) return source
  const { allOf: members, ...base } = source
  const [only, ...others] = members as readonly Json[]
  // One reference with words around it is that reference.
  if (
    isJsonObject(only) &&
    others.length === 0 &&
    referenceIn(only) !== undefined &&
    Object.keys(assertions(base)).length === 0
  ) {
    return { ...only, ...base }
  }
  let result: JsonObject = base
  for (const member of members as readonly Json[]) {
    const whole = memberOf(member, place, context, depth)
    if (whole === undefined) return undefined
    result = merged(result, whole, (keyword) =>
      tell(context, 'widened', place.path, `two conditions on ${keyword} cannot be said as one; the first one counts`),
    )
  }
  return result
}

/** A member of `allOf` as a schema without reference; an empty one where a circle or nothing is behind it. */
function memberOf(member: Json, place: Place, context: Context, depth: number): JsonObject | undefined {
  if (member === false) return undefined
  if (!isJsonObject(member)) return {}
  const reference = referenceIn(member)
  if (reference === undefined) return withoutAllOf(member, place, context, depth + 1)
  const target = context.resolve(reference)
  const rounds = context.open.filter((open) => open === target).length
  if (!isJsonObject(target) || rounds > context.unroll || depth > longestChain) {
    tell(
      context,
      'widened',
      place.path,
      `the reference ${JSON.stringify(reference)} cannot be joined with what stands beside it`,
    )
    return target === false ? undefined : {}
  }
  context.open.push(target)
  const { $ref: _, $dynamicRef: __, $recursiveRef: ___, ...beside } = member
  const joined = { ...withoutDefinitions(target) }
  const whole = memberOf(joined, place, context, depth + 1)
  return whole === undefined ? undefined : merged(whole, beside, () => {})
}
