// What a provider signs (thinking, thought signatures, encrypted reasoning) comes home although the client's wire cannot carry it:
// the turn that made calls is remembered by their ids, and stands again in its place when the client sends the calls back.
// Bounded; a client only finds its own; a turn that the client changed is taken as the client tells it.
import type { AssistantMessage, Message } from '../conversation/messages.js'
import { isCall, textOf } from '../conversation/messages.js'
import { canonicalJson } from '../json/canonical.js'
import { parseBody } from '../json/parse.js'
import { type Writable, writeJson } from '../json/stringify.js'
import { entryOverhead, type StoredBytes, type StoredEntry } from './stored-bytes.js'

export interface Continuations {
  restored(messages: readonly Message[], owner: string): readonly Message[]
  remember(message: AssistantMessage, owner: string): void
  /** Whether `remember` keeps the signatures of a turn. */
  keeps(message: AssistantMessage): boolean
}

/** Answers without a name of their own give their calls the same ids, turn after turn; what the calls say tells them apart. */
const maxAlike = 8

/** The turns whose calls have the same ids. */
interface Kept {
  readonly turns: readonly AssistantMessage[]
  readonly entry: StoredEntry
}

export function continuationStore(maxCount: number, memory: StoredBytes): Continuations {
  const kept = new Map<string, Kept>()
  const drop = (name: string): void => {
    const known = kept.get(name)
    if (known === undefined) return
    memory.remove(known.entry)
    kept.delete(name)
  }
  return {
    restored(messages, owner) {
      const turns = wholeTurns(messages)
      if (kept.size === 0) return turns
      return turns.map((message) => {
        if (message.role !== 'assistant') return message
        const name = nameOf(message, owner)
        const known = name === undefined ? undefined : kept.get(name)
        if (known === undefined) return message
        memory.touch(known.entry)
        const same = known.turns.find((one) => isSame(one, message))
        return same ?? known.turns.findLast((one) => hasOnlyCallsOf(one, message)) ?? message
      })
    },
    keeps: (message) => message.content.some(isSigned) && message.content.some(isCall),
    remember(message, owner) {
      if (!message.content.some(isSigned)) return
      const name = nameOf(message, owner)
      if (name === undefined) return
      const others = kept.get(name)?.turns.filter((one) => !isSame(one, message)) ?? []
      const turns = [...others, message].slice(-maxAlike)
      drop(name)
      const bytes = writeJson(turns as unknown as Writable).length + 2 * name.length + entryOverhead
      const entry: StoredEntry = { bytes, drop: () => drop(name) }
      kept.set(name, { turns, entry })
      memory.add(entry)
      const [oldest] = kept.keys()
      if (kept.size > maxCount && oldest !== undefined) drop(oldest)
    },
  }
}

/** Clients that write a turn down in pieces, as Google's SDK does with the chunks of a stream, mean one turn. */
function wholeTurns(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ role }, index) => role === 'assistant' && messages[index - 1]?.role === role)) return messages
  const whole: Message[] = []
  /** The content of the last message, once it consists of several. */
  let content: AssistantMessage['content'][number][] | undefined
  for (const message of messages) {
    const last = whole.at(-1)
    if (message.role !== 'assistant' || last?.role !== 'assistant') {
      whole.push(message)
      content = undefined
      continue
    }
    content ??= [...last.content]
    for (const part of message.content) if (saysSomething(part)) content.push(part)
    whole[whole.length - 1] = { ...last, ...message, content }
  }
  return whole
}

function saysSomething(part: AssistantMessage['content'][number]): boolean {
  return part.type !== 'text' || part.text !== '' || part.opaque !== undefined
}

function isSigned(part: AssistantMessage['content'][number]): boolean {
  return part.type === 'opaque' || ('opaque' in part && part.opaque !== undefined)
}

function nameOf({ content }: AssistantMessage, owner: string): string | undefined {
  const ids = content.filter(isCall).map((call) => call.id)
  return ids.length === 0 ? undefined : JSON.stringify([owner, ...ids])
}

/** The same calls and the same text: nothing was edited. White space around the text does not count. */
function isSame(a: AssistantMessage, b: AssistantMessage): boolean {
  return textOf(a.content).trim() === textOf(b.content).trim() && callsText(a) === callsText(b)
}

/** Some clients keep the calls of a turn only, and leave out what the model said beside them. */
function hasOnlyCallsOf(known: AssistantMessage, sent: AssistantMessage): boolean {
  return textOf(sent.content).trim() === '' && callsText(known) === callsText(sent)
}

/** Arguments count by value: clients write them anew. */
function callsText({ content }: AssistantMessage): string {
  return canonicalJson(content.filter(isCall).map((call) => [call.id, call.name, argumentText(call.arguments)]))
}

function argumentText(text: string): string {
  try {
    return canonicalJson(parseBody(text))
  } catch {
    return text
  }
}
