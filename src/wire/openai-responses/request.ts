// Requests to a server of this wire: the sealed conversation as one body. `input` comes last, each message a piece of its own.
import type { Loss } from '../../conversation/losses.js'
import { isCall, type Message, type SystemMessage } from '../../conversation/messages.js'
import type { CompletionRequest, OpaqueTool, ToolSpec } from '../../conversation/request.js'
import { type SealedRequest, sealRequest } from '../../conversation/seal-request.js'
import { ToolwireError } from '../../errors/error.js'
import { writeJson, writeUnicode } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import type { SchemaLoss } from '../../schema/restrict/context.js'
import { isCustomCall } from '../arguments.js'
import type { EncodedRequest, Env, Exchange } from '../codec.js'
import { differences } from '../differences.js'
import { historyItems, type WriteMessages } from '../history.js'
import { type NameRule, renamed, wireCallId, wireName } from '../names.js'
import { cachedPiece, type HistoryItems, type Piece, plainMessage, relocate, requestBodyOf } from '../pieces.js'
import { hasPlainSettings } from '../plain-settings.js'
import { inputSchemaPath, mappingsOf, schemaNotes } from '../schemas.js'
import { raiseMaxTokens } from '../setting-limits.js'
import { encodeMessage, type HistoryRules, messageLosses } from './history.js'
import { isInstructions } from './history-decode.js'
import { type ResponsesProfile, sealRules } from './profiles.js'
import { decodeSettings, encodeSettings } from './settings.js'
import { decodeTool, encodeTool } from './tools.js'
import { callIdRule, ownOf, toolDialects, wire } from './types.js'

export function seal(request: CompletionRequest, env: Env): SealedRequest {
  return sealWith(request, env.profile, remembersCalls(request))
}

function sealWith(request: CompletionRequest, profile: ResponsesProfile, remembers: boolean): SealedRequest {
  const sealed = sealRequest(request, sealRules(profile, request.model, ownOf(request), remembers))
  const { messages } = sealed.request
  const [first] = messages
  const hasInput =
    messages.length > 1 ||
    (first !== undefined && (first.role !== 'system' || !isInstructions(first, asksForJson(sealed.request))))
  if (hasInput || remembers || (ownOf(request)?.prompt ?? null) !== null) return sealed
  throw new ToolwireError(
    'invalid_request',
    `${wire} needs at least one message besides the instructions; add one to the conversation`,
  )
}

function asksForJson({ output }: CompletionRequest): boolean {
  return output === 'json_object'
}

/** Whether the server holds a part of the conversation, so that results may answer calls that are not in the request. */
function remembersCalls(request: CompletionRequest): boolean {
  const own = ownOf(request)
  if (typeof own?.previous_response_id === 'string' || (own?.conversation ?? null) !== null) return true
  for (const message of request.messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (part.type === 'opaque' && part.data.type === 'item_reference') return true
  }
  return false
}

export function encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest {
  const profile: ResponsesProfile = env.profile
  const remembers = remembersCalls(request)
  const { request: sealed, losses: repairs } = sealWith(request, profile, remembers)
  const names: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, max: profile.toolNameLength ?? 64 }
  const rules: HistoryRules = { names, developerRole: profile.developerRole !== false, isJson: asksForJson(sealed) }
  const losses: Loss[] = [...repairs]
  const fields = writeFields(sealed, options.stream, rules, profile, losses)
  const tools = writeTools(sealed.tools, names, profile, losses)
  const key = `${wire} ${profile.name}${rules.isJson ? ' json' : ''}`
  const input = writeMessages(sealed.messages, rules, key, remembers, losses)
  const http = {
    method: 'POST',
    path: profile.path ?? '/v1/responses',
    headers: { 'content-type': 'application/json', accept: options.stream ? 'text/event-stream' : 'application/json' },
    body: requestBodyOf(fields, { key: 'tools', items: tools }, { key: 'input', items: input }),
  }
  return { http, losses, exchange: exchangeOf(sealed, options.stream, names, profile) }
}

function exchangeOf(request: CompletionRequest, stream: boolean, rule: NameRule, profile: ResponsesProfile): Exchange {
  const names = renamed(request.tools, rule)
  const maps = mappingsOf(request, toolDialects, toolDialects)
  const exchange = {
    wire,
    model: request.model,
    provider: profile.name,
    stream,
    position: request.messages.length,
    ...maps,
    ...opaqueToolsOf(request),
  }
  return names === undefined ? exchange : { ...exchange, names }
}

function opaqueToolsOf({ tools = [] }: CompletionRequest): Pick<Exchange, 'opaqueTools'> {
  if (!tools.some(({ type }) => type === 'opaque')) return {}
  return { opaqueTools: tools.flatMap((tool) => (tool.type === 'opaque' ? [tool.data] : [])) }
}

/** All members but tools and input, as the text of an object. */
function writeFields(
  given: CompletionRequest,
  stream: boolean,
  rules: HistoryRules,
  profile: ResponsesProfile,
  losses: Loss[],
): string {
  const request = raiseMaxTokens(wire, given, profile.minOutputTokens ?? 0, losses)
  const notes: SchemaLoss[] = []
  const fields = encodeSettings(request, rules.names, profile.fixedThinking, notes)
  if (!hasPlainSettings(request)) {
    const { messages: _, tools: __, ...settings } = request
    differences(wire, settings, decodeSettings(fields), '', losses)
    for (const loss of schemaNotes(wire, notes, '/output/schema')) losses.push(loss)
  }
  const [first] = request.messages
  const instructions = first?.role === 'system' && isInstructions(first, rules.isJson) ? instructionsOf(first) : {}
  return writeUnicode({ model: fields.model ?? '', ...instructions, ...(stream ? { stream } : {}), ...fields })
}

function instructionsOf(message: SystemMessage): JsonObject {
  return { instructions: message.content[0]?.text ?? '' }
}

function writeTools(
  tools: readonly (ToolSpec | OpaqueTool)[] | undefined,
  names: NameRule,
  profile: ResponsesProfile,
  losses: Loss[],
): readonly string[] {
  const key = `${wire} ${profile.name}`
  return (tools ?? []).map((tool, index) => {
    const piece = cachedPiece(tool, key, (node) => toolPiece(node, names))
    if (piece.losses.length > 0) relocate(piece.losses, `/tools/${index}`, losses)
    return piece.text
  })
}

function toolPiece(tool: ToolSpec | OpaqueTool, names: NameRule): Piece {
  const notes: SchemaLoss[] = []
  const encoded = encodeTool(tool, names, notes)
  const losses: Loss[] = []
  if (!isPlainTool(tool, encoded)) differences(wire, tool, decodeTool(encoded, ''), '', losses)
  for (const loss of schemaNotes(wire, notes, inputSchemaPath)) losses.push(loss)
  return { text: writeUnicode(encoded), losses }
}

/** Whether a tool is written and read back with nothing changed, so that nothing needs to be compared. */
function isPlainTool(tool: ToolSpec | OpaqueTool, { name, parameters }: JsonObject): boolean {
  if (tool.type === 'opaque' || tool.extra !== undefined || tool.strict !== undefined) return false
  return name === tool.name && parameters === tool.inputSchema
}

function writeMessages(
  messages: readonly Message[],
  rules: HistoryRules,
  key: string,
  remembers: boolean,
  losses: Loss[],
): HistoryItems {
  const make = (message: Message): Piece => plainMessage(message) ?? messagePiece(message, rules, false, none)
  const write: WriteMessages = (from, to, count, items, found) => {
    // Where the server remembers calls, a result may name one that is not here: then each message is read in its context.
    const known = remembers ? new Map<string, string>() : undefined
    for (let index = from; index < to; index += 1) {
      const message = messages[index] as Message
      const isFirst = index === 0 && message.role === 'system'
      const customs = message.role === 'tool' ? customCalls(messages[index - 1]) : none
      const isApart = isFirst || known !== undefined || customs.size > 0
      const piece = isApart ? messagePiece(message, rules, isFirst, customs, known) : cachedPiece(message, key, make)
      if (known !== undefined) learnNames(message, rules.names, known)
      if (piece.losses.length > 0) relocate(piece.losses, `/messages/${index}`, found)
      if (piece.text !== '') items.push(piece.text)
    }
    return count
  }
  if (!remembers) return historyItems(messages, key, losses, write)
  const items: string[] = []
  write(0, messages.length, 0, items, losses)
  return { settled: undefined, text: items.join(',') }
}

function messagePiece(
  message: Message,
  rules: HistoryRules,
  isFirst: boolean,
  customs: ReadonlySet<string>,
  known?: ReadonlyMap<string, string>,
): Piece {
  const items = encodeMessage(message, rules, isFirst, customs)
  const losses = messageLosses(message, items, rules, isFirst, customs, known)
  if (items.length === 0) return { text: '', losses }
  // The id of a call that only the server knows is sent as it is.
  const text = known === undefined ? writeUnicode(items) : writeJson(items)
  return { text: text.slice(1, -1), losses }
}

const none: ReadonlySet<string> = new Set()

/** The calls of custom tools that a turn makes, by the ids the wire has them under: their results are of another type. */
function customCalls(turn: Message | undefined): ReadonlySet<string> {
  if (turn?.role !== 'assistant') return none
  const calls = turn.content.filter((part) => isCall(part)).filter((call) => isCustomCall(wire, call))
  return calls.length === 0 ? none : new Set(calls.map((call) => wireCallId(call.id, callIdRule)))
}

/** The names a reader can know results by, from the calls so far. */
function learnNames(message: Message, names: NameRule, known: Map<string, string>): void {
  if (message.role !== 'assistant') return
  for (const part of message.content) {
    if (isCall(part)) known.set(wireCallId(part.id, callIdRule), wireName(part.name, names))
  }
}
