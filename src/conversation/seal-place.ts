// The last step of `seal`: where system text stands, which message comes first, and which messages in a row become one.
// The trap: a run of n messages is joined in one go, since joining them one by one would copy the content n times.
import type { AssistantMessage, AssistantPart, Message, SystemMessage, UserMessage } from './messages.js'
import { cleanAgain, type Report } from './seal-parts.js'
import type { SealRules } from './seal-rules.js'
import type { Placed } from './seal-runs.js'
import { followsUser } from './seal-sound.js'

const openingText = '(The conversation starts with the answer of the assistant.)'

/** System text where the wire takes it, a first turn it takes, and runs it can tell apart. */
export function place(
  before: readonly Message[],
  list: readonly Placed[],
  rules: SealRules,
  report: Report,
): readonly Message[] {
  const out = joinableMessages(before, rules)
  let leading = before.every((earlier) => earlier.role === 'system')
  for (const { message, path } of list) {
    const last = out.last()
    if (message.role === 'system') {
      if (leading && last?.role === 'system' && rules.leadingSystem === 'merge') {
        report('system_merged', path, 'system messages at the front were joined into one')
        out.join(last, message)
      } else if (leading || rules.midSystem === 'keep' || (rules.midSystem === 'after_user' && followsUser(last))) {
        out.push(message)
      } else {
        report('system_as_user', path, `${rules.wire} takes no system text here; it was sent as user text`)
        out.push(cleanAgain({ role: 'user', content: message.content }, rules))
      }
      continue
    }
    if (leading && message.role === 'assistant' && rules.firstTurn === 'user') {
      report('opening_added', path, `${rules.wire} needs a user message first; a neutral one was added`)
      const opening: UserMessage = { role: 'user', content: [{ type: 'text', text: openingText }] }
      out.push(opening)
    }
    leading = false
    if (message.role === 'assistant' && last?.role === 'assistant' && rules.assistantRuns === 'merge') {
      report('assistant_merged', path, 'assistant messages in a row were joined into one')
      out.join(last, message)
    } else out.push(message)
  }
  return out.end()
}

interface JoinableMessages {
  /** The last message, without the content that was joined to it. */
  last(): Message | undefined
  push(message: Message): void
  /** Adds the content of a message to that of the last one, which has the same role. */
  join<T extends SystemMessage | AssistantMessage>(last: T, message: T): void
  end(): readonly Message[]
}

/** A list in which messages can be joined to the last one. Joined content is cleaned once, when no more can follow. */
function joinableMessages(before: readonly Message[], rules: SealRules): JoinableMessages {
  const messages = [...before]
  let joined: { readonly into: SystemMessage | AssistantMessage; readonly content: AssistantPart[] } | undefined
  const endJoin = (): void => {
    if (joined === undefined) return
    const { into, content } = joined
    messages[messages.length - 1] = cleanAgain({ ...into, content } as Message, rules)
    joined = undefined
  }
  return {
    last: () => messages.at(-1),
    push(message) {
      endJoin()
      messages.push(message)
    },
    join(last, { content }) {
      joined ??= { into: last, content: [...last.content] }
      for (const part of content) joined.content.push(part)
    },
    end() {
      endJoin()
      return messages
    },
  }
}
