// One conversation that many tasks add to: updates run one after the other, each on what the one before it left.
// The trap: an update that awaits another update of the same manager from inside waits for itself.
import { ToolwireError } from '../errors/error.js'
import { Conversation } from './conversation.js'
import type { AssistantMessage, Message, ToolResult, UserPart } from './messages.js'

/** A conversation that several callers change: updates are done one after the other, each on what the one before left. */
export class ConversationManager {
  #current: Conversation
  #last: Promise<unknown> = Promise.resolve()

  constructor(conversation: Conversation = new Conversation()) {
    this.#current = conversation
  }

  /** The conversation after the last update that is done. */
  get current(): Conversation {
    return this.#current
  }

  get requiresToolExecution(): boolean {
    return this.#current.requiresToolExecution
  }

  /**
   * Runs `change` when all updates before it are done, on what they left, and keeps what it gives. A failing update changes
   * nothing, rejects for its caller, and does not hold up the next.
   */
  update(change: (conversation: Conversation) => Conversation | Promise<Conversation>): Promise<Conversation> {
    const done = this.#last.then(async () => {
      const next = await change(this.#current)
      if (!(next instanceof Conversation)) {
        throw new ToolwireError(
          'misuse',
          'an update must return a Conversation; return the value that its methods give',
        )
      }
      this.#current = next
      return next
    })
    this.#last = done.catch(() => {})
    return done
  }

  system(text: string): Promise<Conversation> {
    return this.update((conversation) => conversation.system(text))
  }

  user(content: string | readonly UserPart[]): Promise<Conversation> {
    return this.update((conversation) => conversation.user(content))
  }

  assistant(message: AssistantMessage | string): Promise<Conversation> {
    return this.update((conversation) => conversation.assistant(message))
  }

  toolResults(results: readonly ToolResult[]): Promise<Conversation> {
    return this.update((conversation) => conversation.toolResults(results))
  }

  append(message: Message): Promise<Conversation> {
    return this.update((conversation) => conversation.append(message))
  }

  toJSON(): readonly Message[] {
    return this.#current.toJSON()
  }
}
