// Inputs and demos as they come from a program: every field named, of its type, and nothing else.
import { ToolwireError } from '../errors/error.js'
import { issueText } from '../schema/issue.js'
import type { Field, SignatureData } from './field.js'
import { nearest } from './syntax-error.js'
import { checkPlain } from './values.js'

/** The inputs by name, checked. Throws `misuse` naming the field. Standard Schemas are checked on outputs only. */
export function checkInputs(signature: SignatureData, inputs: object): ReadonlyMap<string, unknown> {
  const values = entriesOf(inputs, 'the inputs')
  for (const name of values.keys()) {
    if (signature.inputs.some((field) => field.name === name)) continue
    const meant = nearest(
      name,
      signature.inputs.map((field) => field.name),
    )
    const advice =
      meant === undefined
        ? `it has ${signature.inputs.map((field) => field.name).join(', ')}`
        : `did you mean "${meant}"?`
    throw new ToolwireError('misuse', `the signature has no input "${name}"; ${advice}`, { detail: { field: name } })
  }
  for (const field of signature.inputs) {
    const value = values.get(field.name)
    if (value !== undefined) checkValue(field, value)
    else if (!field.optional) {
      throw new ToolwireError(
        'misuse',
        `the input "${field.name}" is missing; give it, or write ${field.name}? in the signature`,
        {
          detail: { field: field.name },
        },
      )
    }
  }
  return values
}

/** Values of some fields, as demos and histories give them. */
export function checkValues(fields: readonly Field[], given: object, what: string): ReadonlyMap<string, unknown> {
  const values = entriesOf(given, what)
  for (const field of fields) {
    const value = values.get(field.name)
    if (value !== undefined) checkValue(field, value)
  }
  return values
}

function checkValue(field: Field, value: unknown): void {
  const issues = checkPlain(field, value)
  if (issues.length === 0) return
  const advice = value instanceof Date ? '; write date.toISOString(), or its first ten characters for a date' : ''
  throw new ToolwireError('misuse', `the value of "${field.name}" cannot be used: ${issueText(issues)}${advice}`, {
    detail: { field: field.name },
  })
}

function entriesOf(value: object, what: string): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ToolwireError('misuse', `${what} must be an object with one member for each field`)
  }
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined))
}
