// The patterns of a schema that cannot be matched: those no linear engine can run, and those too large to compile.
import { isJsonObject } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'
import { linearPattern } from './pattern.js'
import { resolver } from './references.js'
import { schemaLimits } from './rules.js'
import { reachable } from './walk.js'

export interface Unmatchable {
  readonly path: string
  readonly pattern: string
}

/** Every place with such a pattern. Compiles the others, until all patterns together are too large. */
export function unmatchablePatterns(root: JsonObject): readonly Unmatchable[] {
  const found: Unmatchable[] = []
  const verdicts = new Map<string, boolean>()
  let left: number = schemaLimits.patternsWeight
  for (const { schema, path } of reachable(root, resolver(root))) {
    for (const pattern of patternsOf(schema)) {
      if (!verdicts.has(pattern)) {
        const weight = left < 0 ? undefined : linearPattern(pattern)?.weight
        verdicts.set(pattern, weight !== undefined)
        left -= weight ?? failedWeight
      }
      if (verdicts.get(pattern) === false) found.push({ path, pattern })
    }
  }
  return found
}

/** What it weighs to find out that a pattern cannot be compiled. */
const failedWeight = 100

function patternsOf({ pattern, patternProperties }: JsonObject): readonly string[] {
  const keys = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...keys] : keys
}
