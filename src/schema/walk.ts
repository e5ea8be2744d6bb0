// The schemas of a document that a check can come to: through keywords, and through references wherever they lead.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { places, referencesOf } from './keywords.js'
import type { Resolve } from './references.js'

export interface Reached {
  readonly schema: JsonObject
  readonly path: string
}

const definitions = new Set(['$defs', 'definitions'])

/** Each schema once. Definitions nobody refers to are not among them; references that lead nowhere are passed over. */
export function* reachable(root: JsonObject, resolve: Resolve): Generator<Reached> {
  const seen = new Set<Json>([root])
  const waiting: Reached[] = [{ schema: root, path: '' }]
  const reach = (schema: Json | undefined, path: string): void => {
    if (!isJsonObject(schema) || seen.has(schema)) return
    seen.add(schema)
    waiting.push({ schema, path })
  }
  for (const reached of waiting) {
    yield reached
    for (const reference of referencesOf(reached.schema)) {
      reach(resolve(reference), reference.startsWith('#/') ? reference.slice(1) : reached.path)
    }
    for (const place of places(reached.schema, reached.path)) {
      if (!definitions.has(place.keyword)) reach(place.schema, place.path)
    }
  }
}
