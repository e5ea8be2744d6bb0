// What each provider gets of every form of schema, all dialects side by side, and what is reported about it.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/types.js'
import type { DialectName } from '../../src/schema/restrict/dialects.js'
import { restrict } from '../../src/schema/restrict/restrict.js'

interface Form {
  readonly schema: Json
  readonly dialects: Readonly<Record<string, Lowered>>
}
interface Lowered {
  readonly schema: Json
  /** Kind and place of each report, the place below the schema. */
  readonly losses: readonly string[]
  /** Whether values have another shape on the wire. */
  readonly mapped: boolean
}

const forms = JSON.parse(readFileSync(new URL('./lowered-forms.json', import.meta.url), 'utf8')) as Record<string, Form>

/** The schema as a required property, which may be anything where a root may not. */
function lower(schema: Json, dialect: DialectName): Lowered {
  const root: JsonObject = { type: 'object', properties: { it: schema }, required: ['it'], additionalProperties: false }
  const { schema: lowered, losses, mapping, refused } = restrict(root, dialect)
  expect(refused).toBeUndefined()
  return {
    schema: (lowered.properties as JsonObject).it ?? null,
    losses: losses.map(({ kind, path }) => `${kind} ${path.replace('/properties/it', '')}`.trim()),
    mapped: mapping !== undefined,
  }
}

describe.each(Object.entries(forms))('%s', (_, { schema, dialects }) => {
  test.each(Object.entries(dialects))('%s', (dialect, expected) => {
    expect(lower(schema, dialect as DialectName)).toEqual(expected)
  })
})
