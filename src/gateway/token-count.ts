// How long a request is in tokens: the provider's own count where it speaks the client's wire, else an estimate that says so.
import { parseBody } from '../json/parse.js'
import type { HttpRequest } from '../wire/codec.js'
import { modelIn } from '../wire/gemini/paths.js'
import { listing, tokensOf } from '../wire/listings.js'
import type { Route } from '../wire/routes.js'
import { jsonAnswer } from './answer.js'
import { type NamedBody, namedBody } from './asked.js'
import type { Written } from './call.js'
import { chosenFor, type Service } from './completion.js'
import { refused } from './failure.js'
import { passedOnTo, refusalOf } from './forward.js'
import type { ClientKey } from './options.js'
import { checkGeminiModel, checkQuery, memberOf, valueIn } from './request-rules.js'
import { hasThinkingToken } from './thinking-tokens.js'
import type { Visit } from './visit.js'

type CountRoute = Extract<Route, { kind: 'token_count' }>

export async function countedTokens(
  service: Service,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
  route: CountRoute,
): Promise<Written> {
  const body = namedBody(http.body as string)
  if (body === undefined || !isJson(http.body as string)) {
    throw refused(400, 'invalid_request', 'the request body must be a JSON object')
  }
  const model = askedModel(route, http, body)
  visit.facts.wire = route.wire
  const { endpoint } = chosenFor(service, visit, client, model)
  if (endpoint?.codec.wire !== route.wire || hasThinkingToken(http.body as string)) {
    visit.progress.losses = ['token_count_estimated']
    return jsonAnswer(listing(route, { models: [], inputTokens: tokensOf(http.body as string) }) as object)
  }
  const { requestId, arrival } = visit
  const { progress } = visit
  const call = { http, requestId, owner: client?.name ?? '', signal: arrival.signal, progress, exchange: { model } }
  try {
    const answer = await passedOnTo(endpoint, call, body)
    return { status: answer.status, headers: { 'content-type': 'application/json' }, body: answer.body }
  } catch (error) {
    return refusalOf(error, endpoint, progress)
  }
}

function isJson(text: string): boolean {
  try {
    parseBody(text)
    return true
  } catch {
    return false
  }
}

function askedModel({ wire }: CountRoute, { path }: HttpRequest, { sparse: { text }, object }: NamedBody): string {
  const mark = path.indexOf('?')
  if (mark >= 0) checkQuery(wire, path.slice(mark))
  if (wire === 'gemini') {
    checkGeminiModel(path, text, object.members)
    return modelIn(path)
  }
  const model = valueIn(text, memberOf(object.members, 'model'))
  if (typeof model === 'string') return model
  throw refused(400, 'invalid_request', 'the request must name a model in "model"')
}
