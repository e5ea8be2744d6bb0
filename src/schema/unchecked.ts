// What a lenient schema says that values are not checked for, so that nobody believes they are.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { places } from './keywords.js'
import type { SchemaNote } from './normalise.js'
import { linearPattern } from './pattern.js'
import { prepareSchema } from './prepare.js'

/** Notes on patterns that cannot be matched in linear time, and on a schema too large to check whole. */
export function uncheckedParts(schema: JsonObject): readonly SchemaNote[] {
  const notes: SchemaNote[] = []
  collectPatterns(schema, '', notes)
  const prepared = prepareSchema(schema)
  if (prepared.ok && !prepared.complete) {
    notes.push({ path: '', message: 'the schema is too large to check whole: its last parts accept any value' })
  }
  return notes
}

function collectPatterns(schema: Json, path: string, notes: SchemaNote[]): void {
  if (!isJsonObject(schema)) return
  const keys = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  for (const pattern of typeof schema.pattern === 'string' ? [schema.pattern, ...keys] : keys) {
    if (linearPattern(pattern) !== undefined) continue
    notes.push({
      path,
      message: `the pattern ${JSON.stringify(pattern)} cannot be matched in linear time and is not checked`,
    })
  }
  for (const place of places(schema, path)) collectPatterns(place.schema, place.path, notes)
}
