// A conversation as a value: every method gives a new one, and the old one stays as it was. Tools are functions and not in it.

import { ToolwireError } from '../errors/error.js'
import { append, emptyList, type MessageList, toArray } from './message-list.js'
import type {
  AnyCall,
  AssistantMessage,
  Message,
  SystemMessage,
  ToolResult,
  UserMessage,
  UserPart,
} from './messages.js'
import { openCalls } from './pairing.js'
import { decodeConversation, decodeMessage } from './stored.js'
import { storedLimits } from './stored-fields.js'

const nothing: readonly Message[] = []

/**
 * Immutable. Messages are checked, copied and frozen on the way in, so that what was added cannot change later; a message
 * that came from a conversation, a model or a run is taken as it is.
 */
export class Conversation {
  #list: MessageList = emptyList
  #messages: readonly Message[] | undefined

  constructor(messages: readonly Message[] = nothing) {
    if (messages === nothing) return
    for (const message of decodeConversation(messages)) this.#list = append(this.#list, message)
  }

  /** The conversation that was stored: the value `toJSON` gave, parsed. Trusts nothing in it. */
  static from(json: unknown): Conversation {
    return new Conversation(decodeConversation(json))
  }

  system(text: string): Conversation {
    return this.append(textMessage('system', text))
  }

  user(content: string | readonly UserPart[]): Conversation {
    return this.append(typeof content === 'string' ? textMessage('user', content) : { role: 'user', content })
  }

  /** What the model said: the `message` of a response, or plain text. */
  assistant(message: AssistantMessage | string): Conversation {
    return this.append(typeof message === 'string' ? textMessage('assistant', message) : message)
  }

  /** All results of the last turn's calls, in one message. */
  toolResults(results: readonly ToolResult[]): Conversation {
    return this.append({ role: 'tool', results })
  }

  append(message: Message): Conversation {
    if (this.#list.length >= storedLimits.messages) {
      throw new ToolwireError(
        'limit_exceeded',
        `a conversation holds at most ${storedLimits.messages} messages; start a new one`,
      )
    }
    const longer = new Conversation()
    longer.#list = append(this.#list, decodeMessage(message))
    return longer
  }

  get length(): number {
    return this.#list.length
  }

  get messages(): readonly Message[] {
    this.#messages ??= toArray(this.#list)
    return this.#messages
  }

  /** The calls at the end that have no result yet, broken ones too. */
  get pendingCalls(): readonly AnyCall[] {
    return openCalls(this.#list)
  }

  get requiresToolExecution(): boolean {
    return this.pendingCalls.length > 0
  }

  /** Plain JSON: the list of messages. `Conversation.from` takes it back. */
  toJSON(): readonly Message[] {
    return this.messages
  }
}

/** A message of one text. */
export function textMessage<R extends 'system' | 'user' | 'assistant'>(
  role: R,
  text: string,
): R extends 'system' ? SystemMessage : R extends 'user' ? UserMessage : AssistantMessage {
  const message: SystemMessage | UserMessage | AssistantMessage = { role, content: [{ type: 'text', text }] }
  return message as never
}
