// Anthropic's threads: the server holds the conversation, and a later request continues it by the id of the last answer.
// The SDK's tool runner uses them by default.
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { ProviderRequest } from './provider-state.js'

type RawRequest = ProviderRequest['raw']

export interface Threads {
  /** The request with the conversation that it continues. Throws `not_found` if the server does not hold it. */
  open(raw: RawRequest): RawRequest
  /** Holds the conversation of an opened request with its answer, a Messages body, if the request asks for it. */
  hold(opened: RawRequest, answer: string): void
}

export function createThreads(): Threads {
  const held = new Map<string, JsonObject>()
  return {
    open(raw) {
      const body = bodyOf(raw)
      const id = previousOf(body)
      if (body === undefined || id === undefined) return raw
      const before = held.get(id)
      if (before === undefined) throw unknownThread(id)
      return { ...raw, body: JSON.stringify({ ...before, ...body, messages: [...listOf(before), ...listOf(body)] }) }
    },
    hold(opened, answer) {
      const body = bodyOf(opened)
      if (!isJsonObject(body?.thread)) return
      const { id, content } = JSON.parse(answer) as { readonly id: string; readonly content: Json }
      const { tools, system } = body
      held.set(id, {
        ...(tools === undefined ? {} : { tools }),
        ...(system === undefined ? {} : { system }),
        messages: [...listOf(body), { role: 'assistant', content }],
      })
    },
  }
}

/** The JSON object in a Messages request; nothing for other bodies, which decoding refuses. */
function bodyOf({ body }: RawRequest): JsonObject | undefined {
  if (!body.includes('"thread"')) return undefined
  try {
    const value = JSON.parse(body) as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function previousOf(body: JsonObject | undefined): string | undefined {
  const thread = body?.thread
  if (!isJsonObject(thread) || thread.type !== 'continue') return undefined
  return typeof thread.previous_message_id === 'string' ? thread.previous_message_id : undefined
}

function listOf({ messages }: JsonObject): readonly Json[] {
  return Array.isArray(messages) ? messages : []
}

function unknownThread(id: string): ToolwireError {
  return new ToolwireError('not_found', `thread: the message "${id}" is not held here; send the whole conversation`, {
    detail: { anthropic: { details: { error_code: 'thread_not_found' } } },
  })
}
