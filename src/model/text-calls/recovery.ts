// The events of an answer with the calls that leaked into its text put where calls belong, each labelled as recovered.
// The trap: text cannot be taken back once it was shown, so from the first sign of a call on it waits for the end of the answer.
import type { CompletionEvent } from '../../conversation/events.js'
import type { CompletionRequest, ToolChoice } from '../../conversation/request.js'
import type { Exchange } from '../../wire/codec.js'
import { answerIdOf, madeCallId } from '../../wire/names.js'
import { findCalls, shownUntil } from './find-calls.js'
import type { DeclaredTools, TextCall } from './text-call.js'

export interface Recovery {
  /** What the event becomes; text that may hold a call is kept back until `finish`. */
  push(event: CompletionEvent): readonly CompletionEvent[]
  /** What was kept back, when the answer broke off. */
  rest(): readonly CompletionEvent[]
}

interface Held {
  text: string
  /** How much of it was shown. */
  shown: number
  /** Something that may be a call has begun: nothing more is shown. */
  isOpen: boolean
}

/** Recovers the calls of one answer to a request. Nothing is recovered where a call was made properly, or the answer was cut. */
export function textCallRecovery(request: CompletionRequest, exchange: Exchange): Recovery {
  const tools = declaredTools(request, exchange)
  const held = new Map<number, Held>()
  let responseId = ''
  let lastPart = -1
  let hasCalls = false
  const rest = (): CompletionEvent[] => {
    const events = [...held].map(([part, { text, shown }]) => textEvent(part, text.slice(shown)))
    held.clear()
    return events.flat()
  }
  const hold = (part: number, more: string): readonly CompletionEvent[] => {
    const known = held.get(part) ?? { text: '', shown: 0, isOpen: false }
    held.set(part, known)
    known.text += more
    if (known.isOpen) return []
    const from = known.shown
    const { shown, isOpen } = shownUntil(known.text, from, tools)
    held.set(part, { text: known.text, shown, isOpen })
    return textEvent(part, known.text.slice(from, shown))
  }
  return {
    rest,
    push(event) {
      if ('part' in event) lastPart = Math.max(lastPart, event.part)
      if (event.type === 'start') responseId = event.id
      if (event.type === 'tool_call' || event.type === 'broken_call') hasCalls = true
      if (event.type === 'text_delta') return hold(event.part, event.text)
      if (event.type !== 'finish') return [event]
      const mayRecover = !hasCalls && (event.reason === 'stop' || event.reason === 'tool_calls')
      const recovered = mayRecover ? recover() : undefined
      return recovered === undefined ? [...rest(), event] : [...recovered, { ...event, reason: 'tool_calls' }]
    },
  }

  /** The calls in all parts of the text, in order, behind what is left of it. */
  function recover(): readonly CompletionEvent[] | undefined {
    const texts: CompletionEvent[] = []
    const calls: TextCall[] = []
    const bare = request.output === undefined && held.size === 1
    for (const [part, { text, shown }] of held) {
      const found = findCalls(text, tools, { bare })
      const isUsable = found?.text.startsWith(text.slice(0, shown).trimEnd()) === true
      texts.push(...textEvent(part, isUsable ? found.text.slice(shown).trimEnd() : text.slice(shown)))
      if (isUsable) calls.push(...found.calls)
    }
    if (calls.length === 0) return undefined
    held.clear()
    const events = calls.map(({ name, arguments: args }, ordinal): CompletionEvent => {
      const id = madeCallId(`${answerIdOf(responseId, exchange)}/text`, ordinal)
      const own = exchange.names?.get(name) ?? name
      const call = { type: 'tool_call', id, name: own, arguments: args, recovered: true } as const
      return { type: 'tool_call', part: lastPart + 1 + ordinal, call }
    })
    return [...texts, reportOf(calls.length, exchange), ...events]
  }
}

function textEvent(part: number, text: string): readonly CompletionEvent[] {
  return text === '' ? [] : [{ type: 'text_delta', part, text }]
}

function reportOf(count: number, { wire }: Exchange): CompletionEvent {
  const message = `${count === 1 ? 'a call' : `${count} calls`} in the text of the answer became ${count === 1 ? 'a call' : 'calls'}`
  return { type: 'loss', loss: { code: 'text_call_recovered', wire, path: '/text', kind: 'repaired', message } }
}

/**
 * The tools that the choice of the request lets the model call, by the names it was told. One whose properties are spelt
 * otherwise on the wire cannot be recovered.
 */
function declaredTools({ tools = [], toolChoice }: CompletionRequest, { names, keys }: Exchange): DeclaredTools {
  const wireNames = new Map([...(names ?? [])].map(([wire, own]) => [own, wire]))
  const declared = tools.flatMap((tool) =>
    tool.type === undefined && keys?.has(tool.name) !== true && isAllowed(tool.name, toolChoice)
      ? [[wireNames.get(tool.name) ?? tool.name, tool.inputSchema] as const]
      : [],
  )
  return new Map(declared)
}

function isAllowed(name: string, choice: ToolChoice | undefined): boolean {
  if (typeof choice !== 'object') return choice !== 'none'
  return 'tool' in choice ? choice.tool === name : choice.allowed.includes(name)
}
