// A JSON Schema that carries its TypeScript type. It is a Standard Schema too, so that it goes wherever one does.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { pointerKeys } from '../json/pointer.js'
import type { JsonObject } from '../json/types.js'
import type { Checked } from './issue.js'
import { compileSchema } from './validate.js'

/** A described parameter whose values have the type `T`. */
export interface Param<T = unknown> {
  readonly '~standard': StandardSchemaV1.Props<T> & StandardJSONSchemaV1.Props<T>
  readonly schema: JsonObject
  readonly optional: boolean
}

const schemas = new WeakMap<object, JsonObject>()

/** The JSON Schema of a param made here; undefined for anything else. */
export function paramSchema(value: object): JsonObject | undefined {
  return schemas.get(value)
}

export function makeParam<T>(schema: JsonObject): Param<T> {
  const json = (): JsonObject => schema
  const validate = (value: unknown): StandardSchemaV1.Result<T> => standardResult(compileSchema(schema)(value))
  const jsonSchema = { input: json, output: json }
  const param: Param<T> = {
    '~standard': { version: 1, vendor: 'toolwire', validate, jsonSchema },
    schema,
    optional: false,
  }
  schemas.set(param, schema)
  return param
}

/** The same param as an optional member of an object. */
export function makeOptional<P extends Param>(param: P): P & { readonly optional: true } {
  const copy = { ...param, optional: true as const }
  schemas.set(copy, param.schema)
  return copy
}

function standardResult<T>(checked: Checked<unknown>): StandardSchemaV1.Result<T> {
  // The check proved the value to be what the schema, and so the type, describes.
  if (checked.ok) return { value: checked.value as T }
  return { issues: checked.issues.map(({ path, message }) => ({ path: pointerKeys(path), message })) }
}
