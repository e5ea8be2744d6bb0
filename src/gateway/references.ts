// What a request only names because somebody keeps it: items of earlier answers, and conversations that are kept at a provider.
// The trap: what is named is most of the request. A model that is asked without it answers something else.
import type { AssistantPart, Message, Wire } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import { ToolwireError } from '../errors/error.js'
import type { JsonObject } from '../json/types.js'
import { decodeItem } from '../wire/openai-responses/items.js'
import { clientOrigin, wire as responses } from '../wire/openai-responses/types.js'
import type { Candidate } from './targets.js'

/** The request with the items themselves in the place of what names them. `isHome`: others are for the provider to know. */
export function withItems(
  request: CompletionRequest,
  wire: Wire,
  find: (id: string) => JsonObject | undefined,
  isHome: boolean,
): CompletionRequest {
  if (wire !== responses || !request.messages.some(namesItems)) return request
  const partsOf = (part: AssistantPart): readonly AssistantPart[] => {
    const id = namedBy(part)
    if (id === undefined) return [part]
    const item = find(id)
    if (item !== undefined) return decodeItem(item, clientOrigin)
    if (isHome) return [part]
    throw unknownItem(id)
  }
  const messages = request.messages.map((message) =>
    message.role === 'assistant' && namesItems(message)
      ? { ...message, content: message.content.flatMap(partsOf) }
      : message,
  )
  return { ...request, messages }
}

function namesItems(message: Message): boolean {
  return message.role === 'assistant' && message.content.some((part) => namedBy(part) !== undefined)
}

/** The id of the item that stands elsewhere. The type may be left out. */
function namedBy(part: AssistantPart): string | undefined {
  if (part.type !== 'opaque') return undefined
  const { type, id, ...rest } = part.data
  const isReference = type === 'item_reference' || ((type ?? null) === null && Object.keys(rest).length === 0)
  return isReference && typeof id === 'string' ? id : undefined
}

/** Said as OpenAI says it. */
function unknownItem(id: string): ToolwireError {
  const message = `Item with id '${id}' not found. This gateway keeps the items of answers for a while, and none where \`store\` is false; send the item itself.`
  return new ToolwireError('not_found', message, { detail: { [responses]: { param: 'input', code: null } } })
}

/** What names most of a request, and what to do where it means nothing. */
const foreignState: Partial<Readonly<Record<Wire, readonly [member: string, advice: string]>>> = {
  'openai-responses': ['conversation', 'continue with previous_response_id, which the gateway knows itself'],
  gemini: ['cachedContent', 'send the contents themselves'],
}

/** Refuses what a provider of the client's wire keeps when another answers. */
export function refuseForeignState({ extra }: CompletionRequest, wire: Wire, { model }: Candidate): void {
  const [member, advice] = foreignState[wire] ?? []
  if (member === undefined || (extra?.[wire]?.[member] ?? '') === '') return
  const message = `${member} names what a provider of ${wire} keeps, and ${model.name} is another; ${advice}, or route the model to a provider on that wire`
  throw new ToolwireError('unsupported_feature', message, { detail: { [wire]: { param: member } } })
}
