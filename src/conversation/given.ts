// Reads the members of values that a program passes in, and says in an error which one is wrong, where, and what belongs there.
import { ToolwireError } from '../errors/error.js'
import { at, pointerName } from '../json/pointer.js'

export interface Members {
  readonly [key: string]: unknown
}
/** A value and where it stands. Its place is put into words only for an error. */
export interface Given {
  readonly value: unknown
  readonly parent?: Given
  readonly key?: string | number
}

/** The place as a JSON Pointer: `/messages/0/content`. */
function pathOf({ parent, key }: Given): string {
  const before = parent === undefined ? '' : pathOf(parent)
  return key === undefined ? before : at(before, key)
}

export function memberOf(parent: Given, members: Members, key: string): Given {
  return { value: members[key], parent, key }
}

/** Reads an object; an array is none. */
export function readObject(given: Given, expected = 'an object'): Members {
  const { value } = given
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  throw wrongValue(given, expected)
}

/** Calls back with each item of an array. */
export function eachItem(given: Given, expected: string, read: (item: Given) => void, remedy?: string): void {
  const { value } = given
  if (!Array.isArray(value)) throw wrongValue(given, expected, remedy)
  const list: readonly unknown[] = value
  for (let index = 0; index < list.length; index += 1) {
    read({ value: list[index], parent: given, key: index })
  }
}

/** Reads an array of strings. */
export function readStrings(given: Given): readonly string[] {
  const strings: string[] = []
  eachItem(given, 'an array of strings', (item) => strings.push(readString(item)))
  return strings
}

export function readString(given: Given): string {
  if (typeof given.value === 'string') return given.value
  throw wrongValue(given, 'a string')
}

/** Refuses a member that nothing here reads: it would disappear without a word. */
export function refuseUnknown(given: Given, members: Members, known: ReadonlySet<string>, what: string): void {
  for (const key of Object.keys(members)) {
    if (known.has(key) || members[key] === undefined) continue
    const remedy = 'remove it, or put a field of a provider into "extra"'
    throw invalidValue(memberOf(given, members, key), `is not a field of ${what}; ${remedy}`)
  }
}

export function wrongValue(given: Given, expected: string, remedy?: string): ToolwireError {
  const tail = remedy === undefined ? '' : `; ${remedy}`
  return invalidValue(given, `must be ${expected}, not ${describe(given.value)}${tail}`)
}

export function invalidValue(given: Given, problem: string): ToolwireError {
  const path = pathOf(given)
  const subject = path === '' ? 'the request' : pointerName(path)
  return new ToolwireError('invalid_request', `${subject} ${problem}`, { detail: { path } })
}

/** The kind of a value. The value itself only when it is a short word: a longer one may hold a secret. */
function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length <= 20 ? JSON.stringify(value) : 'a string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
