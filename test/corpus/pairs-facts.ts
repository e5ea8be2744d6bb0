// What a request says, as a list of facts, and which of them did not arrive. A fact that is missing must be covered by a loss.

import type { Loss } from '../../src/conversation/losses.js'
import { isCall, type Message, type UserPart, type Wire } from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolChoice } from '../../src/conversation/request.js'
import { isJsonObject } from '../../src/json/parse.js'
import type { JsonObject } from '../../src/json/types.js'

export interface Fact {
  readonly kind: string
  /** Where it stands in the request. */
  readonly path: string
  readonly value: string
  /** Text may arrive inside longer text of its kind: joined parts, or a result that also points to a hoisted image. */
  readonly inside?: boolean
}
export interface Facts {
  /** What every wire can say in its own words, and must. */
  readonly core: readonly Fact[]
  /** What only some wires have a place for: what a provider runs or stores itself, files, settings. To be declared when lost. */
  readonly side: readonly Fact[]
}

/** Core facts that a wire has no place for, by its reference: they count as `side` there. */
const noPlace: Readonly<Partial<Record<Wire, readonly string[]>>> = {
  ollama: ['choice'], // 4.1: there is no tool_choice on /api/chat
}

/** What a request says, as far as the wire it goes to matters. */
export function factsFor(wire: Wire, request: CompletionRequest): Facts {
  const { core, side } = factsOf(request)
  const without = noPlace[wire] ?? []
  const moved = core.filter((fact) => without.includes(fact.kind))
  return { core: core.filter((fact) => !without.includes(fact.kind)), side: [...side, ...moved] }
}

function factsOf(request: CompletionRequest): Facts {
  const core: Fact[] = []
  const side: Fact[] = []
  const callable = callableTools(request)
  request.tools?.forEach((tool, index) => {
    const path = `/tools/${index}`
    if (tool.type === 'opaque') {
      side.push({ kind: 'hosted tool', path, value: stable(tool.data) })
      return
    }
    const schema = noParameters(tool.inputSchema) ? { type: 'object', properties: {} } : tool.inputSchema
    const fact = { path, value: stable([tool.name, tool.description ?? '', namesIn(schema)]) }
    side.push({ kind: 'tool schema', path, value: stable([tool.name, schema ?? null]) })
    // A tool that the choice rules out is known to the model at most: it cannot be called, declared or not.
    if (callable.includes(tool.name)) core.push({ kind: 'tool', ...fact })
    else side.push({ kind: 'tool ruled out', ...fact })
    if (tool.strict === true) side.push({ kind: 'strict', path: `${path}/strict`, value: tool.name })
  })
  const choice = choiceOf(request, callable)
  if (choice !== undefined) core.push({ kind: 'choice', path: '/toolChoice', value: choice })
  if (request.output === 'json_object') side.push({ kind: 'json mode', path: '/output', value: request.output })
  else if (request.output !== undefined) {
    core.push({ kind: 'output', path: '/output', value: stable(namesIn(request.output.schema)) })
    side.push({ kind: 'output schema', path: '/output', value: stable(request.output.schema) })
  }
  for (const key of ['parallelToolCalls', 'maxTokens', 'temperature', 'topP', 'stop', 'reasoning'] as const) {
    const value = request[key]
    if (value !== undefined) side.push({ kind: key, path: `/${key}`, value: stable(value) })
  }
  request.messages.forEach((message, index) => {
    addMessage(message, `/messages/${index}`, core, side)
  })
  return { core, side }
}

/** The functions that may be called. */
function callableTools({ tools = [], toolChoice = 'auto' }: CompletionRequest): readonly string[] {
  const names = tools.flatMap((tool) => (tool.type === 'opaque' ? [] : [tool.name]))
  if (typeof toolChoice === 'string') return toolChoice === 'none' ? [] : names
  return names.filter((name) => ('tool' in toolChoice ? toolChoice.tool === name : toolChoice.allowed.includes(name)))
}

/** What a choice does: whether one of the functions that may be called must be. A choice of none is what having none does. */
function choiceOf({ tools, toolChoice = 'auto' }: CompletionRequest, callable: readonly string[]): string | undefined {
  if (tools === undefined || callable.length === 0) return undefined
  const isRequired = toolChoice === 'required' || (typeof toolChoice === 'object' && !isFree(toolChoice))
  return isRequired ? stable(['required', ...callable.toSorted()]) : undefined
}

function isFree(choice: Exclude<ToolChoice, string>): boolean {
  return 'mode' in choice && choice.mode === 'auto'
}

/** What a schema asks for by name. How each value must be made is the dialect's to say: a fact of its own. */
function namesIn(schema: JsonObject = {}): readonly string[] {
  return isJsonObject(schema.properties) ? Object.keys(schema.properties).toSorted() : []
}

/** Whether a schema allows no properties, in any of its spellings: none at all, empty, or an object without properties. */
function noParameters(schema: JsonObject = {}): boolean {
  const { type, properties, ...rest } = schema
  return Object.keys(rest).length === 0 && (type ?? 'object') === 'object' && stable(properties ?? {}) === '{}'
}

function addMessage(message: Message, path: string, core: Fact[], side: Fact[]): void {
  if (message.role === 'tool') {
    message.results.forEach((result, index) => {
      const here = `${path}/results/${index}`
      core.push({ kind: 'result', path: here, value: stable([result.callId, result.isError]) })
      addParts(result.content, 'result text', `${here}/content`, core, side)
    })
    return
  }
  if (message.role !== 'assistant') {
    addParts(message.content, `${message.role} text`, `${path}/content`, core, side)
    return
  }
  message.content.forEach((part, index) => {
    const here = `${path}/content/${index}`
    if (isCall(part)) core.push({ kind: 'call', path: here, value: stable([part.id, part.name, part.arguments]) })
    else if (part.type === 'text') addText('assistant text', part.text, here, core)
    else if (part.type === 'opaque') side.push({ kind: 'hosted block', path: here, value: stable(part.data) })
  })
}

function addParts(parts: readonly UserPart[], kind: string, path: string, core: Fact[], side: Fact[]): void {
  parts.forEach((part, index) => {
    const here = `${path}/${index}`
    if (part.type === 'text') addText(kind, part.text, here, core)
    else if (part.type === 'opaque') side.push({ kind: 'hosted block', path: here, value: stable(part.data) })
    else if (part.type === 'image' && (part.url ?? part.data) !== undefined) {
      core.push({ kind: 'image', path: here, value: stable([part.url, part.data]) })
    } else side.push({ kind: part.type, path: here, value: stable(part) })
  })
}

function addText(kind: string, text: string, path: string, core: Fact[]): void {
  if (text.trim() !== '') core.push({ kind, path, value: text, inside: true })
}

/** The facts that did not arrive: each must be found once, text in its order. */
export function missing(sent: readonly Fact[], arrived: readonly Fact[]): readonly Fact[] {
  const left = new Map<string, number>()
  const texts = new Map<string, string>()
  for (const fact of arrived) {
    if (fact.inside) texts.set(fact.kind, `${texts.get(fact.kind) ?? ''}\n${fact.value}`)
    else left.set(`${fact.kind} ${fact.value}`, (left.get(`${fact.kind} ${fact.value}`) ?? 0) + 1)
  }
  const from = new Map<string, number>()
  return sent.filter((fact) => {
    if (!fact.inside) {
      const key = `${fact.kind} ${fact.value}`
      const count = left.get(key) ?? 0
      left.set(key, count - 1)
      return count <= 0
    }
    const found = texts.get(fact.kind)?.indexOf(fact.value, from.get(fact.kind) ?? 0) ?? -1
    if (found >= 0) from.set(fact.kind, found + fact.value.length)
    return found < 0
  })
}

/** Whether a loss says that this did not cross as it was. */
export function isDeclared(fact: Fact, losses: readonly Loss[]): boolean {
  return losses.some(({ path }) => isWithin(fact.path, path) || isWithin(path, fact.path))
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** JSON with sorted keys. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
