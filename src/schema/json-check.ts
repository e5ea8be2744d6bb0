// A value checked against a JSON Schema and made ready for a handler.
import type { JsonObject } from '../json/types.js'
import { withDefaults } from './copy.js'
import type { Checked } from './issue.js'
import { compileSchema } from './validate.js'

/** Checks a value against a JSON Schema. What comes back is the caller's own copy, with defaults where they are valid. */
export function checkJson(schema: JsonObject, value: unknown): Checked<unknown> {
  const validate = compileSchema(schema)
  const checked = validate(value)
  if (!checked.ok) return checked
  const complete = withDefaults(value, schema)
  return validate(complete).ok ? { ok: true, value: complete } : { ok: true, value: withDefaults(value, undefined) }
}
