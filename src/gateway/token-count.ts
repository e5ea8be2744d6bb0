// How long a request is in tokens: the provider's own count where it speaks the client's wire, else an estimate that says so.
import { isJsonObject, parseBody } from '../json/parse.js'
import type { HttpRequest } from '../wire/codec.js'
import { modelIn } from '../wire/gemini/paths.js'
import { listing, tokensOf } from '../wire/listings.js'
import type { Route } from '../wire/routes.js'
import { jsonAnswer } from './answer.js'
import type { Written } from './call.js'
import { chosenFor, type Service } from './completion.js'
import { refused } from './failure.js'
import { passedOnTo, refusalOf } from './forward.js'
import type { ClientKey } from './options.js'
import type { Visit } from './visit.js'

type CountRoute = Extract<Route, { kind: 'token_count' }>

export async function countedTokens(
  service: Service,
  visit: Visit,
  client: ClientKey | undefined,
  http: HttpRequest,
  route: CountRoute,
): Promise<Written> {
  const model = askedModel(route, http)
  visit.facts.wire = route.wire
  const { endpoint } = chosenFor(service, visit, client, model)
  if (endpoint?.codec.wire !== route.wire) {
    visit.progress.losses = ['token_count_estimated']
    return jsonAnswer(listing(route, { models: [], inputTokens: tokensOf(http.body as string) }) as object)
  }
  const { requestId, arrival } = visit
  const call = { http, requestId, owner: client?.name ?? '', signal: arrival.signal }
  try {
    const { status, body } = await passedOnTo(endpoint, call, model)
    return { status, headers: { 'content-type': 'application/json' }, body }
  } catch (error) {
    return refusalOf(error, endpoint, visit.progress)
  }
}

function askedModel({ wire }: CountRoute, { path, body }: HttpRequest): string {
  if (wire === 'gemini') return modelIn(path)
  const parsed = parsedBody(body as string)
  if (isJsonObject(parsed) && typeof parsed.model === 'string') return parsed.model
  throw refused(400, 'invalid_request', 'the request names no model')
}

function parsedBody(text: string): unknown {
  try {
    return parseBody(text)
  } catch (cause) {
    throw refused(400, 'invalid_request', 'the request body is no JSON', { cause })
  }
}
