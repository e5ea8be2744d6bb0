// A JSON Schema as closures. No code is generated, so it runs where `eval` is forbidden; each schema is compiled when it is first
// visited, so the first check costs what it looks at. Formats, ids and annotations assert nothing.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { arrayChecks } from './arrays.js'
import { combinatorChecks } from './combinators.js'
import type { Context } from './context.js'
import { numberChecks } from './numbers.js'
import { objectChecks } from './objects.js'
import { linearPattern } from './pattern.js'
import { resolver } from './references.js'
import { type Check, fail, type Node } from './run.js'
import { stringChecks } from './strings.js'
import { unevaluatedChecks } from './unevaluated.js'
import { valueChecks } from './value-checks.js'

/** The root node of a document that `checkSchema` accepts. `omitted` patterns are left out. */
export function compileNode(root: JsonObject, omitted: ReadonlySet<string>): Node {
  const nodes = new Map<Json, Node>()
  const resolve = resolver(root)
  const context: Context = {
    weakened: omitted.size > 0,
    pattern: (source) => (omitted.has(source) ? undefined : linearPattern(source)),
    node(schema) {
      if (!isJsonObject(schema)) return schema === false ? nothing : anything
      const known = nodes.get(schema)
      if (known !== undefined) return known
      const node = lazyNode(schema, context)
      nodes.set(schema, node)
      return node
    },
    target: (reference) => context.node(resolve(reference) ?? false),
  }
  return context.node(root)
}

const anything: Node = { schema: true, check: () => true }
const nothing: Node = { schema: false, check: (_value, run) => fail(run, 'is not allowed') }

function lazyNode(schema: JsonObject, context: Context): Node {
  const node: Node = {
    schema,
    check: (value, run) => {
      node.check = all(checksOf(schema, context))
      return node.check(value, run)
    },
  }
  return node
}

function checksOf(schema: JsonObject, context: Context): readonly Check[] {
  return [
    ...valueChecks(schema),
    ...numberChecks(schema),
    ...stringChecks(schema, context),
    ...arrayChecks(schema, context),
    ...objectChecks(schema, context),
    ...combinatorChecks(schema, context),
    ...unevaluatedChecks(schema, context),
  ]
}

function all(checks: readonly Check[]): Check {
  const [first, second] = checks
  if (first === undefined) return anything.check
  if (second === undefined) return first
  if (checks.length === 2) {
    return (value, run) => {
      if (first(value, run)) return second(value, run)
      if (run.sink !== undefined) second(value, run)
      return false
    }
  }
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
