// Tools of OpenAI that take free text and are run by the client, such as Codex's apply_patch, on wires that have none: there each
// is a function of one text, and its calls reach the client as what they were. The trap: history has such calls, too.
import type { CompletionEvent } from '../conversation/events.js'
import { fold } from '../conversation/fold.js'
import { at, type Loss } from '../conversation/losses.js'
import {
  type AnyCall,
  type AssistantMessage,
  type AssistantPart,
  type Extra,
  isCall,
  type Message,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  type Wire,
} from '../conversation/messages.js'
import type { CompletionRequest, OpaqueTool, ToolChoice, ToolSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { unfold } from '../conversation/unfold.js'
import { isJsonObject, isList, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { awaitable, leavable } from '../model/awaitable.js'
import type { CallOptions, Model, ModelRequest } from '../model/model.js'
import { customNotes, inputArguments, isCustomCall } from '../wire/arguments.js'
import { leftover, noteOf } from '../wire/extra.js'
import type { GatewayCall } from './call.js'
import { foreignTo } from './targets.js'

/** The wires whose clients have such tools. */
const customWires: ReadonlySet<Wire> = new Set<Wire>(['openai-chat', 'openai-responses'])

/**
 * The same call for models of which one is on another wire: each such tool is a function, in the choice among tools and in
 * the history, too. Calls without them stay as they are.
 */
export function withCustomTools(call: GatewayCall): GatewayCall {
  const { request, chosen, exchange, decodingLosses } = call
  const { wire } = exchange
  if (!customWires.has(wire) || foreignTo(wire, chosen) === undefined) return call
  const names = new Set<string>()
  const losses: Loss[] = []
  const tools = withFunctions(request.tools, wire, names, losses)
  const messages = withFunctionCalls(request.messages, wire, names, losses)
  const choice = choiceOf(request.extra?.[wire]?.tool_choice)
  if (tools === request.tools && messages === request.messages && choice === undefined) return call
  const chooses = choice === undefined ? request : withChoice(request, choice, wire)
  return {
    ...call,
    request: { ...chooses, ...(tools === undefined ? {} : { tools }), messages },
    decodingLosses: [...decodingLosses, ...losses],
    chosen: names.size === 0 ? chosen : { ...chosen, model: raisingModel(chosen.model, names, wire) },
  }
}

type Tools = CompletionRequest['tools']

/** `names` gets those of the tools that are functions now. */
function withFunctions(tools: Tools, wire: Wire, names: Set<string>, losses: Loss[]): Tools {
  if (tools === undefined || !tools.some(({ type }) => type === 'opaque')) return tools
  return tools.map((tool, index) => {
    const spec = tool.type === 'opaque' ? specOf(tool) : undefined
    if (spec === undefined) return tool
    names.add(spec.name)
    const message = `the custom tool "${spec.name}" is a function of one text there; its grammar is told, not held to`
    losses.push(loweredAt(at('/tools', index), wire, message))
    return spec
  })
}

function loweredAt(path: string, wire: Wire, message: string): Loss {
  return { code: 'custom_tool_lowered', wire, path, kind: 'changed', message }
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

/** The request with this choice in the place of the one that its codec kept. */
function withChoice({ extra, ...request }: CompletionRequest, toolChoice: ToolChoice, wire: Wire): CompletionRequest {
  const { [wire]: { tool_choice: _, ...own } = {}, ...others } = extra ?? {}
  const kept: Extra = Object.keys(own).length === 0 ? others : { ...others, [wire]: own }
  return { ...request, toolChoice, ...(Object.keys(kept).length === 0 ? {} : { extra: kept }) }
}

/**
 * A choice that its codec kept because it names such tools, as one among the functions. A list of them stands in the choice
 * on Responses, in a member of its own on Chat Completions.
 */
function choiceOf(said: Json | undefined): ToolChoice | undefined {
  if (!isJsonObject(said)) return undefined
  if (said.type !== 'allowed_tools') {
    const tool = chosenName(said)
    return tool === undefined ? undefined : { tool }
  }
  const { mode, tools } = isJsonObject(said.allowed_tools) ? said.allowed_tools : said
  if ((mode !== 'auto' && mode !== 'required') || !isList(tools)) return undefined
  const allowed = tools.map(chosenName).filter((name) => name !== undefined)
  return allowed.length === 0 ? 'none' : { allowed, mode }
}

function chosenName(said: Json): string | undefined {
  if (!isJsonObject(said) || (said.type !== 'custom' && said.type !== 'function')) return undefined
  const inner = said[said.type]
  const { name } = isJsonObject(inner) ? inner : said
  return typeof name === 'string' ? name : undefined
}

/** The history with its calls of such tools, also of tools that are no longer declared: that is told for each. */
function withFunctionCalls(
  messages: readonly Message[],
  wire: Wire,
  names: ReadonlySet<string>,
  losses: Loss[],
): readonly Message[] {
  const hasCustom = (message: Message): message is AssistantMessage =>
    message.role === 'assistant' && message.content.some((part) => isCustom(part, wire))
  const hasResult = (message: Message): message is ToolMessage =>
    message.role === 'tool' && message.results.some((result) => saysCustom(result, wire))
  if (!messages.some((message) => hasCustom(message) || hasResult(message))) return messages
  return messages.map((message, index) => {
    if (hasResult(message))
      return { ...message, results: message.results.map((result) => functionResult(result, wire)) }
    if (!hasCustom(message)) return message
    const content = message.content.map((part, place) => {
      if (!isCustom(part, wire)) return part
      const path = at(at(at('/messages', index), 'content'), place)
      if (!names.has(part.name))
        losses.push(loweredAt(path, wire, `a call of the custom tool "${part.name}" is one of a function there`))
      return functionCall(part)
    })
    return { ...message, content }
  })
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
  return isCall(part) && isCustomCall(wire, part)
}

/** The call without what makes it one of a custom tool: its input is the only argument of the function already. */
function functionCall({ extra: _, ...call }: AnyCall): AnyCall {
  return call
}

/** Calls of the functions that stand for tools, as calls of the tools. Their fragments are JSON, not input: they are left out. */
function raisingModel(model: Model, names: ReadonlySet<string>, wire: Wire): Model {
  const raised = <Part extends AssistantPart>(part: Part): Part | ToolCall =>
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
      yield event.type === 'tool_call' ? { ...event, call: raised(event.call) } : event
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

function customCall(call: ToolCall, wire: Wire): ToolCall {
  const noted = { ...call, ...leftover(wire, {}, new Set(), { notes: customNotes }) }
  // A model that did not keep to the schema is taken at its word.
  return isCustomCall(wire, noted) ? noted : { ...noted, arguments: inputArguments(inputIn(call.arguments)) }
}

function inputIn(text: string): string {
  const value = parseBody(text)
  return isJsonObject(value) && typeof value.input === 'string' ? value.input : text
}
