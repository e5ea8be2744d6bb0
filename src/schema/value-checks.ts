// The keywords that hold for every kind of value: `type`, `const` and `enum`.
import type { Json, JsonObject } from '../json/types.js'
import { memberTest } from './equality.js'
import { listed, shown } from './messages.js'
import { type Check, fail, failTypes, isObject } from './run.js'

export function valueChecks(schema: JsonObject): readonly Check[] {
  const checks: Check[] = []
  if (schema.type !== undefined) checks.push(typeCheck(schema.type))
  if (schema.const !== undefined) checks.push(memberCheck([schema.const], () => `must be ${shown(schema.const)}`))
  if (Array.isArray(schema.enum)) {
    const members: readonly Json[] = schema.enum
    checks.push(memberCheck(members, () => `must be one of ${listed(members)}`))
  }
  return checks
}

function memberCheck(members: readonly Json[], write: () => string): Check {
  const isMember = memberTest(members)
  let text: string | undefined
  return (value, run) => {
    if (isMember(value, run.meter)) return true
    // The members may be large: they are written out once, and only when somebody reads it.
    if (run.sink !== undefined) text ??= write()
    return fail(run, text ?? '')
  }
}

function typeCheck(type: Json): Check {
  const names = (Array.isArray(type) ? type : [type]).map(String)
  const [only] = names
  const test = names.length === 1 && only !== undefined ? testOf(only) : anyTest(names.map(testOf))
  return (value, run) => test(value) || failTypes(run, names)
}

function anyTest(tests: readonly ((value: unknown) => boolean)[]): (value: unknown) => boolean {
  return (value) => tests.some((test) => test(value))
}

/** A bigint stands for an integer that a number cannot hold. */
function testOf(name: string): (value: unknown) => boolean {
  switch (name) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => Number.isFinite(value) || typeof value === 'bigint'
    case 'integer':
      return (value) => Number.isInteger(value) || typeof value === 'bigint'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'null':
      return (value) => value === null
    case 'array':
      return Array.isArray
    default:
      return isObject
  }
}
