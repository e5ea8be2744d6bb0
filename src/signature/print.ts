// Signatures as text. Lossless: reading the text gives the same signature.
import type { Field, FieldType, SignatureData } from './field.js'

export function printSignature({ instruction, inputs, outputs }: SignatureData): string {
  const said = instruction === '' ? '' : `${JSON.stringify(instruction)} `
  return `${said}${printFields(inputs)} -> ${printFields(outputs)}`
}

function printFields(fields: readonly Field[]): string {
  return fields.map(printField).join(', ')
}

function printField({ name, type, optional, internal, description }: Field): string {
  const marks = `${optional ? '?' : ''}${internal ? '!' : ''}`
  const words = description === undefined ? '' : ` ${JSON.stringify(description)}`
  return `${name}${marks}: ${printType(type)}${words}`
}

export function printType(type: FieldType): string {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'integer':
      return `${type.kind}${printConstraints(type)}`
    case 'list':
      return `${printType(type.items)}[]${printConstraints(type)}`
    case 'class':
      return type.values.every(isPlain)
        ? `class ${JSON.stringify(type.values.join(', '))}`
        : `class(${type.values.map((value) => JSON.stringify(value)).join(', ')})`
    case 'object':
      return type.fields === undefined ? 'object' : `object{ ${printFields(type.fields)} }`
    case 'schema':
      return `schema ${JSON.stringify(JSON.stringify(type.schema))}`
    default:
      return type.kind
  }
}

/** Whether a value can stand in a list that is split at commas. */
function isPlain(value: string): boolean {
  return value !== '' && value.trim() === value && !/[,|"\\\p{Cc}]/u.test(value)
}

interface Constrained {
  readonly min?: number
  readonly max?: number
  readonly pattern?: string
  readonly format?: string
}

function printConstraints({ min, max, pattern, format }: Constrained): string {
  const parts = [
    ...(min === undefined ? [] : [`min ${min}`]),
    ...(max === undefined ? [] : [`max ${max}`]),
    ...(pattern === undefined ? [] : [`pattern ${JSON.stringify(pattern)}`]),
    ...(format === undefined ? [] : [`format ${format}`]),
  ]
  return parts.length === 0 ? '' : `(${parts.join(', ')})`
}
