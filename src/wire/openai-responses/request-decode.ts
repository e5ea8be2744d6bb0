// A client's request. Lenient: every documented spelling is read, what is not modelled is kept where it stands.
import type { Message } from '../../conversation/messages.js'
import type { CompletionRequest } from '../../conversation/request.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { DecodedRequest, Exchange, HttpRequest } from '../codec.js'
import { readOnce } from '../remembered-tools.js'
import { invalidAt, requestBody } from '../request-body.js'
import { decodeInstructions, readItems } from './history-decode.js'
import { isResult } from './items.js'
import { addTools, type DeclaredTools, isProviderCall } from './provider-calls.js'
import { decodeSettings } from './settings.js'
import { decodeTool } from './tools.js'
import { echoed, wire } from './types.js'

export function decode(http: HttpRequest): DecodedRequest {
  const { body } = requestBody(http)
  const decoded = decodeSettings(body)
  const { model } = decoded
  const settings: Partial<CompletionRequest> = decoded
  const messages = decodeInput(body, decoded.output === 'json_object')
  const tools = decodeTools(body.tools)
  const request: CompletionRequest = { model, messages, ...(tools === undefined ? {} : { tools }), ...settings }
  return { request, losses: [], exchange: exchangeOf(body, model) }
}

function decodeInput(body: JsonObject, isJson: boolean): readonly Message[] {
  const { instructions, input } = body
  const messages: Message[] = []
  if (instructions !== undefined && instructions !== null) {
    if (typeof instructions !== 'string') throw invalidAt('/instructions', 'a string')
    messages.push(decodeInstructions(instructions, isJson))
  }
  if (typeof input === 'string') return [...messages, { role: 'user', content: [{ type: 'text', text: input }] }]
  if (input === undefined || input === null) return messages
  if (!Array.isArray(input)) throw invalidAt('/input', 'a string or a list of items')
  const options = { names: new Map(), customs: new Set<string>(), isProviderCall: providerCallsIn(body.tools, input) }
  return [...messages, ...readItems(input, { ...options, isFirst: messages.length === 0 && !isJson })]
}

/** Calls of custom tools that the request neither declares nor answers are those of the provider itself. */
function providerCallsIn(tools: Json | undefined, items: readonly Json[]): (item: JsonObject) => boolean {
  const declared: DeclaredTools = { custom: new Set(), hosted: true }
  addTools(declared, tools)
  const answered = new Set(items.map((item) => (isJsonObject(item) && isResult(item) ? item.call_id : undefined)))
  return (item) => isProviderCall(item, declared) && !answered.has(item.call_id)
}

function decodeTools(tools: Json | undefined): CompletionRequest['tools'] {
  if (tools === undefined || tools === null) return undefined
  if (!Array.isArray(tools)) throw invalidAt('/tools', 'a list of tools')
  return tools.length === 0 ? undefined : readOnce(tools, wire, decodeTool)
}

const isEchoed: ReadonlySet<string> = new Set(echoed)

/** The answer repeats much of the request; those members are remembered as they came. */
function exchangeOf(body: JsonObject, model: string): Exchange {
  const client: { [key: string]: Json } = {}
  for (const key in body) if (isEchoed.has(key)) client[key] = body[key] as Json
  return { wire, model, stream: body.stream === true, client }
}
