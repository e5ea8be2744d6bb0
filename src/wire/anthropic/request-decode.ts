// A client's Messages body as a request (server half). Lenient: what has no canonical form stays in `extra` or opaque.
// The trap: results and user text share one wire message; here they are two, the results first.
import type {
  Message,
  SystemMessage,
  TextPart,
  ToolMessage,
  ToolResult,
  UserPart,
} from '../../conversation/messages.js'
import { isCall } from '../../conversation/messages.js'
import type { CompletionRequest, OutputSpec, ReasoningSpec, ToolChoice } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import { type FindSpan, spanFinder } from '../../json/spans.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { DecodedRequest, Env, HttpRequest } from '../codec.js'
import { leftover } from '../extra.js'
import { readOnce } from '../remembered-tools.js'
import { invalidAt, requestBody } from '../request-body.js'
import { blocksOf, readAssistantBlock, readUserBlock } from './blocks.js'
import type { AnthropicProfile } from './profiles.js'
import { readTool } from './tools.js'
import { defaults, isDefault, modelled, wire } from './types.js'

/** The parts of a request that are neither messages nor tools. */
export type Settings = Omit<CompletionRequest, 'model' | 'messages' | 'tools'>

export function decode(http: HttpRequest, env: Env): DecodedRequest {
  const { text, body } = requestBody(http)
  const { model, messages, tools } = body
  if (typeof model !== 'string') throw invalidAt('/model', 'a string')
  if (!Array.isArray(messages)) throw invalidAt('/messages', 'an array')
  const inputs = rawInputs(text)
  const request: CompletionRequest = {
    model,
    messages: [...readSystem(body.system), ...readMessages(messages, inputs)],
    ...readTools(tools),
    ...readSettings(body, http.headers['anthropic-beta'], env.profile),
  }
  const version = http.headers['anthropic-version']
  const client = version === undefined ? {} : { client: { version } }
  return { request, losses: [], exchange: { wire, model, stream: body.stream === true, ...client } }
}

function readTools(tools: Json | undefined): Pick<CompletionRequest, 'tools'> {
  if (tools === undefined || tools === null) return {}
  if (!Array.isArray(tools)) throw invalidAt('/tools', 'an array')
  return tools.length === 0 ? {} : { tools: readOnce(tools, wire, readTool) }
}

/** The leading system text: a string, or text blocks. */
function readSystem(system: Json | undefined): readonly SystemMessage[] {
  const content = readTexts(system)
  if (content === undefined) throw invalidAt('/system', 'a string or a list of text blocks')
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

/** Text parts only; nothing when something else is among them. */
function readTexts(content: Json | undefined): readonly TextPart[] | undefined {
  const parts = blocksOf(content)?.map(readUserBlock)
  return parts?.every((part): part is TextPart => part.type === 'text') ? parts : undefined
}

const rawInputs = spanFinder(['/messages/*/content/*/input'])

function readMessages(list: readonly Json[], inputs: FindSpan): readonly Message[] {
  const messages: Message[] = []
  const names = new Map<string, string>()
  list.forEach((message, index) => {
    const path = `/messages/${index}`
    if (!isJsonObject(message)) throw invalidAt(path, 'an object')
    const blocks = blocksOf(message.content)
    if (blocks === undefined) throw invalidAt(`${path}/content`, 'a string or a list of blocks')
    switch (message.role) {
      case 'assistant': {
        const content = blocks.map((block, b) =>
          readAssistantBlock(block, () => inputs(`${path}/content/${b}/input`, block.input)),
        )
        for (const part of content) if (isCall(part)) names.set(part.id, part.name)
        const fields = leftover(wire, message, modelled.message, defaults)
        messages.push({ role: 'assistant', content, origin: { wire }, ...fields })
        break
      }
      case 'user':
        for (const added of readUser(message, blocks, names)) messages.push(added)
        break
      case 'system':
        messages.push(readMidSystem(message, blocks))
        break
      default:
        throw invalidAt(`${path}/role`, '"user", "assistant" or "system"')
    }
  })
  return messages
}

/** Text, or blocks that only a user message can hold: then that, with a note of its role. */
function readMidSystem(message: JsonObject, blocks: readonly JsonObject[]): Message {
  const content = readTexts(blocks)
  if (content !== undefined) return { role: 'system', content, ...leftover(wire, message, modelled.message, defaults) }
  const options = { isDefault, notes: { role: 'system' } }
  return { role: 'user', content: blocks.map(readUserBlock), ...leftover(wire, message, modelled.message, options) }
}

/** The results of a user message, then what else it says. Fields of the message stay with what comes first. */
function readUser(
  message: JsonObject,
  blocks: readonly JsonObject[],
  names: ReadonlyMap<string, string>,
): readonly Message[] {
  const results: ToolResult[] = []
  const content: UserPart[] = []
  for (const block of blocks) {
    if (block.type === 'tool_result') results.push(readResult(block, names))
    else content.push(readUserBlock(block))
  }
  const fields = leftover(wire, message, modelled.message, defaults)
  if (results.length === 0) return [{ role: 'user', content, ...fields }]
  const answered: ToolMessage = { role: 'tool', results, ...fields }
  return content.length === 0 ? [answered] : [answered, { role: 'user', content }]
}

function readResult(block: JsonObject, names: ReadonlyMap<string, string>): ToolResult {
  const { tool_use_id: id, content } = block
  const callId = typeof id === 'string' ? id : ''
  const blocks = blocksOf(content)
  return {
    callId,
    name: names.get(callId) ?? '',
    content: blocks === undefined ? [{ type: 'text', text: JSON.stringify(content) }] : blocks.map(readUserBlock),
    isError: block.is_error === true,
    ...leftover(wire, block, modelled.toolResult, defaults),
  }
}

/** Everything but model, messages and tools. `beta` is the header of that name, which the fields may depend on. */
export function readSettings(body: JsonObject, beta: Json | undefined, profile: AnthropicProfile): Settings {
  const choice = readChoice(body.tool_choice)
  const thinking = readThinkingConfig(body.thinking)
  const output = readOutput(body, thinking.reasoning?.effort !== undefined)
  const left = { tool_choice: choice.rest, thinking: thinking.rest, output_config: output.rest }
  const isUnusual = thinking.reasoning?.effort === 'none' && isFixed(profile, body.model)
  const notes = {
    ...(typeof beta === 'string' && beta !== '' ? { beta } : {}),
    ...(isUnusual ? { thinking: 'disabled' } : {}),
  }
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = { ...choice.settings }
  if (output.output !== undefined) settings.output = output.output
  const maxTokens = numberIn(body, 'max_tokens')
  if (maxTokens !== undefined) settings.maxTokens = maxTokens
  const temperature = numberIn(body, 'temperature')
  if (temperature !== undefined) settings.temperature = temperature
  const topP = numberIn(body, 'top_p')
  if (topP !== undefined) settings.topP = topP
  const stop = stringsIn(body, 'stop_sequences')
  if (stop !== undefined) settings.stop = stop
  if (output.reasoning !== undefined || thinking.reasoning !== undefined) {
    settings.reasoning = { ...output.reasoning, ...thinking.reasoning }
  }
  const { extra } = leftover(wire, body, modelled.request, { isDefault, left, notes })
  if (extra !== undefined) settings.extra = extra
  return settings
}

function numberIn(body: JsonObject, key: string): number | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number') throw invalidAt(`/${key}`, 'a number')
  return value
}

function stringsIn(body: JsonObject, key: string): readonly string[] | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((item): item is string => typeof item === 'string')) {
    throw invalidAt(`/${key}`, 'a list of strings')
  }
  return value
}

/** The choice and the parallel flag that rides on it; `rest` is what has no canonical place. */
function readChoice(value: Json | undefined): {
  settings: Pick<Settings, 'toolChoice' | 'parallelToolCalls'>
  rest: Json
} {
  const object = typeof value === 'string' ? { type: value } : value
  if (!isJsonObject(object)) return { settings: {}, rest: value ?? null }
  const { type, name, disable_parallel_tool_use: disabled, ...more } = object
  const toolChoice = choiceOf(type, name)
  if (toolChoice === undefined) return { settings: {}, rest: object }
  const parallel = typeof disabled === 'boolean' ? { parallelToolCalls: !disabled } : {}
  return { settings: { toolChoice, ...parallel }, rest: anyOf(more) }
}

function choiceOf(type: Json | undefined, name: Json | undefined): ToolChoice | undefined {
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  return type === 'tool' && typeof name === 'string' ? { tool: name } : undefined
}

/** Whether a model refuses to be told not to think. */
export function isFixed({ fixedThinking }: AnthropicProfile, model: Json | undefined): boolean {
  return typeof model === 'string' && fixedThinking?.test(model) === true
}

function readThinkingConfig(value: Json | undefined): { reasoning?: ReasoningSpec; rest: Json } {
  if (!isJsonObject(value)) return { rest: value ?? null }
  if (value.type === 'disabled') {
    const { type: _, ...rest } = value
    return { reasoning: { effort: 'none' }, rest: anyOf(rest) }
  }
  const { type, budget_tokens: budgetTokens, ...more } = value
  if (type !== 'enabled' || typeof budgetTokens !== 'number') return { rest: value }
  return { reasoning: { budgetTokens }, rest: anyOf(more) }
}

/** `output_config`, and the schema under its older name `output_format`. Its effort is carried where thinking `isOff`. */
function readOutput(body: JsonObject, isOff: boolean): { output?: OutputSpec; reasoning?: ReasoningSpec; rest: Json } {
  if (body.output_config === undefined && body.output_format === undefined) return { rest: null }
  const config = isJsonObject(body.output_config) ? body.output_config : {}
  const { effort, format, ...more } = config
  const older = schemaOf(body.output_format)
  const schema = schemaOf(format) ?? older
  const unread = schemaOf(format) === undefined ? (format ?? (older === undefined ? body.output_format : null)) : null
  const isRead = typeof effort === 'string' && !isOff
  const kept = { ...more, ...(isRead ? {} : { effort: effort ?? null }), format: unread ?? null }
  return {
    ...(schema === undefined ? {} : { output: { schema } }),
    ...(isRead ? { reasoning: { effort } } : {}),
    rest: anyOf(Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null))),
  }
}

function schemaOf(format: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(format) || format.type !== 'json_schema' || !isJsonObject(format.schema)) return undefined
  return Object.keys(format).length === 2 ? format.schema : undefined
}

function anyOf(object: JsonObject): Json {
  return Object.keys(object).length === 0 ? null : object
}
