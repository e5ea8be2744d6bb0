// Signatures of every kind, for properties.
import fc from 'fast-check'
import type { Field, FieldType, SignatureData } from '../../src/signature/field.js'

const name = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,10}$/)
  .filter((word) => word !== '__proto__' && word !== 'completed')
const words = fc.string({ unit: 'binary', maxLength: 12 })
const range = (number: fc.Arbitrary<number>) =>
  fc.tuple(fc.option(number, { nil: undefined }), fc.option(number, { nil: undefined })).map(([a, b]) => {
    const [min, max] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b]
    return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  })
const count = range(fc.nat(20))
const amount = range(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)))

/** Types of values that can be written and read; of `depth` levels at most. */
export function valueType(depth: number): fc.Arbitrary<FieldType> {
  const leaves: fc.Arbitrary<FieldType>[] = [
    fc
      .tuple(
        count,
        fc.option(fc.constantFrom('^a.*$', '\\d+"'), { nil: undefined }),
        fc.constantFrom(undefined, 'email', 'uri'),
      )
      .map(([bounds, pattern, format]) => ({
        kind: 'string' as const,
        ...bounds,
        ...(pattern === undefined ? {} : { pattern }),
        ...(format === undefined ? {} : { format: format as 'email' | 'uri' }),
      })),
    amount.map((bounds) => ({ kind: 'number' as const, ...bounds })),
    amount.map((bounds) => ({ kind: 'integer' as const, ...bounds })),
    fc.constantFrom('boolean', 'date', 'datetime', 'json', 'object').map((kind) => ({ kind: kind as 'json' })),
    fc.uniqueArray(words, { minLength: 1, maxLength: 4 }).map((values) => ({ kind: 'class' as const, values })),
    fc.constant({ kind: 'schema' as const, schema: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
  ]
  if (depth === 0) return fc.oneof(...leaves)
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...leaves) },
    fc.tuple(valueType(depth - 1), count).map(([items, bounds]) => ({ kind: 'list' as const, items, ...bounds })),
    fields(depth - 1, fc.constant(false)).map((members) => ({ kind: 'object' as const, fields: members })),
  )
}

function field(type: fc.Arbitrary<FieldType>, internal: fc.Arbitrary<boolean>): fc.Arbitrary<Field> {
  const description = fc.option(
    words.filter((text) => text !== ''),
    { nil: undefined },
  )
  return fc.tuple(name, type, fc.boolean(), internal, description).map(([own, kind, optional, isInternal, said]) => ({
    name: own,
    type: kind,
    optional,
    internal: isInternal,
    ...(said === undefined ? {} : { description: said }),
  }))
}

function fields(depth: number, internal: fc.Arbitrary<boolean>): fc.Arbitrary<Field[]> {
  return fc.uniqueArray(field(valueType(depth), internal), { minLength: 1, maxLength: 4, selector: (one) => one.name })
}

const special = (kind: 'tool' | 'tools' | 'history' | 'tool_calls') => field(fc.constant({ kind }), fc.constant(false))

/** Whole signatures, tool fields and history among them. */
export const anySignature: fc.Arbitrary<SignatureData> = fc
  .tuple(
    words,
    fields(2, fc.constant(false)),
    fields(2, fc.boolean()),
    fc.array(fc.oneof(special('tool'), special('tools')), { maxLength: 2 }),
    fc.option(special('history'), { nil: undefined }),
    fc.option(special('tool_calls'), { nil: undefined }),
  )
  .map(([instruction, plain, outputs, tools, history, calls]) => {
    const inputs = [...plain, ...tools, ...(history === undefined ? [] : [history])]
    const all = [...outputs, ...(calls === undefined ? [] : [calls])]
    // Names are told apart by their side and place.
    return {
      instruction,
      inputs: inputs.map((one, index) => ({ ...one, name: `i${index}_${one.name}` })),
      outputs: all.map((one, index) => ({ ...one, name: `o${index}_${one.name}` })),
    }
  })
