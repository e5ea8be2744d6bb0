// Tools in the inputs of a signature, as what is sent to a model; and calls in an answer, as the `tool_calls` field holds them.
import type { BrokenCall, ToolCall } from '../conversation/messages.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { shortHash } from '../json/digest.js'
import { displayJson } from '../json/display.js'
import { isJsonObject, parseJson } from '../json/parse.js'
import { stringifyJson } from '../json/stringify.js'
import type { Value, ValueObject } from '../json/types.js'
import { argsOf } from '../tools/arguments.js'
import { importTool } from '../tools/import-tool.js'
import type { AnyTool } from '../tools/tool.js'
import { callsFieldOf, type Field, isToolField, type SignatureData } from './field.js'
import type { CallValue } from './infer.js'

/** All tools of all tool fields, in order. Throws `invalid_tool_spec` or `invalid_tool_fields` naming the field. */
export function toolsIn(signature: SignatureData, inputs: ReadonlyMap<string, unknown>): readonly AnyTool[] {
  const tools: AnyTool[] = []
  for (const field of signature.inputs.filter(isToolField)) {
    const value = inputs.get(field.name)
    if (value === undefined) continue
    for (const [index, item] of itemsOf(field, value).entries()) {
      const tool = toolOf(field, index, item)
      if (tools.some((other) => other.name === tool.name)) {
        throw fieldError(field, `holds a second tool called "${tool.name}"`, 'give each tool a name of its own')
      }
      tools.push(tool)
    }
  }
  const calls = callsFieldOf(signature)
  if (calls !== undefined && !signature.inputs.some(isToolField)) {
    throw fieldError(calls, 'asks for tool calls, but no input has tools', 'add an input like tools: tools')
  }
  if (calls !== undefined && !calls.optional && tools.length === 0) {
    throw fieldError(calls, 'asks for tool calls, but no tool was given', `give a tool, or write ${calls.name}?`)
  }
  return tools
}

function itemsOf(field: Field, value: unknown): readonly unknown[] {
  if (field.type.kind === 'tool') return [value]
  if (Array.isArray(value)) return value
  const list: unknown = typeof value === 'object' && value !== null && 'list' in value ? value.list : undefined
  if (typeof list === 'function') return (value as { list(): readonly unknown[] }).list()
  throw fieldError(
    field,
    `is not a list of tools but ${displayJson(value).slice(0, 80)}`,
    'give a list or a ToolRegistry',
  )
}

function toolOf(field: Field, index: number, item: unknown): AnyTool {
  if (isTool(item)) return item
  try {
    return importTool(item).tool
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    const place = field.type.kind === 'tool' ? '' : `[${index}]`
    throw new ToolwireError(error.code, `the field "${field.name}${place}" holds no usable tool: ${error.message}`, {
      detail: { ...error.detail, field: field.name, index },
      cause: error,
    })
  }
}

function isTool(item: unknown): item is AnyTool {
  if (typeof item !== 'object' || item === null) return false
  const { name, spec, checkInput, execute } = item as Partial<AnyTool>
  return (
    typeof name === 'string' &&
    typeof spec === 'object' &&
    [checkInput, execute].every((part) => typeof part === 'function')
  )
}

export function fieldError(field: Field, problem: string, advice: string): ToolwireError {
  return new ToolwireError('invalid_tool_fields', `the field "${field.name}" ${problem}; ${advice}`, {
    detail: { field: field.name },
  })
}

/** The calls a provider gave as such. A broken one is an error with its text, never a call without arguments. */
export function structuredCalls(response: CompletionResponse, field: Field): readonly CallValue[] {
  const [broken] = response.brokenCalls
  if (broken !== undefined) throw brokenError(broken, field)
  return response.toolCalls.map((call) => ({ id: call.id, name: call.name, args: argsFor(call, field) }))
}

function argsFor(call: ToolCall, field: Field): ValueObject {
  try {
    return argsOf(call)
  } catch (error) {
    throw malformed(
      field,
      call.name,
      call.arguments,
      error instanceof Error ? error.message : 'they cannot be read',
      error,
    )
  }
}

function brokenError(call: BrokenCall, field: Field): ToolwireError {
  const why = {
    truncated: 'they were cut off',
    malformed: 'they are not JSON',
    not_an_object: 'they are no object',
    no_name: 'the call names no tool',
  }
  return malformed(field, call.name, call.arguments, why[call.reason])
}

function malformed(field: Field, tool: string, text: string, why: string, cause?: unknown): ToolwireError {
  return new ToolwireError(
    'malformed_arguments',
    `the field "${field.name}" has a call to "${tool}" whose arguments cannot be used: ${why}\nRaw text: ${text}`,
    { detail: { field: field.name, tool, arguments: text, reason: why }, cause },
  )
}

/**
 * Calls that a model wrote as text, in any of the shapes models use: a list or one call, bare or as `{ tool_calls }`, with
 * `args` or `arguments`, as a value or a text, bare or under `function`. Ids that are missing or repeated are made from `seed`.
 */
export function writtenCalls(field: Field, value: unknown, seed: string): readonly CallValue[] {
  const wrapped = isJsonObject(value) ? (own(value, 'tool_calls') ?? own(value, field.name)) : undefined
  const list: unknown = wrapped ?? value
  if (list === null) return []
  const items: readonly unknown[] = Array.isArray(list) ? list : [list]
  const seen = new Set<string>()
  return items.map((item, index) => {
    const call = writtenCall(field, item)
    const id = call.id === '' || seen.has(call.id) ? `call_${shortHash(`${seed} ${index}`)}` : call.id
    seen.add(id)
    return { ...call, id }
  })
}

function writtenCall(field: Field, item: unknown): CallValue {
  const text = displayJson(item)
  if (!isJsonObject(item)) throw malformed(field, '', text, 'it is not a call { name, args }')
  const inner = own(item, 'function')
  const call = isJsonObject(inner) ? inner : item
  const name = own(call, 'name')
  const id = own(item, 'call_id') ?? own(item, 'id')
  if (typeof name !== 'string' || name === '') throw malformed(field, '', text, 'the call names no tool')
  return {
    id: typeof id === 'string' ? id : '',
    name,
    args: writtenArgs(field, name, own(call, 'args') ?? own(call, 'arguments')),
  }
}

function writtenArgs(field: Field, name: string, given: unknown): ValueObject {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'string') {
    if (isJsonObject(given)) return given as ValueObject
    throw malformed(field, name, displayJson(given), 'they are no object')
  }
  if (given.trim() === '') return {}
  let value: Value
  try {
    value = parseJson(given)
  } catch (error) {
    throw malformed(field, name, given, 'they are not JSON', error)
  }
  if (isJsonObject(value)) return value as ValueObject
  throw malformed(field, name, given, 'they are no object')
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as { readonly [key: string]: unknown })[key] : undefined
}

/** A value of a `tool_calls` field as the calls of a message. */
export function callParts(calls: readonly CallValue[]): readonly ToolCall[] {
  return calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: stringifyJson(args) }))
}
