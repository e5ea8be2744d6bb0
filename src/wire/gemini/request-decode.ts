// A client's request, read: every documented spelling, unknown fields kept where they stand.
import type { Loss } from '../../conversation/losses.js'
import type { Message } from '../../conversation/messages.js'
import type { JsonObject } from '../../json/types.js'
import type { DecodedRequest, Env, HttpRequest } from '../codec.js'
import { requestBody } from '../request-body.js'
import { decodeContents, decodeSystem, rawMembers } from './contents.js'
import { readPath } from './paths.js'
import { type GeminiProfile, takesNoBudget } from './profiles.js'
import { readSettings } from './settings.js'
import { readTools } from './tools.js'
import { camelKeys, wire } from './types.js'

export function decode(http: HttpRequest, env: Env): DecodedRequest {
  const { text, body: raw } = requestBody(http)
  const body = camelKeys(raw)
  const losses: Loss[] = []
  const path = readPath(http.path)
  const model = path.model || (typeof body.model === 'string' ? body.model : '')
  const spans = rawMembers(text)
  const system = decodeSystem(body.systemInstruction, losses)
  const history = decodeContents(body.contents, spans, losses)
  const messages: readonly Message[] = system === undefined ? history : [system, ...history]
  const tools = readTools(body.tools, losses)
  const request = {
    model,
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...readSettings(body, takesNoBudget(env.profile as GeminiProfile, model)),
  }
  const client: JsonObject = { alt: path.alt }
  return { request, losses, exchange: { wire, model, stream: path.stream, client } }
}
