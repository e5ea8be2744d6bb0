// Who may come back to what a provider stores: answers, their items, conversations and containers belong to all keys of a gateway at
// the provider, who knows one key only. The trap: a request names them in several places.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject, isList } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import { type NamedBody, toolsWith } from './asked.js'
import { refused } from './failure.js'
import { memberOf, valueIn } from './request-rules.js'

/** Which key got which ids from a provider. */
export interface Owners {
  remember(owner: string, ids: Iterable<string>): void
  owns(owner: string, id: string): boolean
  /** Whether the id is the owner's; one that nobody has is from now on. */
  claim(owner: string, id: string): boolean
}

/** So many ids are remembered for each key, the oldest go first. */
const maxIds = 20_000
const maxIdLength = 256

export function ownerStore(): Owners {
  const idsOf = new Map<string, Set<string>>()
  const owns: Owners['owns'] = (owner, id) => idsOf.get(owner)?.has(id) === true
  const remember: Owners['remember'] = (owner, ids) => {
    const known = idsOf.get(owner) ?? new Set()
    idsOf.set(owner, known)
    for (const id of ids) {
      if (id.length > maxIdLength) continue
      known.delete(id)
      known.add(id)
    }
    for (const oldest of known) {
      if (known.size <= maxIds) break
      known.delete(oldest)
    }
  }
  return {
    remember,
    owns,
    claim(owner, id) {
      for (const [other, ids] of idsOf) if (other !== owner && ids.has(id)) return false
      remember(owner, [id])
      return true
    },
  }
}

/** The APIs whose providers store something by an id. */
const storing: ReadonlySet<Wire> = new Set<Wire>(['openai-responses', 'anthropic'])

export function storesAnswers(wire: Wire): boolean {
  return storing.has(wire)
}

const idMember = /"(?:id|container_id)":\s*"([^"\\]+)"/g

/** All ids in the text of an answer. */
export function* idsIn(text: string): Generator<string> {
  for (const [, id = ''] of text.matchAll(idMember)) yield id
}

/** Rejects a request that refers to what the provider stores for another key. */
export function checkOwner(wire: Wire, body: NamedBody, owners: Owners, owner: string): void {
  const {
    sparse: { text },
    object,
  } = body
  const member = (key: string): Json | undefined => valueIn(text, memberOf(object.members, key))
  if (wire === 'openai-responses') {
    const previous = member('previous_response_id')
    if (typeof previous === 'string' && !owners.owns(owner, previous)) throw unknownResponse(previous)
    claimAll(owners, owner, [member('conversation'), ...toolsWith(body, 'container').map((tool) => tool.container)])
    if (!text.includes('"id"') && !text.includes('\\u')) return
    for (const id of itemReferences(member('input'))) if (!owners.owns(owner, id)) throw unknownItem(id)
  }
  if (wire !== 'anthropic') return
  claimAll(owners, owner, [member('container')])
  const thread = member('thread')
  const previous = isJsonObject(thread) ? thread.previous_message_id : undefined
  if (typeof previous === 'string' && !owners.owns(owner, previous)) throw unknownThread(previous)
}

function claimAll(owners: Owners, owner: string, values: readonly (Json | undefined)[]): void {
  for (const value of values) {
    const id = isJsonObject(value) ? value.id : value
    if (typeof id === 'string' && !owners.claim(owner, id)) {
      throw refused(404, 'not_found', `"${id}" is not known to this gateway for this key`)
    }
  }
}

/** Items that stand for stored ones: references, and reasoning without its content, which the provider looks up. */
function itemReferences(input: Json | undefined): readonly string[] {
  if (!isList(input)) return []
  return input.flatMap((item: Json) =>
    isJsonObject(item) && typeof item.id === 'string' && isReference(item) ? [item.id] : [],
  )
}

function isReference({ type, id: _, ...rest }: JsonObject): boolean {
  if (type === 'item_reference') return true
  if ((type ?? null) === null) return Object.keys(rest).length === 0
  return type === 'reasoning' && typeof rest.encrypted_content !== 'string'
}

function unknownResponse(id: string): ToolwireError {
  const message = `Previous response with id '${id}' not found. This gateway does not know it for this key; send the whole conversation.`
  const words = { param: 'previous_response_id', code: 'previous_response_not_found' }
  return new ToolwireError('not_found', message, { status: 400, detail: { 'openai-responses': words } })
}

function unknownItem(id: string): ToolwireError {
  const message = `Item with id '${id}' not found. This gateway does not know it for this key; send the item itself.`
  return new ToolwireError('not_found', message, { detail: { 'openai-responses': { param: 'input', code: null } } })
}

function unknownThread(id: string): ToolwireError {
  const message = `the answer "${id}" is not known to this gateway for this key; send the whole conversation`
  const details = { error_code: 'thread_not_found' }
  return new ToolwireError('not_found', message, { detail: { anthropic: { details } } })
}
