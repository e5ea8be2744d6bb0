// The way back from a response to events, for those who watch a stream when the answer came whole. `fold` undoes it.
import { assertNever, type CompletionEvent } from './events.js'
import type { AssistantPart, Extra, Opaque, ReasoningPart, TextPart } from './messages.js'
import type { CompletionResponse } from './response.js'

/** The events that add up to the response. `split` cuts text into deltas; whole when it is left out. */
export function unfold(
  response: CompletionResponse,
  split: (text: string) => readonly string[] = (text) => [text],
): readonly CompletionEvent[] {
  const { id, model, metadata, message, finishReason: reason, rawFinishReason: raw } = response
  const { origin, extra } = message
  const own = { ...(origin === undefined ? {} : { origin }), ...(extra === undefined ? {} : { extra }) }
  return [
    { type: 'start', id, model, ...own, metadata },
    ...message.content.flatMap((part, index) => partEvents(part, index, split)),
    ...response.losses.map((loss): CompletionEvent => ({ type: 'loss', loss })),
    ...(response.usage === undefined ? [] : [{ type: 'usage' as const, usage: response.usage }]),
    raw === undefined ? { type: 'finish', reason } : { type: 'finish', reason, raw },
  ]
}

function partEvents(
  value: AssistantPart,
  part: number,
  split: (text: string) => readonly string[],
): readonly CompletionEvent[] {
  switch (value.type) {
    case 'text':
    case 'reasoning': {
      const type = value.type === 'text' ? ('text_delta' as const) : ('reasoning_delta' as const)
      const pieces = value.text === '' ? [''] : split(value.text)
      const deltas = pieces.map((text) => ({ type, part, text }))
      // A writer must know what kind of text it is before the text; a signature comes behind what it signs.
      const [before, after] = value.type === 'text' ? [value.extra, undefined] : [undefined, value.extra]
      return [...attachment(value, part, before), ...deltas, ...attachment(value, part, after, value.opaque)]
    }
    case 'tool_call':
      return [{ type: 'tool_call', part, call: value }]
    case 'broken_call':
      return [{ type: 'broken_call', part, call: value }]
    case 'opaque':
      return [{ type: 'opaque', part, value }]
    default:
      return assertNever(value)
  }
}

function attachment(
  { type: of }: TextPart | ReasoningPart,
  part: number,
  extra: Extra | undefined,
  opaque?: Opaque,
): readonly CompletionEvent[] {
  if (opaque === undefined && extra === undefined) return []
  return [
    {
      type: 'attach',
      part,
      of,
      ...(opaque === undefined ? {} : { opaque }),
      ...(extra === undefined ? {} : { extra }),
    },
  ]
}
