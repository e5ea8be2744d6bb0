// A sealed request as a body of /api/chat, and a client's body as a request.
// The trap: `stream` is on when nothing is said, so it always is said.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest } from '../../conversation/request.js'
import { type SealedRequest, sealRequest } from '../../conversation/seal-request.js'
import { writeUnicode } from '../../json/stringify.js'
import type { Json } from '../../json/types.js'
import type { DecodedRequest, EncodedRequest, Env, Exchange, HttpRequest } from '../codec.js'
import { requestBodyOf } from '../pieces.js'
import { readOnce } from '../remembered-tools.js'
import { invalidAt, requestBody } from '../request-body.js'
import { writeHistory } from './history.js'
import { readMessages } from './history-decode.js'
import { sealRules } from './profiles.js'
import { readSettings, writeSettings } from './settings.js'
import { readTool, writeTools } from './tools.js'
import { path, rawArguments, wire } from './types.js'

export function seal(request: CompletionRequest, env: Env): SealedRequest {
  return sealRequest(request, sealRules(env.profile, request.model))
}

export function encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest {
  const sealed = seal(request, env)
  const { model, messages, tools = [] } = sealed.request
  const { stream } = options
  const losses: Loss[] = [...sealed.losses]
  const declared = writeTools(tools, losses)
  const fields = writeUnicode({ model, stream, ...writeSettings(sealed.request, declared, losses) })
  const items = writeHistory(messages, losses)
  const body = requestBodyOf(fields, { key: 'tools', items: declared }, { key: 'messages', items })
  return {
    http: { method: 'POST', path, headers: { 'content-type': 'application/json' }, body },
    losses,
    exchange: { ...exchangeOf(sealed.request, stream, env), position: sealed.request.messages.length },
  }
}

export function decode(http: HttpRequest, env: Env): DecodedRequest {
  const { text, body } = requestBody(http)
  const { model, messages, stream } = body
  if (typeof model !== 'string') throw invalidAt('/model', 'a string')
  const spans = rawArguments(text)
  const request: CompletionRequest = {
    model,
    messages: readMessages(listIn(messages, '/messages'), spans),
    ...readTools(body.tools),
    ...readSettings(body),
  }
  return { request, losses: [], exchange: exchangeOf(request, stream !== false, env) }
}

function exchangeOf({ model, toolChoice }: CompletionRequest, stream: boolean, { profile }: Env): Exchange {
  const exchange = { wire, model, provider: profile.name, stream } as const
  return toolChoice === 'required' ? { ...exchange, callAsText: true } : exchange
}

function readTools(tools: Json | undefined): Pick<CompletionRequest, 'tools'> {
  const list = listIn(tools, '/tools')
  return list.length === 0 ? {} : { tools: readOnce(list, wire, readTool) }
}

/** A list; nothing said is an empty one. */
function listIn(value: Json | undefined, place: string): readonly Json[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidAt(place, 'a list')
  return value
}
