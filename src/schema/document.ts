// One schema document: the resources in it (a schema with an `$id` starts one), and what each reference points to. Nothing is fetched.
// Trap: a reference is relative to the resource that holds it, so that resolving one needs the schema it stands in.
import { isJsonObject } from '../json/parse.js'
import { pointerKeys } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { type Draft, draftOf, readAs2020 } from './drafts.js'
import { holders } from './keywords.js'
import { schemaLimits } from './rules.js'
import { isLinked } from './size.js'

/** A schema that can be referred to by a URI of its own, with the names in it. */
export interface Resource {
  readonly root: JsonObject
  /** Absolute, without a fragment. */
  readonly uri: string
  readonly draft: Draft
  readonly anchors: Map<string, JsonObject>
  /** The anchors that a dynamic reference may find here. An empty name stands for `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, JsonObject>
}

/** What a reference points to. */
export interface Target {
  readonly schema: JsonObject | boolean
  readonly resource: Resource
  /** The anchor to look for in the dynamic scope, when the target is a dynamic anchor. */
  readonly dynamicAnchor?: string
}

/** Documents are relative to this URI when they do not have one. Its scheme does not exist, so that no document can have it. */
const defaultUri = 'toolwire-schema:///'

/** Nothing can be relative to it. */
const unusable = 'toolwire-schema:'

/** Absolute URIs longer than this are not resolved: each reference costs as much as its base is long. */
const longestUri = 2 * schemaLimits.reference

const documents = new WeakMap<JsonObject, SchemaDocument>()

/** The document of a schema whose size was checked. */
export function openDocument(root: JsonObject): SchemaDocument {
  return isLinked(root) ? openLinked(root) : unlinked
}

/** The document of any schema. Made once per object. */
function openLinked(root: JsonObject): SchemaDocument {
  let document = documents.get(root)
  if (document === undefined) {
    document = new SchemaDocument(root)
    documents.set(root, document)
  }
  return document
}

/** What a reference at the root of a schema points to. For schemas whose references are plain pointers; see `upgradeSchema`. */
export type Resolve = (reference: string) => JsonObject | boolean | undefined

export function resolver(root: JsonObject): Resolve {
  return (reference) => openLinked(root).find(reference)?.schema
}

export class SchemaDocument {
  readonly main: Resource
  /** Every schema that was met, with its resource. */
  readonly #resources = new Map<JsonObject, Resource>()
  readonly #byUri = new Map<string, JsonObject>()
  /** URIs that two different schemas claim: nobody can tell which one a reference means. */
  readonly #ambiguous = new Set<string>()
  readonly #found = new Map<Resource, Map<string, Target | undefined>>()
  readonly #dynamicNames = new Map<string, number>()
  readonly #read = new Map<JsonObject, JsonObject>()

  constructor(root: JsonObject) {
    this.main = this.#open(root, defaultUri, 2020)
    this.#collect(root, this.main)
  }

  /** Whether a dynamic reference can lead to different schemas, depending on how it was reached. */
  get isDynamic(): boolean {
    for (const count of this.#dynamicNames.values()) if (count > 1) return true
    return false
  }

  resourceOf(schema: JsonObject): Resource {
    return this.#resources.get(schema) ?? this.main
  }

  isResource(schema: JsonObject): boolean {
    return this.resourceOf(schema).root === schema
  }

  get size(): number {
    return this.#resources.size
  }

  /** Every schema of the document that was met, and those found under unknown keywords. */
  schemas(): Iterable<JsonObject> {
    return this.#resources.keys()
  }

  /** The schema as draft 2020-12 writes it, always the same object for the same schema. */
  read(schema: JsonObject): JsonObject {
    if (this === unlinked) return schema
    let read = this.#read.get(schema)
    if (read === undefined) {
      const resource = this.resourceOf(schema)
      read = readAs2020(schema, resource.draft)
      this.#read.set(schema, read)
      if (read !== schema) {
        this.#read.set(read, read)
        this.#resources.set(read, resource)
      }
    }
    return read
  }

  /** What a reference points to that stands in the schema `from`; undefined when that is not in the document. */
  find(reference: string, from: JsonObject = this.main.root): Target | undefined {
    const resource = this.resourceOf(from)
    const found = this.#found.get(resource)
    if (found?.has(reference)) return found.get(reference)
    const target = reference.length > schemaLimits.reference ? undefined : this.#search(reference, resource)
    found?.set(reference, target)
    return target
  }

  /** The absolute URI of the document that a reference points into. */
  uriOf(reference: string, from: JsonObject): string | undefined {
    return absolute(reference, this.resourceOf(from).uri)
  }

  #search(reference: string, base: Resource): Target | undefined {
    const hash = reference.indexOf('#')
    const [uri, fragment] =
      hash === -1 ? [reference, ''] : [reference.slice(0, hash), decodeFragment(reference.slice(hash + 1))]
    const start = uri === '' ? base.root : this.#byAbsolute(uri, base)
    if (start === undefined) return undefined
    const resource = this.resourceOf(start)
    if (fragment === '') return { schema: start, resource, ...dynamic('', start, resource) }
    if (!fragment.startsWith('/')) {
      const schema = resource.anchors.get(fragment)
      return schema === undefined ? undefined : { schema, resource, ...dynamic(fragment, schema, resource) }
    }
    const schema = atPointer(start, fragment)
    if (typeof schema !== 'object') return schema === undefined ? undefined : { schema, resource }
    // It may stand where no schema is expected, such as under an unknown keyword.
    if (!this.#resources.has(schema)) this.#collect(schema, resource)
    return { schema, resource: this.resourceOf(schema) }
  }

  #byAbsolute(reference: string, base: Resource): JsonObject | undefined {
    const uri = absolute(reference, base.uri)
    return uri === undefined || this.#ambiguous.has(uri) ? undefined : this.#byUri.get(uri)
  }

  #open(root: JsonObject, base: string, inherited: Draft): Resource {
    const draft = typeof root.$schema === 'string' ? (draftOf(root.$schema) ?? inherited) : inherited
    const id = idOf(root, draft)
    // One that is not a usable URI can be the base of pointers only.
    const uri = id === undefined ? base : (absolute(id, base) ?? unusable)
    const resource: Resource = { root, uri, draft, anchors: new Map(), dynamicAnchors: new Map() }
    this.#found.set(resource, new Map())
    const other = this.#byUri.get(uri)
    if (other === undefined && uri !== unusable) this.#byUri.set(uri, root)
    else if (other !== undefined && !isEqual(root, other)) this.#ambiguous.add(uri)
    return resource
  }

  /** Files a schema and all in it under its resource. */
  #collect(schema: JsonObject, around: Resource): void {
    if (this.#resources.has(schema)) return
    const isNew = schema !== around.root && hasDollar(schema) && startsResource(schema, around.draft)
    const resource = isNew ? this.#open(schema, around.uri, around.draft) : around
    this.#resources.set(schema, resource)
    if (hasDollar(schema)) this.#name(schema, resource)
    for (const keyword in schema) {
      const value = holders.has(keyword) ? schema[keyword] : undefined
      if (typeof value !== 'object' || value === null) continue
      if (holders.get(keyword) === 'one' && !Array.isArray(value)) this.#collect(value as JsonObject, resource)
      else for (const key in value) this.#collectMember((value as JsonObject)[key], resource)
    }
  }

  #collectMember(value: Json | undefined, around: Resource): void {
    if (isJsonObject(value)) this.#collect(value, around)
  }

  #name(schema: JsonObject, { anchors, dynamicAnchors, draft, root }: Resource): void {
    if (draft === 7) {
      const { $id } = schema
      if (typeof $id === 'string' && $id.startsWith('#') && schema.$ref === undefined) anchors.set($id.slice(1), schema)
      return
    }
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema
    if (typeof $anchor === 'string') anchors.set($anchor, schema)
    if (typeof $dynamicAnchor === 'string' && draft === 2020) {
      anchors.set($dynamicAnchor, schema)
      this.#nameDynamic($dynamicAnchor, schema, dynamicAnchors)
    }
    if ($recursiveAnchor === true && schema === root) this.#nameDynamic('', schema, dynamicAnchors)
  }

  #nameDynamic(name: string, schema: JsonObject, anchors: Map<string, JsonObject>): void {
    if (!anchors.has(name)) this.#dynamicNames.set(name, (this.#dynamicNames.get(name) ?? 0) + 1)
    anchors.set(name, schema)
  }
}

/** Stands for all schemas without references: there is nothing to find out about them. */
const unlinked = new SchemaDocument({})

/** Whether there are keywords such as `$id`: most schemas have none, and looking for each would take longest of all. */
function hasDollar(schema: JsonObject): boolean {
  for (const keyword in schema) if (keyword.charCodeAt(0) === 36) return true
  return false
}

function dynamic(name: string, schema: JsonObject, resource: Resource): Pick<Target, 'dynamicAnchor'> {
  return resource.dynamicAnchors.get(name) === schema ? { dynamicAnchor: name } : {}
}

/** An `$id` that is only a fragment names a place in its resource instead of starting one. */
function startsResource(schema: JsonObject, draft: Draft): boolean {
  const inner = typeof schema.$schema === 'string' ? (draftOf(schema.$schema) ?? draft) : draft
  const id = idOf(schema, inner)
  return id !== undefined && !id.startsWith('#')
}

function idOf(schema: JsonObject, draft: Draft): string | undefined {
  // In draft 7 nothing counts beside a reference.
  if (draft === 7 && typeof schema.$ref === 'string') return undefined
  const { $id, id, $schema } = schema
  if (typeof $id === 'string') return $id
  return typeof id === 'string' && typeof $schema === 'string' && /draft-0[34]\b/.test($schema) ? id : undefined
}

/** The URI without its fragment. */
export function absolute(reference: string, base: string | undefined = defaultUri): string | undefined {
  if (reference.length > schemaLimits.reference || !URL.canParse(reference, base)) return undefined
  const url = new URL(reference, base)
  url.hash = ''
  return url.href.length > longestUri ? undefined : url.href
}

/** Follows a pointer key by key, so that one that leads nowhere ends where it leaves the document. */
function atPointer(root: JsonObject, pointer: string): JsonObject | boolean | undefined {
  let at: Json | undefined = root
  for (let start = 1; start <= pointer.length; ) {
    const slash = pointer.indexOf('/', start)
    const end = slash === -1 ? pointer.length : slash
    const part = pointer.slice(start, end)
    const [key = ''] = part.includes('~') ? pointerKeys(`/${part}`) : [part]
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
    start = end + 1
  }
  return typeof at === 'boolean' || isJsonObject(at) ? at : undefined
}

export function decodeFragment(fragment: string): string {
  if (!fragment.includes('%')) return fragment
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const keys = Object.keys(one)
  if (Array.isArray(one) !== Array.isArray(other) || keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && isEqual((one as JsonObject)[key], (other as JsonObject)[key]))
}
