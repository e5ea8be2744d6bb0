// Tools of OpenAI that take free text and are run by the client, such as Codex's apply_patch, on wires that have none: there each
// is a function of one text, and its calls reach the client as what they were. The trap: history has such calls, too.
import type { CompletionEvent } from '../conversation/events.js'
import { fold } from '../conversation/fold.js'
import { at, type Loss } from '../conversation/losses.js'
import type { AnyCall, AssistantPart, Message, ToolCall, ToolResult, Wire } from '../conversation/messages.js'
import type { OpaqueTool, ToolSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { awaitable, leavable } from '../model/awaitable.js'
import type { CallOptions, Model, ModelRequest } from '../model/model.js'
import { customNotes, isCustomCall } from '../wire/arguments.js'
import { leftover, noteOf } from '../wire/extra.js'
import type { GatewayCall } from './call.js'

/** The same call for a model on another wire, with a loss for each such tool; calls without them stay as they are. */
export function withCustomTools(call: GatewayCall): GatewayCall {
  const { request, chosen, decodingLosses, exchange } = call
  const { wire } = exchange
  const { tools = [] } = request
  if (!tools.some(({ type }) => type === 'opaque')) return call
  const specs = tools.map((tool) =>
    tool.type === 'opaque' && chosen.endpoint?.codec.wire !== wire ? specOf(tool) : undefined,
  )
  const names = new Set(specs.flatMap((spec) => (spec === undefined ? [] : [spec.name])))
  if (names.size === 0) return call
  const losses = specs.flatMap((spec, index) => (spec === undefined ? [] : [lossOf(spec, index, wire)]))
  return {
    ...call,
    request: {
      ...request,
      tools: tools.map((tool, index) => specs[index] ?? tool),
      messages: request.messages.map((message) => lowered(message, wire)),
    },
    decodingLosses: [...decodingLosses, ...losses],
    chosen: { ...chosen, model: raisingModel(chosen.model, names, wire) },
  }
}

const inputSchema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text' } },
  required: ['input'],
  additionalProperties: false,
}

/** The function that stands for a tool; nothing for one that the provider runs. */
function specOf({ data }: OpaqueTool): ToolSpec | undefined {
  if (data.type !== 'custom') return undefined
  const { name, description, format } = isJsonObject(data.custom) ? data.custom : data
  if (typeof name !== 'string') return undefined
  const words = [description, grammarOf(format)].filter((text) => typeof text === 'string')
  return { name, description: words.join('\n\n'), inputSchema }
}

function grammarOf(format: Json | undefined): string | undefined {
  if (!isJsonObject(format) || format.type !== 'grammar') return undefined
  const { syntax, definition } = isJsonObject(format.grammar) ? format.grammar : format
  return `The input follows this grammar (${String(syntax)}):\n${String(definition)}`
}

function lossOf({ name }: ToolSpec, index: number, wire: Wire): Loss {
  const message = `the custom tool "${name}" is a function of one text there; its grammar is told, not held to`
  return { code: 'custom_tool_lowered', wire, path: at('/tools', index), kind: 'changed', message }
}

function lowered(message: Message, wire: Wire): Message {
  if (message.role === 'tool' && message.results.some((result) => saysCustom(result, wire))) {
    return { ...message, results: message.results.map((result) => functionResult(result, wire)) }
  }
  if (message.role !== 'assistant' || !message.content.some((part) => isCustom(part, wire))) return message
  return { ...message, content: message.content.map((part) => (isCustom(part, wire) ? functionCall(part) : part)) }
}

/** A result says the kind of its call where that stood in another request. */
function saysCustom({ extra }: ToolResult, wire: Wire): boolean {
  return noteOf(extra?.[wire], 'type') === customNotes.type
}

function functionResult(result: ToolResult, wire: Wire): ToolResult {
  if (!saysCustom(result, wire)) return result
  const { extra, ...rest } = result
  const own = Object.entries(extra?.[wire] ?? {}).filter(([key]) => key !== '$type')
  return own.length === 0 ? rest : { ...rest, extra: { [wire]: Object.fromEntries(own) } }
}

function isCustom(part: AssistantPart, wire: Wire): part is AnyCall {
  return part.type === 'broken_call' && isCustomCall(wire, part)
}

function functionCall({ id, name, arguments: input, opaque }: AnyCall): ToolCall {
  const text = JSON.stringify({ input: input.toWellFormed() })
  return { type: 'tool_call', id, name, arguments: text, ...(opaque === undefined ? {} : { opaque }) }
}

/** Calls of the functions that stand for tools, as calls of the tools. Their fragments are JSON, not input: they are left out. */
function raisingModel(model: Model, names: ReadonlySet<string>, wire: Wire): Model {
  const raised = <Part extends AssistantPart>(part: Part): Part | AnyCall =>
    part.type === 'tool_call' && names.has(part.name) ? customCall(part, wire) : part
  const response = (given: CompletionResponse): CompletionResponse =>
    fold(unfold({ ...given, message: { ...given.message, content: given.message.content.map(raised) } }))
  async function* events(
    request: ModelRequest,
    options: CallOptions,
  ): AsyncGenerator<CompletionEvent, CompletionResponse> {
    const inner = model.stream(request, options)
    for await (const event of inner) {
      if (event.type === 'tool_call_delta' && names.has(event.name)) continue
      const call = event.type === 'tool_call' ? raised(event.call) : undefined
      yield event.type === 'tool_call' && call?.type === 'broken_call'
        ? { type: 'broken_call', part: event.part, call }
        : event
    }
    return response(await inner)
  }
  const { name, id, capabilities } = model
  return {
    name,
    id,
    capabilities,
    complete: async (request, options) => response(await model.complete(request, options)),
    stream: (request, options = {}) =>
      awaitable(() => leavable(options.signal, (signal) => events(request, { ...options, signal }))),
  }
}

function customCall({ id, name, arguments: text, opaque }: ToolCall, wire: Wire): AnyCall {
  const carried = {
    ...(opaque === undefined ? {} : { opaque }),
    ...leftover(wire, {}, new Set(), { notes: customNotes }),
  }
  return { type: 'broken_call', id, name, arguments: inputIn(text), reason: 'not_an_object', ...carried }
}

/** A model that did not keep to the schema is taken at its word. */
function inputIn(text: string): string {
  const value = parseBody(text)
  return isJsonObject(value) && typeof value.input === 'string' ? value.input : text
}
