// Finds what a `$ref` points at within its own document. Nothing is ever fetched.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { pointerKeys } from './issue.js'
import { places } from './keywords.js'

export type Resolve = (reference: string) => JsonObject | boolean | undefined

/** A resolver for one document: JSON Pointers, `$anchor`s, and the `$id`s of embedded schemas. */
export function resolver(root: JsonObject): Resolve {
  const base = idOf(root) ?? ''
  const ids = new Map<string, JsonObject>()
  const anchors = new Map<string, JsonObject>()
  collect(root, base, ids, anchors)
  return (reference) => {
    const [document, fragment = ''] = reference.split('#', 2) as [string, string?]
    const start = document === '' ? root : (ids.get(document) ?? ids.get(absolute(document, base)))
    if (start === undefined) return undefined
    if (fragment === '') return start
    return fragment.startsWith('/') ? atPointer(start, fragment) : anchors.get(fragment)
  }
}

function collect(
  schema: JsonObject,
  base: string,
  ids: Map<string, JsonObject>,
  anchors: Map<string, JsonObject>,
): void {
  const id = idOf(schema)
  if (id?.startsWith('#')) anchors.set(id.slice(1), schema)
  else if (id !== undefined) {
    ids.set(id.replace(/#$/, ''), schema)
    ids.set(absolute(id, base), schema)
  }
  for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
    if (typeof anchor === 'string') anchors.set(anchor, schema)
  }
  for (const place of places(schema)) if (isJsonObject(place.schema)) collect(place.schema, base, ids, anchors)
}

function idOf(schema: JsonObject): string | undefined {
  // `id` was the spelling up to draft 4; elsewhere it is an ordinary unknown keyword and harmless here.
  return typeof schema.$id === 'string' ? schema.$id : typeof schema.id === 'string' ? schema.id : undefined
}

function absolute(reference: string, base: string): string {
  const text = URL.canParse(reference, base) ? new URL(reference, base).href : reference
  return text.replace(/#.*$/s, '')
}

function atPointer(root: JsonObject, pointer: string): JsonObject | boolean | undefined {
  let at: Json | undefined = root
  for (const key of pointerKeys(decoded(pointer))) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return typeof at === 'boolean' || isJsonObject(at) ? at : undefined
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
