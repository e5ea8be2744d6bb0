// The types of the signature language: a name, constraints in parentheses, and `[]` for lists.
import { isJsonObject, parseBody } from '../json/parse.js'
import { checkSchema } from '../schema/check.js'
import { linearPattern } from '../schema/pattern.js'
import type { Field, FieldType, TextFormat } from './field.js'
import type { Scanner } from './scanner.js'
import { nearest } from './syntax-error.js'

const plainKinds = ['string', 'number', 'integer', 'boolean', 'date', 'datetime', 'json'] as const
const toolKinds = ['tool', 'tools', 'tool_calls', 'history'] as const
export const typeNames: readonly string[] = [...plainKinds, 'class', 'object', 'schema', ...toolKinds]

/** Names from other languages, and what they are called here. */
const foreignNames: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['list', 'string[]'],
  ['array', 'string[]'],
  ['dict', 'object'],
  ['any', 'json'],
  ['enum', 'class "a, b"'],
  ['literal', 'class "a, b"'],
  ['url', 'string(format uri)'],
  ['email', 'string(format email)'],
  ['toolcalls', 'tool_calls'],
])
const deepestList = 8
const formats: readonly TextFormat[] = ['email', 'uri']

type Constraints = { min?: number; max?: number; pattern?: string; format?: TextFormat }
type FieldsParser = (scanner: Scanner, depth: number) => readonly Field[]

/** One type with everything behind it that belongs to it. `fields` reads the members of an object. */
export function parseType(scanner: Scanner, depth: number, fields: FieldsParser): FieldType {
  const at = scanner.skip()
  let type = namedType(scanner, depth, fields)
  for (let lists = 1; scanner.sees('['); lists += 1) {
    const bracket = scanner.skip()
    if (lists > deepestList) scanner.fail(`lists nest deeper than ${deepestList} levels`, bracket, 'use json')
    if (!scanner.take('[]'))
      scanner.fail('this bracket begins no list', bracket, 'write [] behind the type of the items')
    if (type.kind === 'tool') scanner.fail('a list of tools has a type of its own', at, 'write tools')
    if (isToolKind(type.kind)) scanner.fail(`${type.kind} cannot be the items of a list`, at, 'leave out []')
    type = { kind: 'list', items: type, ...constraintsOf(scanner, 'list', ['min', 'max']) }
  }
  return type
}

function isToolKind(kind: string): boolean {
  return toolKinds.some((known) => known === kind)
}

function namedType(scanner: Scanner, depth: number, fields: FieldsParser): FieldType {
  const at = scanner.skip()
  const name = scanner.word()
  switch (name) {
    case '':
      return scanner.fail('a type is missing here', at, `use one of ${typeNames.join(', ')}`)
    case 'string':
      return { kind: name, ...constraintsOf(scanner, name, ['min', 'max', 'pattern', 'format']) }
    case 'number':
    case 'integer':
      return { kind: name, ...constraintsOf(scanner, name, ['min', 'max']) }
    case 'boolean':
    case 'date':
    case 'datetime':
    case 'json':
    case 'tool':
    case 'tools':
    case 'tool_calls':
    case 'history':
      constraintsOf(scanner, name, [])
      return { kind: name }
    case 'class':
      return { kind: name, values: classValues(scanner) }
    case 'object':
      return objectType(scanner, depth, fields)
    case 'schema':
      return schemaType(scanner)
    default: {
      const meant = foreignNames.get(name.toLowerCase()) ?? nearest(name, typeNames)
      const advice = meant === undefined ? `use one of ${typeNames.join(', ')}` : `did you mean ${meant}?`
      return scanner.fail(`there is no type ${JSON.stringify(name)}`, at, advice)
    }
  }
}

function objectType(scanner: Scanner, depth: number, fields: FieldsParser): FieldType {
  const at = scanner.skip()
  if (!scanner.take('{')) return { kind: 'object' }
  const members = fields(scanner, depth + 1)
  if (!scanner.take('}')) {
    if (scanner.atEnd) scanner.fail('this object is never closed', at, 'add a }')
    scanner.fail(
      `${scanner.shown()} is not expected in an object`,
      undefined,
      'separate fields by commas and close with }',
    )
  }
  return { kind: 'object', fields: members }
}

function schemaType(scanner: Scanner): FieldType {
  const at = scanner.skip()
  const text = scanner.quoted('the JSON Schema')
  let schema: unknown
  try {
    schema = parseBody(text)
  } catch {
    scanner.fail('the JSON Schema is not JSON', at)
  }
  if (!isJsonObject(schema)) return scanner.fail('the JSON Schema is not an object', at)
  const problem = checkSchema(schema, { root: 'any', level: 'strict' })
  if (problem !== undefined) scanner.fail(`the JSON Schema cannot be used: ${problem.message}`, at)
  return { kind: 'schema', schema }
}

/** `class "a, b"`, `class "a | b"`, or one by one: `class("a", "b")`. */
function classValues(scanner: Scanner): readonly string[] {
  const at = scanner.skip()
  const values: string[] = []
  if (scanner.take('(')) {
    do values.push(scanner.quoted('a value of the class'))
    while (scanner.take(','))
    if (!scanner.take(')')) scanner.fail('this list of values is never closed', at, 'add a )')
  } else {
    const text = scanner.quoted('the list of values')
    values.push(...text.split(text.includes('|') ? '|' : ',').map((value) => value.trim()))
    if (values.includes('')) scanner.fail('a value of the class is empty', at, 'write class "a, b"')
  }
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) scanner.fail(`the class has the value ${JSON.stringify(twice)} twice`, at)
  return values
}

function constraintsOf(scanner: Scanner, kind: string, allowed: readonly (keyof Constraints)[]): Constraints {
  const at = scanner.skip()
  const found: Constraints = {}
  if (!scanner.take('(')) return found
  do readConstraint(scanner, kind, allowed, found)
  while (scanner.take(','))
  if (!scanner.take(')')) {
    if (scanner.atEnd) scanner.fail('these constraints are never closed', at, 'add a )')
    scanner.fail(`${scanner.shown()} is not expected in constraints`, undefined, 'separate them by commas')
  }
  if (found.min !== undefined && found.max !== undefined && found.min > found.max) {
    scanner.fail(`min ${found.min} is above max ${found.max}`, at)
  }
  return found
}

const constraintNames = ['min', 'max', 'pattern', 'format'] as const

function readConstraint(
  scanner: Scanner,
  kind: string,
  allowed: readonly (keyof Constraints)[],
  found: Constraints,
): void {
  const at = scanner.skip()
  const word = scanner.word()
  if (word === '') scanner.fail('a constraint is missing here', at, 'write for example (min 1, max 10)')
  const name = constraintNames.find((known) => known === word)
  if (name === undefined) {
    const meant = nearest(word, constraintNames)
    const advice = meant === undefined ? `use ${constraintNames.join(', ')}` : `did you mean ${meant}?`
    scanner.fail(`there is no constraint ${JSON.stringify(word)}`, at, advice)
  }
  if (!allowed.includes(name)) {
    const advice = allowed.length === 0 ? `${kind} takes no constraints` : `${kind} takes ${allowed.join(', ')}`
    scanner.fail(`${name} does not apply to ${kind}`, at, advice)
  }
  if (found[name] !== undefined) scanner.fail(`${name} is given twice`, at)
  readValue(scanner, kind, name, found)
}

function readValue(scanner: Scanner, kind: string, name: keyof Constraints, found: Constraints): void {
  const at = scanner.skip()
  switch (name) {
    case 'min':
    case 'max': {
      const value = scanner.number()
      const isCount = kind === 'string' || kind === 'list'
      if (isCount && !(Number.isSafeInteger(value) && value >= 0)) {
        scanner.fail(`${name} of a ${kind} must be a whole number from 0 on`, at)
      }
      found[name] = value
      return
    }
    case 'pattern': {
      const pattern = scanner.quoted('the pattern')
      if (linearPattern(pattern) === undefined) {
        scanner.fail(
          'the pattern is no regular expression of linear time',
          at,
          'leave out look-around and back-references',
        )
      }
      found.pattern = pattern
      return
    }
    case 'format': {
      const word = scanner.word()
      const format = formats.find((known) => known === word)
      if (format === undefined) scanner.fail(`there is no format ${JSON.stringify(word)}`, at, 'use email or uri')
      found.format = format
      return
    }
  }
}
