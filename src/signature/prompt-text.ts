// The words that tell a model what a signature asks for.
import { stringifyJson } from '../json/stringify.js'
import type { Field, FieldType, SignatureData } from './field.js'
import { schemaOf } from './schema-field.js'

/** What is to be done: the instruction, or one made of the names. */
export function objectiveOf({ instruction, inputs, outputs }: SignatureData): string {
  if (instruction !== '') return instruction
  const names = (fields: readonly Field[]): string => fields.map(({ name }) => `\`${name}\``).join(', ')
  if (outputs.length === 0) return `Work on ${names(inputs)}.`
  return inputs.length === 0 ? `Write ${names(outputs)}.` : `From ${names(inputs)}, work out ${names(outputs)}.`
}

/** The fields of one side, one line each. */
export function fieldLines(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const lines = fields.map(({ name, type, optional, description }) => {
    const said = description === undefined ? '' : `: ${description}`
    return `- \`${name}\` (${wordsOf(type)}${optional ? ', may be left out' : ''})${said}`
  })
  return `${title}\n${lines.join('\n')}`
}

/** A type in words short enough for a list. */
function wordsOf(type: FieldType): string {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'integer':
      return `${type.kind}${boundsOf(type)}`
    case 'boolean':
      return 'true or false'
    case 'date':
      return 'date, YYYY-MM-DD'
    case 'datetime':
      return 'date and time, like 2026-01-31T09:30:00Z'
    case 'json':
      return 'any JSON'
    case 'class':
      return `one of ${type.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'list':
      return `JSON list of ${wordsOf(type.items)}${boundsOf(type)}`
    case 'object':
      return type.fields === undefined ? 'JSON object' : `JSON of the schema ${stringifyJson(schemaOf(type))}`
    case 'schema':
      return `JSON of the schema ${stringifyJson(type.schema)}`
    case 'tool':
    case 'tools':
      return 'the tools you may ask for'
    case 'tool_calls':
      return 'JSON list of tool calls, like [{"name": "…", "args": {…}}]; [] for none'
    case 'history':
      return 'earlier turns'
  }
}

function boundsOf(type: {
  readonly min?: number
  readonly max?: number
  readonly pattern?: string
  readonly format?: string
}): string {
  const { min, max, pattern, format } = type
  const words = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(pattern === undefined ? [] : [`matching ${pattern}`]),
    ...(format === undefined ? [] : [format]),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** What a model must know that writes its calls as a field among others. */
export function callsNote(outputs: readonly Field[]): string {
  const calls = outputs.find(({ type }) => type.kind === 'tool_calls')
  if (calls === undefined || outputs.length === 1) return ''
  return `To have tools run, write \`${calls.name}\` and leave out the fields that need their results; you are asked again with the results.`
}

/** Paragraphs, without the empty ones. */
export function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}
