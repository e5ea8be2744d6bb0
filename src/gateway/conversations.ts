// Conversations that clients continue by the id of an answer, `previous_response_id` on Responses and threads on Anthropic, or by the
// ids of its items. A client only finds its own.
import { isCall, type Message, type Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'
import type { Exchange } from '../wire/codec.js'
import { keptAnswers, type Spoken } from './kept-answers.js'
import { withItems } from './references.js'
import type { StoredBytes } from './stored-bytes.js'

/** One call of a client who may come back to it. */
export interface ConversationCall {
  /** The request with what it continues in front, and without the words that ask for it. */
  readonly request: CompletionRequest
  /** Keeps what was said, and the items that the client can name; nothing where the client does not want it. */
  readonly keep?: (response: CompletionResponse, items?: readonly JsonObject[]) => void
}

/**
 * Opens a call; throws when it continues or names what is not known. `owner` is who asks; `isHome`: a provider of the client's own
 * wire answers, who may know items that are not known here.
 */
export type Conversations = (
  request: CompletionRequest,
  exchange: Exchange,
  owner: string,
  isHome: boolean,
) => ConversationCall

export function conversationStore(maxCount: number, memory: StoredBytes): Conversations {
  const { find, findItem, add } = keptAnswers(maxCount, memory)
  return (given, exchange, owner, isHome) => {
    const { wire } = exchange
    const nameOf = (id: string): string => JSON.stringify([owner, id])
    const previous = previousOf(given)
    const history = previous === undefined ? nothing : find(nameOf(previous))
    if (history === undefined) throw unknownAnswer(previous ?? '', wire)
    const spoken = withoutOwnWords(given)
    const found = withItems(spoken, wire, (id) => findItem(nameOf(id)), isHome)
    const whole = history === nothing ? found : withHistory(found, history, exchange)
    const request = whole === spoken ? spoken : { ...whole, messages: withResultNames(whole.messages) }
    if (!wantsKeeping(given, exchange)) return { request }
    const keep = (response: CompletionResponse, items: readonly JsonObject[] = []): void => {
      if (response.id === '') return
      const messages = [...carriedOver(request, exchange), response.message]
      const named = items.flatMap((item) => (typeof item.id === 'string' ? [[nameOf(item.id), item] as const] : []))
      add(nameOf(response.id), wire === 'anthropic' ? { messages, tools: request.tools } : { messages }, new Map(named))
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

/** Results take their names from their calls, which stood elsewhere when the results were read. */
function withResultNames(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>()
  return messages.map((message) => {
    if (message.role === 'assistant') for (const { id, name } of message.content.filter(isCall)) names.set(id, name)
    if (message.role !== 'tool' || message.results.every(({ name }) => name !== '')) return message
    const results = message.results.map((result) =>
      result.name === '' ? { ...result, name: names.get(result.callId) ?? '' } : result,
    )
    return { ...message, results }
  })
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
