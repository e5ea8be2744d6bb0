// The TypeScript type of values that match a JSON Schema literal, for the common forms; anything else is `unknown`.
// Integers beyond 2^53−1 reach a handler as bigint although their type is `number`: a handler that expects such ids checks for it.
import type { StandardTypedV1 } from '@standard-schema/spec'
import type { JsonObject, ValueObject } from '../json/types.js'

/** What a tool takes as a schema: a Standard Schema, or a JSON Schema written as a literal. */
export type AnySchema = StandardTypedV1 | JsonObject

/** What a handler gets when its input was described by the schema. */
export type Infer<Schema> = Schema extends StandardTypedV1
  ? StandardTypedV1.InferOutput<Schema>
  : unknown extends FromSchema<Schema>
    ? ValueObject
    : FromSchema<Schema>

export type FromSchema<Schema> = Schema extends { readonly const: infer Const }
  ? Const
  : Schema extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : Schema extends { readonly type: infer Type }
      ? FromType<Schema, Type extends readonly (infer Member)[] ? Member : Type>
      : unknown

type FromType<Schema, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? FromSchema<Items>[]
            : unknown[]
          : Type extends 'object'
            ? FromObject<Schema>
            : unknown

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Members<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
  : { [key: string]: unknown }

type Members<Properties, Required> = Flat<
  { -readonly [Key in keyof Properties as Key extends Required ? Key : never]: FromSchema<Properties[Key]> } & {
    -readonly [Key in keyof Properties as Key extends Required ? never : Key]?: FromSchema<Properties[Key]>
  }
>

/** An intersection written out, so that editors show the members. */
export type Flat<T> = { [Key in keyof T]: T[Key] }
