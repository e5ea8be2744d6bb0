// Stored conversations, read as hostile data: each message is copied field by field into what the types say, and nothing else
// gets through. The trap: a copy by spread or assignment would let a stored `__proto__` reach a prototype.
import { ToolwireError } from '../errors/error.js'
import { freeze, isFrozen } from './freeze.js'
import { at } from './losses.js'
import type {
  AssistantPart,
  BrokenReason,
  Message,
  ResultPart,
  TextPart,
  ToolErrorCategory,
  ToolFailure,
  ToolResult,
  UserPart,
} from './messages.js'
import { toolErrorCategories } from './messages.js'
import {
  argumentsAt,
  extraAt,
  type Field,
  fieldsAt,
  jsonAt,
  listAt,
  oneOf,
  opaqueAt,
  originAt,
  type Reading,
  refuse,
  startReading,
  storedLimits,
  textAt,
} from './stored-fields.js'

const brokenReasons: readonly BrokenReason[] = ['truncated', 'malformed', 'not_an_object', 'no_name']
const plainParts = ['text'] as const
const userParts = ['text', 'image', 'file', 'opaque'] as const
const assistantParts = ['text', 'reasoning', 'tool_call', 'broken_call', 'opaque'] as const

/**
 * The messages of a stored conversation, frozen: a list as `Conversation.toJSON` gives it. Anything else is refused with
 * `invalid_request` that names the place, or `limit_exceeded`.
 */
export function decodeConversation(json: unknown): readonly Message[] {
  return readable('', () => {
    const list = listAt(json, '', storedLimits.messages)
    return list.map((item, index) => decodeMessage(item, at('', index)))
  })
}

/** One message, copied and frozen. A message the library froze itself is given back as it is. */
export function decodeMessage(json: unknown, path = ''): Message {
  if (typeof json === 'object' && json !== null && isFrozen(json)) return json as Message
  return readable(path, () => freeze(messageAt(json, path, startReading())))
}

/** One tool result, copied and frozen, as a journal or a saved run holds it. */
export function decodeResult(json: unknown, path = ''): ToolResult {
  if (typeof json === 'object' && json !== null && isFrozen(json)) return json as ToolResult
  return readable(path, () => freeze(resultAt(json, path, startReading())))
}

/** Turns what hostile getters and revoked proxies throw into the one error of this file. */
function readable<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (ToolwireError.is(error)) throw error
    throw new ToolwireError(
      'invalid_request',
      `the stored conversation cannot be read at "${path}"; it is not plain JSON`,
      {
        detail: { path },
        cause: error,
      },
    )
  }
}

function messageAt(json: unknown, path: string, reading: Reading): Message {
  const fields = fieldsAt(json, path)
  const role = oneOf(fields.take('role'), ['system', 'user', 'assistant', 'tool'] as const)
  const extra = extraAt(fields.take('extra'), reading)
  const content = role === 'tool' ? fields.take('results') : fields.take('content')
  const origin = role === 'assistant' ? fields.take('origin') : undefined
  fields.end()
  const list = listAt(content.value, content.path, storedLimits.parts)
  const each = <T>(read: (json: unknown, path: string, reading: Reading) => T): T[] =>
    list.map((item, index) => read(item, at(content.path, index), reading))
  switch (role) {
    case 'system':
      return { role, content: each((item, place) => partAt(item, place, reading, plainParts)) as TextPart[], ...extra }
    case 'user':
      return { role, content: each((item, place) => partAt(item, place, reading, userParts)) as UserPart[], ...extra }
    case 'assistant': {
      const parts = each((item, place) => partAt(item, place, reading, assistantParts)) as AssistantPart[]
      const from = origin?.value === undefined ? {} : { origin: originAt(origin, reading) }
      return { role, content: parts, ...from, ...extra }
    }
    case 'tool':
      return { role, results: each((item, place) => resultAt(item, place, startReading())), ...extra }
  }
}

function partAt(json: unknown, path: string, reading: Reading, allowed: readonly AnyPart['type'][]): AnyPart {
  const fields = fieldsAt(json, path)
  const type = oneOf(fields.take('type'), allowed)
  const text = (key: string): string => textAt(fields.take(key), reading)
  const optional = <K extends string>(key: K): { readonly [P in K]?: string } =>
    optionalText(key, fields.take(key), reading)
  const part = ((): AnyPart => {
    switch (type) {
      case 'text':
      case 'reasoning':
        return { type, text: text('text'), ...opaqueAt(fields.take('opaque'), reading) }
      case 'image':
        return { type, ...optional('url'), ...optional('mediaType'), ...optional('data') }
      case 'file':
        return { type, ...optional('url'), ...optional('mediaType'), ...optional('data'), ...optional('name') }
      case 'opaque':
        return { type, origin: originAt(fields.take('origin'), reading), data: jsonAt(fields.take('data'), reading) }
      case 'tool_call': {
        const call = {
          type,
          id: text('id'),
          name: text('name'),
          arguments: argumentsAt(fields.take('arguments'), reading),
        }
        const recovered = fields.take('recovered')
        if (recovered.value !== undefined && recovered.value !== true)
          return refuse(recovered, 'must be true or left out')
        const label = recovered.value === true ? { recovered: true as const } : {}
        return { ...call, ...opaqueAt(fields.take('opaque'), reading), ...label }
      }
      case 'broken_call': {
        const reason = oneOf(fields.take('reason'), brokenReasons)
        const call = { type, id: text('id'), name: text('name'), arguments: text('arguments'), reason }
        return { ...call, ...opaqueAt(fields.take('opaque'), reading) }
      }
    }
  })()
  const extra = type === 'opaque' ? {} : extraAt(fields.take('extra'), reading)
  fields.end()
  return { ...part, ...extra }
}
type AnyPart = AssistantPart | UserPart

function resultAt(json: unknown, path: string, reading: Reading): ToolResult {
  const fields = fieldsAt(json, path)
  const content = fields.take('content')
  const isError = fields.take('isError')
  const error = fields.take('error')
  const artifacts = fields.take('artifacts')
  const result = {
    callId: textAt(fields.take('callId'), reading),
    name: textAt(fields.take('name'), reading),
    content: listAt(content.value, content.path, storedLimits.parts).map((item, index) =>
      partAt(item, at(content.path, index), reading, userParts),
    ) as ResultPart[],
    isError: typeof isError.value === 'boolean' ? isError.value : refuse(isError, 'must be true or false'),
    ...(error.value === undefined ? {} : { error: failureAt(error, reading) }),
    ...(artifacts.value === undefined ? {} : { artifacts: jsonAt(artifacts, reading) }),
    ...extraAt(fields.take('extra'), reading),
  }
  fields.end()
  return result
}

function failureAt(field: Field, reading: Reading): ToolFailure {
  const fields = fieldsAt(field.value, field.path)
  const category = oneOf<ToolErrorCategory>(fields.take('category'), toolErrorCategories)
  const message = textAt(fields.take('message'), reading)
  const details = fields.take('details')
  fields.end()
  if (details.value === undefined) return { category, message }
  const entries = fieldsAt(details.value, details.path).all()
  return {
    category,
    message,
    details: Object.fromEntries(entries.map(([key, value]) => [key, textAt(value, reading)])),
  }
}

function optionalText<K extends string>(key: K, field: Field, reading: Reading): { readonly [P in K]?: string } {
  return (field.value === undefined ? {} : { [key]: textAt(field, reading) }) as { readonly [P in K]?: string }
}
