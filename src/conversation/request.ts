// What is asked of a model. System text lives in `messages`; `system` is sugar of `run`.
import type { JsonObject } from '../json/types.js'
import type { Carried, Message, Origin } from './messages.js'

/** The definition of a tool, as a model gets it. A `Tool` made by `tool()` or `importTool` is one too. */
export interface ToolSpec extends Carried {
  readonly type?: undefined
  readonly name: string
  readonly description?: string
  readonly inputSchema?: JsonObject
  readonly strict?: boolean
}
/** The definition in what stands in a list of tools: that of a tool with its function, or the entry itself. */
export function toolSpecOf<T extends ToolSpec | OpaqueTool>(tool: T): T | ToolSpec {
  const { spec } = tool as { readonly spec?: ToolSpec }
  return typeof spec === 'object' && spec !== null ? spec : tool
}

/** The request with the definitions of the tools that stand there with their functions; the same object where none does. */
export function withToolSpecs<T extends Pick<CompletionRequest, 'tools'>>(request: T): T {
  const { tools } = request
  if (tools === undefined || tools.every((tool) => toolSpecOf(tool) === tool)) return request
  return { ...request, tools: tools.map(toolSpecOf) }
}

/** The name a choice among tools can use; a provider's own tool may have none. */
export function toolNameOf(tool: ToolSpec | OpaqueTool): string | undefined {
  if (tool.type !== 'opaque') return tool.name
  return typeof tool.data.name === 'string' ? tool.data.name : undefined
}

/** A provider's own tool (web search, code execution): opaque, same wire only. Keeps its place in `tools`. */
export interface OpaqueTool {
  readonly type: 'opaque'
  readonly origin: Origin
  readonly data: JsonObject
}
/** Whether a call is wanted: as the model likes, none, at least one, this one, or one of these. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly tool: string }
  | { readonly allowed: readonly string[]; readonly mode: 'auto' | 'required' }

/** The schema that an answer is held to, where the wire can. */
export interface OutputSpec {
  readonly schema: JsonObject
  readonly name?: string
  readonly description?: string
  readonly strict?: boolean
}
/** How much a model may think: in words of its vendor, or in tokens. */
export interface ReasoningSpec {
  readonly effort?: string
  readonly budgetTokens?: number
}
/** What is asked of a model, without a word of any wire. What a wire cannot say of it is reported as a loss. */
export interface CompletionRequest extends Carried {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly (ToolSpec | OpaqueTool)[]
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  /** What the answer must be: of a schema, or any JSON object. Default: text. */
  readonly output?: OutputSpec | 'json_object'
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly reasoning?: ReasoningSpec
}
/** Every member of a request. */
export const requestFields: ReadonlySet<string> = new Set<keyof CompletionRequest>([
  'model',
  'messages',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'output',
  'maxTokens',
  'temperature',
  'topP',
  'stop',
  'reasoning',
  'extra',
])
