// Arithmetic from text, exactly: + - * / % ^ and parentheses over decimals. Own parser, never `eval`. Trap: `9^9^9` would fill
// the memory, so the size of a power is estimated before it is computed.
import { ToolExecutionError } from '../conversation/tool-error.js'
import {
  add,
  type DecimalText,
  decimalFraction,
  decimalText,
  divide,
  type Fraction,
  multiply,
  negate,
  remainder,
} from './fraction.js'

const maxCharacters = 1_000
const maxDepth = 60
const maxDigits = 5_000
const token =
  /\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4}(?!\d))?|\*\*|[-+*/%^()]/y

interface Cursor {
  readonly expression: string
  readonly tokens: readonly string[]
  index: number
  depth: number
}

/** The value of the expression, exact or rounded to `places` decimals. Throws a `ToolExecutionError` that says what is wrong. */
export function calculate(expression: string, places: number): DecimalText {
  if (expression.length > maxCharacters) {
    throw refusal(expression, `it has ${expression.length} characters; the most is ${maxCharacters}`)
  }
  const cursor: Cursor = { expression, tokens: tokensOf(expression), index: 0, depth: 0 }
  const value = sum(cursor)
  const left = cursor.tokens[cursor.index]
  if (left !== undefined) throw refusal(expression, `"${left}" was not expected`)
  return decimalText(value, places)
}

function tokensOf(expression: string): readonly string[] {
  const text = expression.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-')
  const tokens: string[] = []
  let index = 0
  while (index < text.length) {
    if (/\s/.test(text[index] ?? '')) {
      index += 1
      continue
    }
    token.lastIndex = index
    const match = token.exec(text)
    if (match === null) throw refusal(expression, `"${text[index]}" is not part of arithmetic`)
    tokens.push(match[0] === '**' ? '^' : match[0].replaceAll(',', ''))
    index = token.lastIndex
  }
  return tokens
}

function sum(cursor: Cursor): Fraction {
  let value = product(cursor)
  for (;;) {
    if (take(cursor, '+')) value = sized(cursor, add(value, product(cursor)))
    else if (take(cursor, '-')) value = sized(cursor, add(value, negate(product(cursor))))
    else return value
  }
}

function product(cursor: Cursor): Fraction {
  let value = signed(cursor)
  for (;;) {
    if (take(cursor, '*')) value = sized(cursor, multiply(value, signed(cursor)))
    else if (take(cursor, '/')) value = sized(cursor, divide(value, nonZero(cursor, signed(cursor))))
    else if (take(cursor, '%')) value = remainder(value, nonZero(cursor, signed(cursor)))
    else return value
  }
}

/** A sign binds weaker than a power: -2^2 is -4. */
function signed(cursor: Cursor): Fraction {
  return nested(cursor, () => {
    if (take(cursor, '-')) return negate(signed(cursor))
    return take(cursor, '+') ? signed(cursor) : power(cursor)
  })
}

function power(cursor: Cursor): Fraction {
  const base = operand(cursor)
  if (!take(cursor, '^')) return base
  const exponent = signed(cursor) // to the right: 2^3^2 is 2^9
  if (exponent.under !== 1n) throw refusal(cursor.expression, 'only whole exponents are exact; a root is not')
  const size = exponent.over < 0n ? -exponent.over : exponent.over
  const digits = Math.max(String(base.over).length, String(base.under).length)
  if (size > BigInt(maxDigits) * 4n || digits * Number(size) > maxDigits * 4) throw tooLarge(cursor)
  const raised = sized(cursor, { over: base.over ** size, under: base.under ** size })
  return exponent.over < 0n ? divide({ over: 1n, under: 1n }, nonZero(cursor, raised)) : raised
}

function operand(cursor: Cursor): Fraction {
  if (take(cursor, '(')) {
    const value = nested(cursor, () => sum(cursor))
    if (!take(cursor, ')')) throw refusal(cursor.expression, 'a parenthesis is not closed')
    return value
  }
  const text = cursor.tokens[cursor.index]
  if (text === undefined || !/^[\d.]/.test(text)) {
    throw refusal(cursor.expression, text === undefined ? 'it ends too early' : `a number must stand before "${text}"`)
  }
  cursor.index += 1
  return sized(cursor, decimalFraction(text.startsWith('.') ? `0${text}` : text))
}

function nested(cursor: Cursor, read: () => Fraction): Fraction {
  cursor.depth += 1
  if (cursor.depth > maxDepth) throw refusal(cursor.expression, `it nests deeper than ${maxDepth} levels`)
  const value = read()
  cursor.depth -= 1
  return value
}

function take(cursor: Cursor, expected: string): boolean {
  if (cursor.tokens[cursor.index] !== expected) return false
  cursor.index += 1
  return true
}

function nonZero(cursor: Cursor, value: Fraction): Fraction {
  if (value.over === 0n) throw refusal(cursor.expression, 'it divides by zero')
  return value
}

function sized(cursor: Cursor, value: Fraction): Fraction {
  const bits = BigInt(Math.ceil(maxDigits / Math.log10(2)))
  const magnitude = value.over < 0n ? -value.over : value.over
  if (magnitude >> bits !== 0n || value.under >> bits !== 0n) throw tooLarge(cursor)
  return value
}

function tooLarge(cursor: Cursor): ToolExecutionError {
  return refusal(cursor.expression, `its value has more than about ${maxDigits} digits`)
}

function refusal(expression: string, why: string): ToolExecutionError {
  const shown = expression.length > 80 ? `${expression.slice(0, 80)}…` : expression
  return new ToolExecutionError('invalid_arguments', `cannot calculate "${shown}": ${why}; use + - * / % ^ and ( )`)
}
