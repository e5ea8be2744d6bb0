// Conversations that clients continue by the id of an answer: `previous_response_id` on Responses, threads on Anthropic.
// Bounded, the longest unused goes first; a client only finds its own.
import type { Message, Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import { type Writable, writeJson } from '../json/stringify.js'
import type { JsonObject } from '../json/types.js'
import type { Exchange } from '../wire/codec.js'

/** One call of a client who may come back to it. */
export interface ConversationCall {
  /** The request with what it continues in front, and without the words that ask for it. */
  readonly request: CompletionRequest
  /** Keeps what was said; nothing where the client does not want it. */
  readonly keep?: (response: CompletionResponse) => void
}

/** Opens a call; throws when it continues what is not known. `owner` is who asks. */
export type Conversations = (request: CompletionRequest, exchange: Exchange, owner: string) => ConversationCall

/** What a later request continues. Threads are continued without the tools they were begun with. */
interface Spoken {
  readonly messages: readonly Message[]
  readonly tools?: CompletionRequest['tools']
}
interface Kept extends Spoken {
  readonly bytes: number
}

export function conversationStore(maxCount: number, maxBytes: number): Conversations {
  const kept = new Map<string, Kept>()
  let bytes = 0
  const drop = (name: string): void => {
    bytes -= kept.get(name)?.bytes ?? 0
    kept.delete(name)
  }
  const find = (name: string, previous: string, wire: Wire): Spoken => {
    const found = kept.get(name)
    if (found === undefined) throw unknownAnswer(previous, wire)
    kept.delete(name)
    kept.set(name, found)
    return found
  }
  const add = (name: string, spoken: Spoken): void => {
    const entry = { ...spoken, bytes: writeJson([spoken.messages, spoken.tools] as Writable).length }
    drop(name)
    kept.set(name, entry)
    bytes += entry.bytes
    for (const oldest of kept.keys()) {
      if (kept.size <= maxCount && bytes <= maxBytes) break
      drop(oldest)
    }
  }
  return (given, exchange, owner) => {
    const previous = previousOf(given)
    const nameOf = (id: string): string => JSON.stringify([owner, id])
    const history = previous === undefined ? nothing : find(nameOf(previous), previous, exchange.wire)
    const spoken = withoutOwnWords(given)
    const request = history === nothing ? spoken : withHistory(spoken, history, exchange)
    if (!wantsKeeping(given, exchange)) return { request }
    const keep = (response: CompletionResponse): void => {
      if (response.id === '') return
      const messages = [...carriedOver(request, exchange), response.message]
      add(nameOf(response.id), exchange.wire === 'anthropic' ? { messages, tools: request.tools } : { messages })
    }
    return { request, keep }
  }
}

const nothing: Spoken = { messages: [] }

/** Said as the wire's own provider says it: Anthropic's clients send the whole conversation by themselves when they read this code. */
function unknownAnswer(id: string, wire: Wire): ToolwireError {
  if (wire === 'anthropic') {
    const message = `the answer "${id}" is not known to this gateway any more; send the whole conversation`
    return new ToolwireError('not_found', message, {
      detail: { [wire]: { details: { error_code: 'thread_not_found' } } },
    })
  }
  const message = `Previous response with id '${id}' not found. This gateway does not know it any more; send the whole conversation.`
  const words = { param: 'previous_response_id', code: 'previous_response_not_found' }
  return new ToolwireError('not_found', message, { status: 400, detail: { [wire]: words } })
}

/** The id of the answer that the request continues. */
function previousOf(request: CompletionRequest): string | undefined {
  const id = request.extra?.['openai-responses']?.previous_response_id
  if (typeof id === 'string') return id
  const thread = request.extra?.anthropic?.thread
  if (!isJsonObject(thread) || thread.type !== 'continue') return undefined
  return typeof thread.previous_message_id === 'string' ? thread.previous_message_id : undefined
}

/** Responses are kept unless the client says no; threads only exist when it says so. */
function wantsKeeping(request: CompletionRequest, { wire, client }: Exchange): boolean {
  if (wire === 'openai-responses') return client?.store !== false
  return wire === 'anthropic' && isJsonObject(request.extra?.anthropic?.thread)
}

/** Instructions belong to one request of Responses; they are not carried over. */
function carriedOver(request: CompletionRequest, exchange: Exchange): readonly Message[] {
  return hasInstructions(exchange) ? request.messages.slice(1) : request.messages
}

/** Whether the first message is the `instructions` of Responses. */
function hasInstructions({ client }: Exchange): boolean {
  return typeof client?.instructions === 'string'
}

/** What is of this request alone goes in front: instructions, or the system text of Anthropic. All else stands behind the history. */
function withHistory(request: CompletionRequest, history: Spoken, exchange: Exchange): CompletionRequest {
  const isThread = exchange.wire === 'anthropic'
  const own = isThread ? isSystem(request.messages[0]) : hasInstructions(exchange)
  const said = isThread && own && isSystem(history.messages[0]) ? history.messages.slice(1) : history.messages
  const front = own ? 1 : 0
  const messages = [...request.messages.slice(0, front), ...said, ...request.messages.slice(front)]
  const tools = request.tools ?? history.tools
  const { messages: _, tools: __, ...rest } = request
  return { messages, ...rest, ...(tools === undefined ? {} : { tools }) }
}

function isSystem(message: Message | undefined): boolean {
  return message?.role === 'system'
}

/** Words to the gateway itself; a stream's usage is always asked for, and told to clients that want it. */
const ownWords = new Set(['previous_response_id', 'store', 'thread', '$includeUsage'])

function withoutOwnWords(request: CompletionRequest): CompletionRequest {
  if (request.extra === undefined || !Object.values(request.extra).some(speaksToUs)) return request
  const { extra, ...rest } = request
  const kept = Object.entries(extra).flatMap(([wire, members]) => {
    const others = Object.entries(members).filter(([name]) => !ownWords.has(name))
    return others.length === 0 ? [] : [[wire, Object.fromEntries(others)] as const]
  })
  return kept.length === 0 ? rest : { ...rest, extra: Object.fromEntries(kept) }
}

function speaksToUs(members: JsonObject): boolean {
  for (const name in members) if (ownWords.has(name)) return true
  return false
}
