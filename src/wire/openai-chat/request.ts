// Requests, encoded: seal first, then fields only. Messages and tools of the body are cached pieces.
import { at, type Loss } from '../../conversation/losses.js'
import type { Message } from '../../conversation/messages.js'
import type { CompletionRequest } from '../../conversation/request.js'
import { type SealedRequest, sealRequest } from '../../conversation/seal-request.js'
import type { SealRules } from '../../conversation/seal-rules.js'
import { ToolwireError } from '../../errors/error.js'
import { writeUnicode } from '../../json/stringify.js'
import type { EncodedRequest, Env, Exchange } from '../codec.js'
import { carriedFields, hasMember, noteOf } from '../extra.js'
import { historyItems } from '../history.js'
import { renamed } from '../names.js'
import { cachedPiece, type HistoryItems, relocate, requestBodyOf } from '../pieces.js'
import { mappingsOf, refusedTool } from '../schemas.js'
import { encodeSegment } from '../url-segment.js'
import { carriesMedia } from './blocks.js'
import { encodeMessage, historyKey, type MessagePiece } from './history.js'
import { type Flags, flagsOf } from './profiles.js'
import { encodeSettings } from './settings.js'
import { encodeTool, usesFunctions } from './tools.js'
import { nameRule, toolDialects, wire } from './types.js'

export function seal(request: CompletionRequest, env: Env): SealedRequest {
  const sealed = sealRequest(request, sealRules(request.model, flagsOf(env.profile)))
  if (sealed.request.messages.length > 0) return sealed
  throw new ToolwireError('invalid_request', `${wire} needs at least one message; add one to the conversation`)
}

function sealRules(model: string, flags: Flags): SealRules {
  return {
    wire,
    provider: flags.name,
    model,
    leadingSystem: 'keep',
    midSystem: 'keep',
    choices: flags.choices,
    refusedText: 'empty',
    emptyMessages: 'keep',
    assistantOrder: 'slots',
    userOrder: 'free',
    joinText: ['reasoning'],
    assistantRuns: 'keep',
    reasoning: flags.reasoningEcho ? 'own' : 'none',
    uniqueIds: 'turn',
    firstTurn: 'any',
    carries: (part, place) => place === 'user' && carriesMedia(part),
    refusedTool: (tool) => refusedTool(tool, toolDialects),
  }
}

export function encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest {
  const flags = flagsOf(env.profile)
  const { request: sealed, losses: repairs } = seal(request, env)
  const losses = [...repairs]
  const tools = encodeTools(sealed, losses)
  const path = pathOf(sealed, flags)
  const model = path.hasModel ? undefined : sealed.model
  const settings = encodeSettings(sealed, model, options.stream, tools.sent, flags, losses)
  const extra = carriedFields(wire, sealed, '', losses, settings.written)
  const fields = hasMember(extra) ? { ...settings.fields, ...extra } : settings.fields
  const items = encodeMessages(sealed, flags, losses)
  const declared = { key: tools.sent ?? 'tools', items: tools.pieces }
  const body = requestBodyOf(writeUnicode(fields), declared, { key: 'messages', items })
  const http = { method: 'POST', path: path.path, headers: { 'content-type': 'application/json' }, body }
  return { http, losses, exchange: exchangeOf(sealed, options.stream, flags) }
}

function exchangeOf(request: CompletionRequest, stream: boolean, flags: Flags): Exchange {
  const { tools, model } = request
  const names = renamed(tools, nameRule)
  return {
    wire,
    model,
    provider: flags.name,
    stream,
    position: request.messages.length,
    ...(names === undefined ? {} : { names }),
    ...mappingsOf(request, toolDialects, flags.jsonSchema ? toolDialects : undefined),
  }
}

/** The path, with the model in it when a client of a deployment sent it so and the server knows that form. */
function pathOf(request: CompletionRequest, flags: Flags): { readonly path: string; readonly hasModel: boolean } {
  const noted = flags.modelInPath ? noteOf(request.extra?.[wire], 'path') : undefined
  const parts = typeof noted === 'string' ? deployment.exec(noted) : null
  if (parts === null) return { path: flags.path, hasModel: false }
  return { path: `${parts[1]}${encodeSegment(request.model)}${parts[3]}`, hasModel: true }
}

/** A path that names its model: the part before it, the model, the part behind it. Neither part has dot segments. */
export const deployment: RegExp =
  /^((?:\/[\w~-][\w.~-]*)*\/deployments\/)([^/?]+)((?:\/[\w~-][\w.~-]*)+(?:\?[^#\s]*)?)$/

interface Tools {
  /** The member they stand in, or nothing when none are sent. */
  readonly sent?: 'tools' | 'functions'
  readonly pieces: readonly string[]
}

function encodeTools(request: CompletionRequest, losses: Loss[]): Tools {
  const { tools } = request
  if (tools === undefined) return { pieces: [] }
  const legacy = usesFunctions(request)
  const key = `${wire} ${legacy}`
  const pieces = tools.map((tool, index) => {
    const piece = cachedPiece(tool, key, () => encodeTool(tool, legacy))
    if (piece.losses.length > 0) relocate(piece.losses, at('/tools', index), losses)
    return piece.text
  })
  return { sent: legacy ? 'functions' : 'tools', pieces }
}

function encodeMessages(request: CompletionRequest, flags: Flags, losses: Loss[]): HistoryItems {
  const { messages } = request
  const key = historyKey(flags, false)
  const make = (message: Message): MessagePiece => encodeMessage(message, flags, false)
  return historyItems(messages, key, losses, (from, to, count, items, found) => {
    let legacy = false
    for (let index = from; index < to; index += 1) {
      const message = messages[index] as Message
      const piece: MessagePiece =
        legacy && message.role === 'tool'
          ? cachedPiece(message, historyKey(flags, true), () => encodeMessage(message, flags, true))
          : cachedPiece(message, key, make)
      legacy = piece.legacy
      if (piece.losses.length > 0) relocate(piece.losses, at('/messages', index), found)
      items.push(piece.text)
    }
    return count
  })
}
