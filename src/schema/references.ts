// Finds what a `$ref` points at within its own document. Nothing is ever fetched.
import { isJsonObject } from '../json/parse.js'
import { pointerKeys } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { places } from './keywords.js'
import { schemaLimits } from './rules.js'

export type Resolve = (reference: string) => JsonObject | boolean | undefined

/** A resolver for one document: JSON Pointers, `$anchor`s, and the `$id`s of embedded schemas. */
export function resolver(root: JsonObject): Resolve {
  const base = idOf(root) ?? ''
  let names: Names | undefined
  // Most schemas refer by pointer only: the walk for names is made when the first one is asked for.
  const named = (): Names => {
    names ??= collect(root, base, { ids: new Map(), anchors: new Map() })
    return names
  }
  const find = (reference: string): JsonObject | boolean | undefined => {
    if (reference.length > schemaLimits.reference) return undefined
    if (reference.startsWith('#/')) return atPointer(root, reference.slice(1))
    const [document, fragment = ''] = reference.split('#', 2) as [string, string?]
    const start = document === '' ? root : (named().ids.get(document) ?? named().ids.get(absolute(document, base)))
    if (start === undefined) return undefined
    if (fragment === '') return start
    return fragment.startsWith('/') ? atPointer(start, fragment) : named().anchors.get(fragment)
  }
  const known = new Map<string, JsonObject | boolean | undefined>()
  return (reference) => {
    if (!known.has(reference)) known.set(reference, find(reference))
    return known.get(reference)
  }
}

interface Names {
  readonly ids: Map<string, JsonObject>
  readonly anchors: Map<string, JsonObject>
}

function collect(schema: JsonObject, base: string, names: Names): Names {
  const id = idOf(schema)
  if (id?.startsWith('#')) names.anchors.set(id.slice(1), schema)
  else if (id !== undefined) {
    names.ids.set(id.replace(/#$/, ''), schema)
    names.ids.set(absolute(id, base), schema)
  }
  for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
    if (typeof anchor === 'string') names.anchors.set(anchor, schema)
  }
  for (const place of places(schema)) if (isJsonObject(place.schema)) collect(place.schema, base, names)
  return names
}

function idOf(schema: JsonObject): string | undefined {
  // `id` was the spelling up to draft 4; elsewhere it is an ordinary unknown keyword and harmless here.
  return typeof schema.$id === 'string' ? schema.$id : typeof schema.id === 'string' ? schema.id : undefined
}

function absolute(reference: string, base: string): string {
  const text = URL.canParse(reference, base) ? new URL(reference, base).href : reference
  return text.replace(/#.*$/s, '')
}

/** Follows a pointer key by key, so that one that leads nowhere ends where it leaves the document. */
function atPointer(root: JsonObject, pointer: string): JsonObject | boolean | undefined {
  const path = pointer.includes('%') ? decoded(pointer) : pointer
  let at: Json | undefined = root
  for (let start = 1; start <= path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    const part = path.slice(start, end)
    const [key = ''] = part.includes('~') ? pointerKeys(`/${part}`) : [part]
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
    start = end + 1
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
