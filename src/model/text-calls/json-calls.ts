// Calls written as JSON: an object with a name and arguments, a list of them, or arguments behind a name. Strict: what does not
// parse is no call.
import { isArgumentText } from '../../conversation/stored-fields.js'
import { isJsonObject, parseBody } from '../../json/parse.js'
import { valueEnd } from '../../json/scan.js'
import { rawSpans } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { Block, DeclaredTools, TextCall } from './text-call.js'

const nameKeys = ['name', 'tool_name', 'function'] as const
const argumentKeys = ['arguments', 'parameters'] as const
const otherKeys = new Set(['id', 'tool_call_id', 'call_id', 'type', 'index'])

/** The calls of the JSON value that begins at `from`: one, or a list of at least one. */
export function jsonCalls(text: string, from: number, tools: DeclaredTools): Block | undefined {
  const end = valueEnd(text, from)
  const raw = text.slice(from, end)
  const value = parsed(raw)
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [value]
  const prefix = Array.isArray(value) ? '/*' : ''
  const spans = rawSpans(raw, [...argumentKeys.map((key) => `${prefix}/${key}`), `${prefix}/function/arguments`])
  const calls = entries.flatMap((entry, index) => {
    const at = Array.isArray(value) ? `/${index}` : ''
    return isJsonObject(entry) ? (callOf(entry, at, spans, tools) ?? keyedCall(entry, tools) ?? []) : []
  })
  return calls.length === 0 || calls.length < entries.length ? undefined : { calls, end }
}

/** The arguments that begin at `from`, of a tool that was named before them. */
export function namedJsonCall(text: string, from: number, name: string, tools: DeclaredTools): Block | undefined {
  const end = valueEnd(text, from)
  const raw = text.slice(from, end)
  return tools.has(name) && isArgumentText(raw) ? { calls: [{ name, arguments: raw }], end } : undefined
}

function callOf(
  entry: JsonObject,
  at: string,
  spans: ReadonlyMap<string, string>,
  tools: DeclaredTools,
): TextCall | undefined {
  const { function: inner } = entry
  const isWrapped = isJsonObject(inner)
  const record = isWrapped ? inner : entry
  const nameKey = nameKeys.find((key) => typeof record[key] === 'string')
  const argumentKey = argumentKeys.find((key) => Object.hasOwn(record, key))
  const known = new Set<string | undefined>([nameKey, argumentKey])
  if (!Object.keys(record).every((key) => known.has(key) || otherKeys.has(key))) return undefined
  const name = nameKey === undefined ? undefined : record[nameKey]
  if (typeof name !== 'string' || argumentKey === undefined || !tools.has(name)) return undefined
  const value = record[argumentKey]
  // Some models write the arguments as a string of JSON.
  const raw = typeof value === 'string' ? value : spans.get(`${at}${isWrapped ? '/function' : ''}/${argumentKey}`)
  return raw !== undefined && isArgumentText(raw) ? { name, arguments: raw } : undefined
}

/** `{"get_weather": {"city": "Paris"}}`. */
function keyedCall(entry: JsonObject, tools: DeclaredTools): TextCall | undefined {
  const [name, ...more] = Object.keys(entry)
  if (name === undefined || more.length > 0 || !tools.has(name) || !isJsonObject(entry[name])) return undefined
  return { name, arguments: JSON.stringify(entry[name]) }
}

function parsed(raw: string): Json | undefined {
  try {
    return parseBody(raw)
  } catch {
    return undefined
  }
}
