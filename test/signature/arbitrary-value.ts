// Values of a field type, for properties.
import fc from 'fast-check'
import type { FieldType } from '../../src/signature/field.js'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '\n',
    '\\',
    ' \\',
    '\\ ',
    '[[ ## a ## ]]',
    '\\[[ ## a ## ]]',
    ' [[ ## completed ## ]]\nx',
    '```\nx\n```',
    '"quoted"',
    'a\r\nb\r',
    '\t',
  ),
)
const isRewritten = (value: unknown): boolean =>
  Object.is(value, -0) ||
  (Number.isInteger(value) && !Number.isSafeInteger(value)) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(isRewritten))
const json = fc
  .jsonValue({ maxDepth: 3 })
  // Negative zero is written as 0, large integers come back as bigints, and a key `__proto__` cannot be compared by a literal.
  .filter((value) => !isRewritten(value) && !JSON.stringify(value).includes('__proto__'))

export function anyValue(type: FieldType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'string':
      return text
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0))
    case 'integer':
      return fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }))
    case 'boolean':
      return fc.boolean()
    case 'date':
      return day
    case 'datetime':
      return day.map((date) => `${date}T09:30:00Z`)
    case 'class':
      return fc.constantFrom(...type.values)
    case 'list':
      return fc.array(anyValue(type.items), { maxLength: 3 })
    case 'object':
      return type.fields === undefined
        ? fc.dictionary(fc.string(), json).filter((value) => !Object.hasOwn(value, '__proto__'))
        : fc.record(Object.fromEntries(type.fields.map((field) => [field.name, anyValue(field.type)])))
    case 'schema':
      return fc.oneof(text, fc.constant(null))
    default:
      return json
  }
}

const day = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
