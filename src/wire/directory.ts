// What servers tell besides completions: which models they have, and what one of them can do. Read leniently: a server that
// answers something else has told nothing.
import type { Wire } from '../conversation/messages.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { HttpRequest } from './codec.js'

/** A model by the id that calls name it with. */
export interface ListedModel {
  readonly id: string
  /** When it came out, in seconds; absent where the wire does not say. */
  readonly createdSeconds?: number
}
/** What a model is said to be able to do. */
export interface ShownModel {
  readonly tools: boolean
  readonly images: boolean
  readonly reasoning: boolean
}

const json = { accept: 'application/json' }
const listings: Readonly<Record<Wire, Pick<HttpRequest, 'path' | 'headers'>>> = {
  'openai-chat': { path: '/v1/models', headers: json },
  'openai-responses': { path: '/v1/models', headers: json },
  anthropic: { path: '/v1/models?limit=1000', headers: { ...json, 'anthropic-version': '2023-06-01' } },
  ollama: { path: '/api/tags', headers: json },
  gemini: { path: '/v1beta/models?pageSize=1000', headers: json },
}

export function listingRequest(wire: Wire): HttpRequest {
  return { method: 'GET', body: '', ...listings[wire] }
}

/** The models that hold conversations; nothing when the body is no listing. */
export function readListing(wire: Wire, body: string): readonly ListedModel[] | undefined {
  const listing = objectIn(body)
  const entries = listing?.[wire === 'ollama' || wire === 'gemini' ? 'models' : 'data']
  if (!Array.isArray(entries)) return undefined
  return (entries as readonly Json[]).filter(isJsonObject).flatMap((entry) => listedModel(wire, entry))
}

function listedModel(wire: Wire, entry: JsonObject): readonly ListedModel[] {
  const name = wire === 'ollama' || wire === 'gemini' ? entry.name : entry.id
  if (typeof name !== 'string' || name === '') return []
  const methods = entry.supportedGenerationMethods
  if (Array.isArray(methods) && !methods.includes('generateContent')) return []
  const id = wire === 'gemini' ? name.replace(/^models\//, '') : name
  const created = createdSeconds(entry)
  return [created === undefined ? { id } : { id, createdSeconds: created }]
}

function createdSeconds({ created, created_at: date }: JsonObject): number | undefined {
  if (typeof created === 'number') return created
  const parsed = typeof date === 'string' ? Date.parse(date) / 1000 : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed
}

/** How a server is asked about one model; nothing where the wire has no route for it. */
export function showRequest(wire: Wire, model: string): HttpRequest | undefined {
  if (wire !== 'ollama') return undefined
  const headers = { ...json, 'content-type': 'application/json' }
  return { method: 'POST', path: '/api/show', headers, body: JSON.stringify({ model }) }
}

/** Nothing when the server does not list what the model can do, as old ones do not. */
export function readShown(body: string): ShownModel | undefined {
  const capabilities = objectIn(body)?.capabilities
  if (!Array.isArray(capabilities)) return undefined
  const can = (name: string): boolean => (capabilities as readonly Json[]).includes(name)
  return { tools: can('tools'), images: can('vision'), reasoning: can('thinking') }
}

function objectIn(body: string): JsonObject | undefined {
  try {
    const value = parseBody(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
