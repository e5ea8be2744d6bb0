// An answer in a schema: filled from the results and the words of the request as far as they go, the rest with empty values.

import { textOf } from '../conversation/messages.js'
import type { OutputSpec } from '../conversation/request.js'
import { isJsonObject } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { Json, JsonObject, Value, ValueObject } from '../json/types.js'
import { extract } from './extraction.js'
import { type Answered, parsed } from './history.js'
import { type Parameter, parameterOf, plainSchema, readingOf } from './parameters.js'
import { readPassage } from './passage.js'
import { toolWords } from './scoring.js'

/** JSON text of the schema's shape. */
export function structuredAnswer(output: OutputSpec, request: string, answered: readonly Answered[]): string {
  const name = output.name ?? 'answer'
  const schema = plainSchema(output.schema)
  const root = parameterOf(name, schema, true, readingOf(schema))
  const results = answered.filter(({ result }) => !result.isError).map(({ result }) => textOf(result.content))
  const values = results.flatMap((text) => parsed(text) ?? [])
  const text = [request, ...results.filter((result) => parsed(result) === undefined)].join('\n')
  const tool = toolWords({ name, inputSchema: { type: 'object', properties: { [name]: output.schema } } })
  const given = extract(readPassage(text), tool, [root]).args[name]
  return stringifyJson(
    complete(
      root,
      values.reduceRight((value: Value | undefined, result) => over(root, result, value), given),
    ),
  )
}

/** What a result says of the parameter, before what the words of the request say. */
function over(parameter: Parameter, result: Value, given: Value | undefined): Value | undefined {
  if (parameter.type !== 'object') return isOfType(parameter, result) ? result : given
  if (!isObject(result)) return given
  const base = isObject(given) ? given : {}
  const members = (parameter.members ?? []).flatMap((member): [string, Value][] => {
    const own = Object.hasOwn(result, member.name) ? result[member.name] : undefined
    const value = own === undefined ? base[member.name] : over(member, own, base[member.name])
    return value === undefined ? [] : [[member.name, value]]
  })
  return Object.fromEntries(members)
}

/** The value with every required member present. */
function complete(parameter: Parameter, given: Value | undefined): Value {
  if (parameter.type !== 'object') return given ?? emptyOf(parameter)
  const known = isObject(given) ? given : {}
  const members = (parameter.members ?? []).flatMap((member): [string, Value][] => {
    const own = Object.hasOwn(known, member.name) ? known[member.name] : undefined
    if (own === undefined && !member.required) return []
    return [[member.name, complete(member, own)]]
  })
  return Object.fromEntries(members)
}

/** What stands where nothing is known: the default, null where allowed, the first choice, else the empty value of the type. */
export function emptyOf(parameter: Parameter): Json {
  const { type, fallback, nullable, choices, minimum, maximum } = parameter
  if (fallback !== undefined) return fallback
  if (nullable) return null
  if (choices?.[0] !== undefined) return choices[0]
  switch (type) {
    case 'string':
      return ''
    case 'number':
    case 'integer':
      return Math.ceil(Math.min(Math.max(0, minimum ?? 0), maximum ?? Number.POSITIVE_INFINITY))
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return complete(parameter, undefined) as JsonObject
    case 'null':
      return null
  }
}

function isOfType({ type, choices }: Parameter, value: Value): boolean {
  if (choices !== undefined) return choices.some((choice) => choice === value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  return typeof value === type || (type === 'number' && typeof value === 'bigint')
}

function isObject(value: Value | undefined): value is ValueObject {
  return isJsonObject(value)
}
