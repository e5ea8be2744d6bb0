// Puts the other documents that a schema refers to into the schema, because nothing is ever fetched.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { absolute, openDocument } from './document.js'
import { draftOf } from './drafts.js'
import { referencesOf } from './keywords.js'
import { plainCopy } from './plain.js'
import { type SchemaRule, schemaRules } from './rules.js'
import { checkSize } from './size.js'

/**
 * A copy of a schema that contains the documents it refers to, so that it can be used as the schema of a tool. `documents` are JSON
 * Schemas by their URI. Those that nothing refers to are left out; a reference to a document that is not among them stays as it is. A
 * document without `$schema` is read in the draft of the schema that refers to it.
 */
export function bundleSchema(
  schema: JsonObject,
  documents: Readonly<Record<string, JsonObject | boolean>>,
): JsonObject {
  const known = new Map(Object.keys(documents).map((key) => [absolute(key), key]))
  let bundle = copyOf(schema, 'the schema')
  const keyword = typeof bundle.$schema === 'string' && draftOf(bundle.$schema) === 7 ? 'definitions' : '$defs'
  const added = new Set<string>()
  for (;;) {
    const missing = missingUris(bundle).flatMap((uri) => known.get(uri) ?? [])
    const keys = [...new Set(missing)].filter((key) => !added.has(key))
    if (keys.length === 0) return bundle
    const entries = keys.map((key) => [key, embedDocument(key, documents[key] ?? true)] as const)
    bundle = { ...bundle, [keyword]: { ...mapOf(bundle[keyword]), ...Object.fromEntries(entries) } }
    assertSize(bundle, 'the schema together with the documents it refers to')
    for (const key of keys) added.add(key)
  }
}

/** The documents that references point into, where they point to nothing in the bundle. */
function missingUris(bundle: JsonObject): readonly string[] {
  const document = openDocument(bundle)
  return [...document.schemas()].flatMap((schema) =>
    referencesOf(document.read(schema))
      .filter((reference) => document.find(reference, schema) === undefined)
      .flatMap((reference) => document.uriOf(reference, schema) ?? []),
  )
}

/** A document under its URI, and under its own `$id` where that is another one. */
function embedDocument(uri: string, schema: JsonObject | boolean): JsonObject {
  if (typeof schema === 'boolean') return schema ? { $id: uri } : { $id: uri, not: {} }
  const copy = copyOf(schema, `the document "${uri}"`)
  const { $id, $schema } = copy
  if (typeof $id !== 'string') return { $id: uri, ...copy }
  if (absolute($id, absolute(uri)) === absolute(uri)) return copy
  return { $id: uri, ...($schema === undefined ? {} : { $schema }), allOf: [copy] }
}

function copyOf(schema: JsonObject, name: string): JsonObject {
  const copy = plainCopy(schema)
  if (!isJsonObject(copy))
    throw refuse('schema_not_json', `${name} is not made of plain JSON values, or is far too large`)
  assertSize(copy, name)
  return copy
}

function assertSize(schema: JsonObject, name: string): void {
  const problem = checkSize(schema)
  if (problem !== undefined) throw refuse(problem.rule, `${name} is too large: ${problem.message}`)
}

function refuse(rule: SchemaRule, message: string): ToolwireError {
  return new ToolwireError('invalid_tool_spec', `${message}; ${schemaRules[rule]}`, { detail: { rule, path: '' } })
}

function mapOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
