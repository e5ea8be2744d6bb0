// The rules that the openai package's own helper enforces, as a judge of strict schemas.
import { toStrictJsonSchema } from 'openai/lib/transform'
import { expect } from 'vitest'
import { canonicalJson } from '../../src/json/canonical.js'
import type { Json, JsonObject } from '../../src/json/types.js'

/** The helper must take the schema and have nothing to change in it, but for the order of names and a default of null. */
export function expectStrict(schema: JsonObject): void {
  const [changed, given] = [comparable(toStrictJsonSchema(schema as never)), comparable(schema)]
  // Thousands of schemas are compared: as texts unless they differ.
  if (canonicalJson(changed) !== canonicalJson(given)) expect(changed).toEqual(given)
}

function comparable(value: unknown): Json {
  return JSON.parse(JSON.stringify(value), (key: string, member: unknown) => {
    if (key === 'required' && Array.isArray(member)) return member.toSorted()
    return key === 'default' && member === null ? undefined : member
  })
}
