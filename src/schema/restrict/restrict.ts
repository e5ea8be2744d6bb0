// A JSON Schema in the words of one provider: the lowered schema, how values come back from it, and everything it could not say.
// The trap: requests bring the same schemas as new objects each time, so most of the work is to find out that there is none.
import type { JsonObject } from '../../json/types.js'
import { checkSize } from '../size.js'
import { compile, type Restricted, wrapped } from './compile.js'
import type { SchemaLoss } from './context.js'
import { type DialectName, dialects } from './dialects.js'
import { fits } from './fitting.js'
import { recall } from './memory.js'

export type { Restricted }

const known = new WeakMap<JsonObject, Map<DialectName, Restricted>>()

/** Lowers a schema. Total and deterministic; what it gives back it leaves as it is. Frozen schemas are looked at once. */
export function restrict(schema: JsonObject, dialect: DialectName): Restricted {
  if (dialects[dialect].keywords === 'all') return restrictRoot(schema)
  if (!Object.isFrozen(schema)) return restrictWhole(schema, dialect)
  let results = known.get(schema)
  if (results === undefined) {
    results = new Map()
    known.set(schema, results)
  }
  let result = results.get(dialect)
  if (result === undefined) {
    result = restrictWhole(schema, dialect)
    results.set(dialect, result)
  }
  return result
}

/** For dialects that take any keyword: only a root that is no object is wrapped. */
function restrictRoot(schema: JsonObject): Restricted {
  if (schema.type === undefined || schema.type === 'object') return { schema, losses: noLosses }
  const losses: SchemaLoss[] = []
  const { schema: lowered, map } = wrapped({ schema }, losses)
  return { schema: lowered, losses, ...(map === undefined ? {} : { mapping: { root: map, named: new Map() } }) }
}

const noLosses: readonly SchemaLoss[] = []

function restrictWhole(schema: JsonObject, dialect: DialectName): Restricted {
  if (fits(schema, dialects[dialect])) return { schema, losses: noLosses }
  const size = checkSize(schema)
  if (size !== undefined) return { schema, losses: noLosses, refused: size.message }
  return recall(schema, dialect, compile)
}
