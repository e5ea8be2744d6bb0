// What a Responses provider remembers for its clients: `previous_response_id` continues an answer, `item_reference` names one of its items.
// A request is rewritten to the conversation it stands for, so that checks and scripts see all of it. The trap: answers to requests with
// `store: false` are not remembered, and a stored reasoning item needs no encrypted content.
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { ProviderRequest } from './provider-state.js'

type Raw = ProviderRequest['raw']

export interface ExpandedRequest {
  readonly raw: Raw
  /** Why the provider does not know what the request refers to. */
  readonly fault?: string
}
export interface StoredResponses {
  expand(raw: Raw): ExpandedRequest
  /** Remembers an answer to an expanded request. */
  keep(raw: Raw, responseId: string, items: readonly JsonObject[]): void
  hasItem(id: Json | undefined): boolean
}

export function createStoredResponses(): StoredResponses {
  const conversations = new Map<Json | undefined, readonly Json[]>()
  const stored = new Map<Json | undefined, JsonObject>()
  return {
    expand(raw) {
      const body = bodyOf(raw)
      if (body === undefined) return { raw }
      const { previous_response_id: previous = null } = body
      const before = previous === null ? [] : conversations.get(previous)
      const own = inputOf(body)
      const unknown = own.find((item) => isReference(item) && !stored.has(item.id))
      const input = [
        ...(before ?? []),
        ...own.map((item) => (isReference(item) ? (stored.get(item.id) ?? item) : item)),
      ]
      const isChanged = before !== undefined && (previous !== null || own.some(isReference))
      const expanded = isChanged ? { ...raw, body: JSON.stringify({ ...body, input }) } : raw
      if (before === undefined)
        return { raw, fault: `previous_response_id: no response ${JSON.stringify(previous)} is stored` }
      if (isReference(unknown))
        return { raw: expanded, fault: `input: no item ${JSON.stringify(unknown.id)} is stored` }
      return { raw: expanded }
    },
    keep(raw, responseId, items) {
      const body = bodyOf(raw)
      if (body === undefined || body.store === false) return
      conversations.set(responseId, [...inputOf(body), ...items])
      for (const item of items) stored.set(item.id, item)
    },
    hasItem: (id) => stored.has(id),
  }
}

function bodyOf({ body }: Raw): JsonObject | undefined {
  try {
    const value = parseBody(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined // decoding says what is wrong
  }
}

function inputOf({ input }: JsonObject): readonly Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) ? input : []
}

function isReference(item: Json | undefined): item is JsonObject {
  if (!isJsonObject(item)) return false
  const { type = null, ...rest } = item
  return type === 'item_reference' || (type === null && Object.keys(rest).length === 1 && typeof rest.id === 'string')
}
