// A schema as one document of draft 2020-12 whose references are plain pointers into it: no `$id`, no anchors, no keywords of older
// drafts. Code that builds new schemas out of parts needs this, because a reference in a part would otherwise lose its base URI.
import { isJsonObject } from '../json/parse.js'
import { at } from '../json/pointer.js'
import type { Json, JsonObject } from '../json/types.js'
import { decodeFragment, openDocument, type SchemaDocument } from './document.js'
import { draftOf } from './drafts.js'
import { holders, referencesOf } from './keywords.js'
import { shown } from './messages.js'
import { isLinked } from './size.js'

export interface SchemaNote {
  readonly path: string
  /** What was mapped or dropped, as a sentence: `type "dict" is read as "object"`. */
  readonly message: string
}
export interface Upgraded {
  readonly schema: JsonObject
  readonly notes: readonly SchemaNote[]
  /** Whether a reference depends on the way it is reached. It was written as a plain one. */
  readonly isDynamic: boolean
}

type Members = { [key: string]: Json }

/** Upgrades a schema whose size was checked. Most schemas need nothing and are returned as they are. */
export function upgradeSchema(root: JsonObject): Upgraded {
  if (!isLinked(root)) return { schema: root, notes: [], isDynamic: false }
  const document = openDocument(root)
  const { isDynamic } = document
  if (isPlain(root, document)) return { schema: root, notes: [], isDynamic }
  return { ...new Upgrade(root, document).run(), isDynamic }
}

function isPlain(root: JsonObject, document: SchemaDocument): boolean {
  const { size } = document
  // Targets that stand where no schema is expected are met on the way.
  for (const schema of document.schemas()) {
    const { $id, $anchor, $dynamicAnchor, $dynamicRef, $recursiveRef } = schema
    const isNamed = $anchor !== undefined || $dynamicAnchor !== undefined || ($id !== undefined && schema !== root)
    if (isNamed || $dynamicRef !== undefined || $recursiveRef !== undefined) return false
    if (document.read(schema) !== schema) return false
    for (const reference of referencesOf(schema)) {
      if (reference !== '#' && !reference.startsWith('#/')) return false
      document.find(reference, schema)
    }
  }
  return document.size === size
}

/** A reference that gets its pointer once every schema has its place. */
interface Pending {
  readonly copy: Members
  readonly source: JsonObject
  readonly reference: string
  readonly path: string
}

class Upgrade {
  private readonly root: JsonObject
  private readonly document: SchemaDocument
  private readonly notes: SchemaNote[] = []
  /** Where each schema stands in the result. */
  private readonly places = new Map<JsonObject, string>()
  private readonly pending: Pending[] = []
  /** What references point to outside of every place for schemas. */
  private readonly added = new Map<string, Json>()

  constructor(root: JsonObject, document: SchemaDocument) {
    this.root = root
    this.document = document
  }

  run(): { schema: JsonObject; notes: readonly SchemaNote[] } {
    const copy = this.copy(this.root, '', '')
    // The list grows when a target is added.
    for (const pending of this.pending) this.point(pending)
    if (this.added.size > 0) {
      const definitions = isJsonObject(copy.$defs) ? copy.$defs : {}
      copy.$defs = { ...definitions, ...Object.fromEntries(this.added) }
    }
    return { schema: copy, notes: this.notes }
  }

  /** `place` is where the copy stands, `path` where the source stood. */
  private copy(source: JsonObject, place: string, path: string): Members {
    this.places.set(source, place)
    const read = this.document.read(source)
    if (read !== source) this.noteChanges(source, read, path)
    const members: [string, Json][] = []
    for (const [keyword, value] of Object.entries(read)) {
      if (this.isDropped(keyword, value, source, path)) continue
      members.push([keyword, this.copyHeld(keyword, value, place, path)])
    }
    const copy: Members = Object.fromEntries(members)
    for (const reference of referencesOf(read)) this.pending.push({ copy, source, reference, path })
    return copy
  }

  private isDropped(keyword: string, value: Json, source: JsonObject, path: string): boolean {
    switch (keyword) {
      case '$ref':
      case '$dynamicRef':
      case '$recursiveRef':
        // Written again by `point`.
        return typeof value === 'string'
      case '$id':
        return source !== this.root
      case '$schema': {
        const draft = typeof value === 'string' ? draftOf(value) : undefined
        if (draft === 2020 || draft === undefined) return source !== this.root && this.document.isResource(source)
        this.note(`${path}/$schema`, `$schema ${shown(value)} is dropped: the schema is written in draft 2020-12`)
        return true
      }
      default:
        return keyword === '$anchor' || keyword === '$dynamicAnchor' || keyword === '$recursiveAnchor'
    }
  }

  private copyHeld(keyword: string, value: Json, place: string, path: string): Json {
    const holder = holders.get(keyword)
    const inner = `${place}/${keyword}`
    const written = `${path}/${keyword}`
    if (holder === 'one') return isJsonObject(value) ? this.copy(value, inner, written) : value
    const copyMember = (member: Json, key: string | number): Json =>
      isJsonObject(member) ? this.copy(member, at(inner, key), at(written, key)) : member
    if (holder === 'list' && Array.isArray(value)) return value.map(copyMember)
    if (holder === 'map' && isJsonObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyMember(member, key)]))
    }
    return value
  }

  private point({ copy, source, reference, path }: Pending): void {
    const target = this.document.find(reference, source)?.schema
    const written = target === undefined ? reference : this.pointerTo(target, reference)
    if (written !== reference) {
      this.note(`${path}/$ref`, `the reference ${shown(reference)} is written as ${shown(written)}`)
    }
    if (copy.$ref === undefined) copy.$ref = written
    else copy.allOf = [...(Array.isArray(copy.allOf) ? (copy.allOf as readonly Json[]) : []), { $ref: written }]
  }

  private pointerTo(target: JsonObject | boolean, reference: string): string {
    const place = typeof target === 'boolean' ? undefined : this.places.get(target)
    if (place !== undefined) {
      const isSame = reference.startsWith('#') && decodeFragment(reference.slice(1)) === place
      return isSame ? reference : `#${place.replace(/[%#]/g, encodeURIComponent)}`
    }
    const name = this.freeName(reference)
    this.added.set(name, target)
    if (typeof target === 'object') this.added.set(name, this.copy(target, at('/$defs', name), ''))
    return `#${at('/$defs', name)}`
  }

  private freeName(reference: string): string {
    const stem = (reference.split(/[/#]/).at(-1) ?? '').replace(/[^\w.-]/g, '_') || 'schema'
    const known = isJsonObject(this.root.$defs) ? this.root.$defs : {}
    let name = stem
    for (let count = 2; this.added.has(name) || Object.hasOwn(known, name); count += 1) name = `${stem}_${count}`
    return name
  }

  private noteChanges(source: JsonObject, read: JsonObject, path: string): void {
    const isReference = read.$ref !== undefined && this.document.resourceOf(source).draft === 7
    for (const keyword of Object.keys(source)) {
      if (keyword === 'items' && Array.isArray(source.items))
        this.note(`${path}/items`, 'a list of items is read as prefixItems')
      else if (keyword === 'dependencies' && read.dependencies === undefined && !isReference) {
        this.note(`${path}/dependencies`, 'dependencies is read as dependentRequired and dependentSchemas')
      } else if (keyword === 'additionalItems' && read.additionalItems === undefined && !isReference) {
        this.note(`${path}/additionalItems`, 'additionalItems is read as items')
      } else if (read[keyword] === undefined) {
        const why = isReference
          ? 'draft 7 ignores the keywords beside $ref'
          : 'the draft of the schema does not have it'
        this.note(`${path}/${keyword}`, `${keyword} is dropped: ${why}`)
      }
    }
  }

  private note(path: string, message: string): void {
    this.notes.push({ path, message })
  }
}
