// A JSON Schema as closures. No code is generated, so it runs where `eval` is forbidden; each schema is compiled when it is first
// visited, so the first check costs what it looks at. Annotations assert nothing.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { arrayChecks } from './arrays.js'
import { combinatorChecks } from './combinators.js'
import type { Context } from './context.js'
import { openDocument } from './document.js'
import type { Formats } from './formats/formats.js'
import { glanceOf, unseen } from './glance.js'
import { numberChecks } from './numbers.js'
import { objectChecks } from './objects.js'
import { linearPattern } from './pattern.js'
import { type Check, fail, type Node } from './run.js'
import { createScopes, inScope } from './scope.js'
import { stringChecks } from './strings.js'
import { unevaluatedChecks } from './unevaluated.js'
import { valueChecks } from './value-checks.js'

/** The root node of a document that `checkSchema` accepts. `omitted` patterns are left out. */
export function compileNode(root: JsonObject, omitted: ReadonlySet<string>, formats?: Formats): Node {
  const nodes = new Map<Json, Node>()
  const document = openDocument(root)
  const { isDynamic } = document
  const node = (schema: Json): Node => {
    if (!isJsonObject(schema)) return schema === false ? nothing : anything
    const known = nodes.get(schema)
    if (known !== undefined) return known
    const made = lazyNode(schema, context, isDynamic)
    nodes.set(schema, made)
    return made
  }
  const { references, enterScope } = createScopes(document, node)
  const context: Context = {
    node,
    references,
    enterScope,
    read: (schema) => document.read(schema),
    weakened: omitted.size > 0,
    formats,
    pattern: (source) => (omitted.has(source) ? undefined : linearPattern(source)),
  }
  return node(root)
}

const anything: Node = { schema: true, check: () => true, ...unseen }
const nothing: Node = { schema: false, check: (_value, run) => fail(run, 'is not allowed'), ...unseen }

function lazyNode(schema: JsonObject, context: Context, isDynamic: boolean): Node {
  const node: Node = {
    schema,
    check: (value, run) => {
      const read = context.read(schema)
      const checks = checksOf(read, context)
      const check = all(checks)
      node.check = isDynamic ? inScope(schema, check, context) : check
      Object.assign(node, glanceOf(read, checks.length))
      return node.check(value, run)
    },
    ...unseen,
  }
  return node
}

/** Adds the checks of the keywords of one group. */
type Maker = (schema: JsonObject, checks: Check[], context: Context) => void

/** Which keywords belong together, in the order in which failures are told. */
const groups: readonly (readonly [Maker, string])[] = [
  [valueChecks, 'type const enum'],
  [numberChecks, 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'],
  [stringChecks, 'minLength maxLength pattern format'],
  [arrayChecks, 'minItems maxItems prefixItems items contains uniqueItems'],
  [
    objectChecks,
    'minProperties maxProperties properties required patternProperties additionalProperties propertyNames dependentRequired dependentSchemas',
  ],
  [combinatorChecks, '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if'],
  [unevaluatedChecks, 'unevaluatedProperties unevaluatedItems'],
]
const groupOf: ReadonlyMap<string, number> = new Map(
  groups.flatMap(([, keywords], index) => keywords.split(' ').map((keyword) => [keyword, index] as const)),
)

/** Only the groups that the schema has keywords of: most schemas have one or two. */
function checksOf(schema: JsonObject, context: Context): readonly Check[] {
  let present = 0
  for (const keyword in schema) {
    const group = groupOf.get(keyword)
    if (group !== undefined) present |= 1 << group
  }
  const checks: Check[] = []
  for (let index = 0; present !== 0; index++, present >>= 1) {
    if ((present & 1) === 1) groups[index]?.[0](schema, checks, context)
  }
  return checks
}

/** One check out of several. Where there is a type, it comes first. */
function all(checks: readonly Check[]): Check {
  const [first, second] = checks
  if (first === undefined) return anything.check
  if (second === undefined) return first
  if (checks.length === 2) return both(first, second)
  return (value, run) => {
    let fits = true
    for (let index = 0; index < checks.length; index++) {
      if (checks[index]?.(value, run) === true) continue
      if (run.sink === undefined) return false
      fits = false
    }
    return fits
  }
}

function both(first: Check, second: Check): Check {
  return (value, run) => {
    if (first(value, run)) return second(value, run)
    if (run.sink !== undefined) second(value, run)
    return false
  }
}
