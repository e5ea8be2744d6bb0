// The signature language: `"instruction" inputs -> outputs`, each side a list of fields `name?!: type "description"`.
// Everything that is wrong is found here, with its place. The type-level reader in infer.ts follows the same grammar.
import type { Field, FieldType, SignatureData } from './field.js'
import { parseType } from './parse-type.js'
import { Scanner } from './scanner.js'
import { syntaxError } from './syntax-error.js'

const longestText = 100_000
const longestName = 64
const deepestObject = 8
/** Read by programs as something else, or by the chat format as its end. */
const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'completed'])

/** Throws `misuse` with `detail.position` and, where there is one, `detail.suggestion`. */
export function parseSignature(text: string): SignatureData {
  if (text.length > longestText) {
    throw syntaxError(text, longestText, `the signature has more than ${longestText} characters`)
  }
  const scanner = new Scanner(text)
  if (scanner.atEnd) scanner.fail('the signature is empty', 0, 'write for example question -> answer')
  const instruction = scanner.sees('"') ? scanner.quoted('the instruction') : ''
  const inputs = parseSide(scanner, 'input')
  if (!scanner.take('->')) missingArrow(scanner)
  const outputs = parseSide(scanner, 'output')
  if (scanner.sees('->')) scanner.fail('this is a second arrow', undefined, 'a signature has one ->')
  if (!scanner.atEnd) unexpected(scanner)
  checkFields(inputs, outputs, (index, problem, suggestion) => {
    throw syntaxError(text, scanner.places[index] ?? 0, problem, suggestion)
  })
  return { instruction, inputs, outputs }
}

/** The type of one field, as the builder takes it. */
export function parseFieldType(text: string): FieldType {
  const scanner = new Scanner(text)
  const type = parseType(scanner, 0, parseFields)
  if (!scanner.atEnd) unexpected(scanner)
  return type
}

function parseSide(scanner: Scanner, side: 'input' | 'output'): readonly Field[] {
  const at = scanner.skip()
  if (scanner.atEnd || scanner.sees('->')) {
    scanner.fail(`there is no ${side} field`, at, side === 'input' ? 'name one before ->' : 'name one behind ->')
  }
  return parseFields(scanner, 0)
}

function parseFields(scanner: Scanner, depth: number): readonly Field[] {
  if (depth > deepestObject) scanner.fail(`objects nest deeper than ${deepestObject} levels`, undefined, 'use json')
  const fields: Field[] = []
  do {
    const at = scanner.skip()
    const field = parseField(scanner, depth)
    if (depth > 0) checkMember(scanner, at, field, fields)
    else scanner.places.push(at)
    fields.push(field)
  } while (scanner.take(','))
  return fields
}

function parseField(scanner: Scanner, depth: number): Field {
  const name = parseName(scanner)
  const optional = scanner.takeAdjacent('?')
  const internal = scanner.takeAdjacent('!')
  if (scanner.text[scanner.index] === '?') {
    scanner.fail(optional ? 'this is a second ?' : 'the marks are in the wrong order', scanner.index, 'write ?!')
  }
  const type: FieldType = scanner.take(':') ? parseType(scanner, depth, parseFields) : { kind: 'string' }
  const description = scanner.sees('"') || scanner.sees("'") ? scanner.quoted('the description') : ''
  return { name, type, optional, internal, ...(description === '' ? {} : { description }) }
}

function parseName(scanner: Scanner): string {
  const at = scanner.skip()
  const name = scanner.word()
  if (name === '') scanner.fail(`a field name is missing: found ${scanner.shown(at)}`, at)
  const problem = nameProblem(name)
  if (problem !== undefined) scanner.fail(problem, at)
  return name
}

/** Why a field cannot have this name. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `the field name ${JSON.stringify(name)} does not begin with a letter`
  if (name.length > longestName) return `the field name has more than ${longestName} characters`
  return reservedNames.has(name) ? `the field name ${JSON.stringify(name)} is reserved` : undefined
}

function checkMember(scanner: Scanner, at: number, field: Field, before: readonly Field[]): void {
  const { name, type, internal } = field
  if (internal) scanner.fail('! is for outputs, not for members of an object', at, `write ${name}`)
  if (['tool', 'tools', 'tool_calls', 'history'].includes(type.kind)) {
    scanner.fail(`${type.kind} cannot be a member of an object`, at, 'make it a field of the signature')
  }
  if (before.some((other) => other.name === name))
    scanner.fail(`the object has the field ${JSON.stringify(name)} twice`, at)
}

type Refuse = (index: number, problem: string, suggestion?: string) => void

/** The rules over all fields. `refuse` is told the position among inputs, then outputs. */
export function checkFields(inputs: readonly Field[], outputs: readonly Field[], refuse: Refuse): void {
  const seen = new Map<string, 'input' | 'output'>()
  const once = new Set<string>()
  for (const [index, { name, type, internal }] of [...inputs, ...outputs].entries()) {
    const side = index < inputs.length ? 'input' : 'output'
    const other = seen.get(name)
    if (other !== undefined) {
      const problem =
        other === side
          ? `the ${side} ${JSON.stringify(name)} is there twice`
          : `${JSON.stringify(name)} is both an input and an output`
      refuse(index, problem, 'give each field a name of its own')
    }
    seen.set(name, side)
    if (internal && side === 'input') refuse(index, '! is for outputs, and this is an input', `write ${name}`)
    if (internal && type.kind === 'tool_calls') refuse(index, 'tool_calls cannot be internal', `write ${name}`)
    const wrongSide = side === 'input' ? ['tool_calls'] : ['tool', 'tools', 'history']
    if (wrongSide.includes(type.kind)) {
      refuse(index, `${type.kind} cannot be an ${side}`, `move it ${side === 'input' ? 'behind' : 'before'} ->`)
    }
    if (type.kind === 'tool_calls' || type.kind === 'history') {
      if (once.has(type.kind)) refuse(index, `there is a second field of the type ${type.kind}`, 'a signature has one')
      once.add(type.kind)
    }
  }
}

function missingArrow(scanner: Scanner): never {
  if (scanner.atEnd) scanner.fail('the arrow is missing', undefined, 'write inputs -> outputs')
  const isInName = /^[-.]\w/.test(scanner.text.slice(scanner.index)) && /\w/.test(scanner.text[scanner.index - 1] ?? '')
  if (isInName)
    scanner.fail(`${scanner.shown()} cannot be part of a field name`, undefined, 'use letters, digits and _')
  if (scanner.sees('=>') || scanner.sees('→') || scanner.sees('-')) {
    scanner.fail(`${scanner.shown()} is no arrow`, undefined, 'write ->')
  }
  return unexpected(scanner)
}

function unexpected(scanner: Scanner): never {
  const at = scanner.skip()
  const mark = scanner.text[at] ?? ''
  const advice = new Map([
    ['?', 'write it directly behind the name'],
    ['!', 'write it directly behind the name'],
    ['|', 'use json for a value of several types'],
    ['"', 'a field has one description'],
  ])
  const isWord = /\w/.test(mark)
  return scanner.fail(
    `${scanner.shown(at)} is not expected here`,
    at,
    isWord ? 'separate fields by commas' : advice.get(mark),
  )
}
