// What a signature is made of: named fields with types, as plain data. The string form, the builder and Standard Schemas all
// end here.
import type { JsonObject } from '../json/types.js'
import type { Intake } from '../schema/intake.js'

/** Bounds of a length, a value or a count. */
interface Range {
  readonly min?: number
  readonly max?: number
}
export type TextFormat = 'email' | 'uri'

/** The type of a field, as data. */
export type FieldType =
  | ({ readonly kind: 'string'; readonly pattern?: string; readonly format?: TextFormat } & Range)
  | ({ readonly kind: 'number' } & Range)
  | ({ readonly kind: 'integer' } & Range)
  | { readonly kind: 'boolean' }
  /** `YYYY-MM-DD`, as text: a `Date` would carry a time and a zone nobody gave. */
  | { readonly kind: 'date' }
  /** RFC 3339 with an offset, as text. */
  | { readonly kind: 'datetime' }
  | { readonly kind: 'json' }
  | { readonly kind: 'class'; readonly values: readonly string[] }
  /** Without `fields` any JSON object. */
  | { readonly kind: 'object'; readonly fields?: readonly Field[] }
  | ({ readonly kind: 'list'; readonly items: FieldType } & Range)
  /** What the other kinds cannot say, as a JSON Schema. */
  | { readonly kind: 'schema'; readonly schema: JsonObject }
  | { readonly kind: 'tool' }
  | { readonly kind: 'tools' }
  | { readonly kind: 'tool_calls' }
  | { readonly kind: 'history' }

/** One input or output of a signature. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly optional: boolean
  /** Asked of the model and checked, but not part of the result. Outputs only. */
  readonly internal: boolean
  readonly description?: string
}

/** A signature without its types: plain JSON. */
export interface SignatureData {
  readonly instruction: string
  readonly inputs: readonly Field[]
  readonly outputs: readonly Field[]
}

/** The schema a field was given, where its own rules (refinements, transforms) go beyond the field's type. */
const intakes = new WeakMap<Field, Intake>()

export function keepIntake(field: Field, intake: Intake): Field {
  intakes.set(field, intake)
  return field
}

export function intakeOf(field: Field): Intake | undefined {
  return intakes.get(field)
}

export function isToolField({ type }: Field): boolean {
  return type.kind === 'tool' || type.kind === 'tools'
}

export function callsFieldOf(signature: SignatureData): Field | undefined {
  return signature.outputs.find(({ type }) => type.kind === 'tool_calls')
}
