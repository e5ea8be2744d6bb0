// The keywords that hold for every kind of value: `type`, `const` and `enum`.
import type { Json, JsonObject } from '../json/types.js'
import { isListed } from './arrays.js'
import { fewMembers, memberTest } from './equality.js'
import { listed, shown } from './messages.js'
import { isMembered } from './objects.js'
import { type Check, fail, failTypes, isObject } from './run.js'

export function valueChecks(schema: JsonObject, checks: Check[]): void {
  const { type, enum: members } = schema
  const words = wordsOf(schema)
  const isTold = words !== undefined || isMembered(schema) || isListed(schema)
  if (type !== undefined && !isTold) checks.push(typeCheck(type))
  if (schema.const !== undefined) checks.push(memberCheck([schema.const], () => `must be ${shown(schema.const)}`))
  if (Array.isArray(members)) {
    const check = memberCheck(members, () => `must be one of ${listed(members)}`)
    checks.push(words === undefined ? check : wordCheck(words, check))
  }
}

/** The few words that a schema lists which says `string`: then their check tells the kind of the value too. */
function wordsOf({ type, enum: members }: JsonObject): readonly Json[] | undefined {
  if (type !== 'string' || !Array.isArray(members) || members.length > fewMembers) return undefined
  return members.every((member) => typeof member === 'string') ? members : undefined
}

function wordCheck(words: readonly Json[], check: Check): Check {
  return (value, run) => {
    for (let index = 0; index < words.length; index++) if (words[index] === value) return true
    if (typeof value !== 'string') failTypes(run, stringKind)
    return check(value, run)
  }
}

const stringKind = ['string']

function memberCheck(members: readonly Json[], write: () => string): Check {
  const isMember = memberTest(members)
  let text: string | undefined
  return (value, run) => {
    if (isMember(value, run)) return true
    // The members may be large: they are written out once, and only when somebody reads it.
    if (run.sink !== undefined) text ??= write()
    return fail(run, text ?? '')
  }
}

function typeCheck(type: Json): Check {
  const names = (Array.isArray(type) ? type : [type]).map(String)
  const [only] = names
  return names.length === 1 && only !== undefined ? oneType(only, names) : anyType(names)
}

function anyType(names: readonly string[]): Check {
  const checks = names.map((name) => oneType(name, []))
  return (value, run) => {
    for (const check of checks) if (check(value, run)) return true
    return failTypes(run, names)
  }
}

/** One closure per type, so that each stays small enough to be inlined. A bigint stands for an integer that a number cannot hold. */
function oneType(name: string, names: readonly string[]): Check {
  switch (name) {
    case 'string':
      return (value, run) => typeof value === 'string' || failTypes(run, names)
    case 'number':
      return (value, run) => Number.isFinite(value) || typeof value === 'bigint' || failTypes(run, names)
    case 'integer':
      return (value, run) => Number.isInteger(value) || typeof value === 'bigint' || failTypes(run, names)
    case 'boolean':
      return (value, run) => typeof value === 'boolean' || failTypes(run, names)
    case 'null':
      return (value, run) => value === null || failTypes(run, names)
    case 'array':
      return (value, run) => Array.isArray(value) || failTypes(run, names)
    default:
      return (value, run) => isObject(value) || failTypes(run, names)
  }
}
