// A request from outside (a file, a pipe), read as hostile data field by field.
import { at } from './losses.js'
import type { CompletionRequest, OpaqueTool, OutputSpec, ReasoningSpec, ToolChoice, ToolSpec } from './request.js'
import { decodeMessage } from './stored.js'
import {
  extraAt,
  type Field,
  fieldsAt,
  jsonAt,
  listAt,
  oneOf,
  originAt,
  type Reading,
  refuse,
  startReading,
  storedLimits,
  textAt,
} from './stored-fields.js'

/** The request a JSON value holds. Anything else is refused with `invalid_request` that names the place. */
export function decodeRequest(json: unknown): CompletionRequest {
  const reading = startReading()
  const fields = fieldsAt(json, '')
  const messages = fields.take('messages')
  const request: CompletionRequest = {
    model: textAt(fields.take('model'), reading),
    messages: listAt(messages.value, messages.path, storedLimits.messages).map((item, index) =>
      decodeMessage(item, at(messages.path, index)),
    ),
    ...optional('tools', fields.take('tools'), (field) => toolsAt(field, reading)),
    ...optional('toolChoice', fields.take('toolChoice'), (field) => choiceAt(field, reading)),
    ...optional('parallelToolCalls', fields.take('parallelToolCalls'), booleanAt),
    ...optional('output', fields.take('output'), (field) => outputAt(field, reading)),
    ...optional('maxTokens', fields.take('maxTokens'), numberAt),
    ...optional('temperature', fields.take('temperature'), numberAt),
    ...optional('topP', fields.take('topP'), numberAt),
    ...optional('stop', fields.take('stop'), (field) => namesAt(field, reading)),
    ...optional('reasoning', fields.take('reasoning'), (field) => reasoningAt(field, reading)),
    ...extraAt(fields.take('extra'), reading),
  }
  fields.end()
  return request
}

function optional<K extends string, T>(key: K, field: Field, read: (field: Field) => T): { [P in K]?: T } {
  return field.value === undefined ? {} : ({ [key]: read(field) } as { [P in K]: T })
}

function toolsAt(field: Field, reading: Reading): readonly (ToolSpec | OpaqueTool)[] {
  return listAt(field.value, field.path, storedLimits.parts).map((item, index) =>
    toolAt(item, at(field.path, index), reading),
  )
}

function toolAt(json: unknown, path: string, reading: Reading): ToolSpec | OpaqueTool {
  const fields = fieldsAt(json, path)
  if (fields.take('type').value === 'opaque') {
    const tool: OpaqueTool = {
      type: 'opaque',
      origin: originAt(fields.take('origin'), reading),
      data: jsonAt(fields.take('data'), reading),
    }
    fields.end()
    return tool
  }
  const tool: ToolSpec = {
    name: textAt(fields.take('name'), reading),
    ...optional('description', fields.take('description'), (field) => textAt(field, reading)),
    ...optional('inputSchema', fields.take('inputSchema'), (field) => jsonAt(field, reading)),
    ...optional('strict', fields.take('strict'), booleanAt),
    ...extraAt(fields.take('extra'), reading),
  }
  fields.end()
  return tool
}

function choiceAt(field: Field, reading: Reading): ToolChoice {
  if (typeof field.value === 'string') return oneOf(field, ['auto', 'none', 'required'] as const)
  const fields = fieldsAt(field.value, field.path)
  const tool = fields.take('tool')
  const choice: ToolChoice =
    tool.value === undefined
      ? { allowed: namesAt(fields.take('allowed'), reading), mode: oneOf(fields.take('mode'), ['auto', 'required']) }
      : { tool: textAt(tool, reading) }
  fields.end()
  return choice
}

function outputAt(field: Field, reading: Reading): OutputSpec | 'json_object' {
  if (typeof field.value === 'string') return oneOf(field, ['json_object'] as const)
  const fields = fieldsAt(field.value, field.path)
  const output: OutputSpec = {
    schema: jsonAt(fields.take('schema'), reading),
    ...optional('name', fields.take('name'), (name) => textAt(name, reading)),
    ...optional('description', fields.take('description'), (text) => textAt(text, reading)),
    ...optional('strict', fields.take('strict'), booleanAt),
  }
  fields.end()
  return output
}

function reasoningAt(field: Field, reading: Reading): ReasoningSpec {
  const fields = fieldsAt(field.value, field.path)
  const reasoning: ReasoningSpec = {
    ...optional('effort', fields.take('effort'), (effort) => textAt(effort, reading)),
    ...optional('budgetTokens', fields.take('budgetTokens'), numberAt),
  }
  fields.end()
  return reasoning
}

function namesAt(field: Field, reading: Reading): readonly string[] {
  return listAt(field.value, field.path, storedLimits.parts).map((value, index) =>
    textAt({ value, path: at(field.path, index) }, reading),
  )
}

function numberAt(field: Field): number {
  return typeof field.value === 'number' && Number.isFinite(field.value)
    ? field.value
    : refuse(field, 'must be a number')
}

function booleanAt(field: Field): boolean {
  return typeof field.value === 'boolean' ? field.value : refuse(field, 'must be true or false')
}
