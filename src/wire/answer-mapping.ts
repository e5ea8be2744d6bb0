// An answer in a lowered schema, brought back to the schema that was asked for. Such text is given whole when the answer ends:
// fragments of it cannot be mapped. Text that is no JSON (a preamble, a cut answer) stays as it is.
import type { CompletionEvent } from '../conversation/events.js'
import { type Mapping, mapBack } from '../schema/restrict/value-map.js'
import type { Codec, StreamDecoder } from './codec.js'

export function mappedResponse(decode: Codec['response']['decode']): Codec['response']['decode'] {
  return (http, exchange, env) => {
    const events = decode(http, exchange, env)
    if (exchange.output === undefined) return events
    const collector = collect(exchange.output)
    return [...events.flatMap((event) => collector.push(event)), ...collector.rest()]
  }
}

export function mappedStream(decode: Codec['stream']['decode']): Codec['stream']['decode'] {
  return (exchange, env): StreamDecoder => {
    const machine = decode(exchange, env)
    if (exchange.output === undefined) return machine
    const collector = collect(exchange.output)
    return {
      push: (bytes) => machine.push(bytes).flatMap((event) => collector.push(event)),
      end: () => [...machine.end().flatMap((event) => collector.push(event)), ...collector.rest()],
    }
  }
}

interface Collector {
  push(event: CompletionEvent): readonly CompletionEvent[]
  /** The text of an answer that never finished, as it came. */
  rest(): readonly CompletionEvent[]
}

function collect(mapping: Mapping): Collector {
  const texts = new Map<number, string>()
  const release = (change: (text: string) => string): readonly CompletionEvent[] => {
    const events = [...texts].map(([part, text]): CompletionEvent => ({ type: 'text_delta', part, text: change(text) }))
    texts.clear()
    return events
  }
  return {
    push(event) {
      if (event.type === 'text_delta') {
        texts.set(event.part, (texts.get(event.part) ?? '') + event.text)
        return []
      }
      if (event.type === 'finish') return [...release((text) => mapBack(text, mapping)), event]
      return event.type === 'error' ? [...release((text) => text), event] : [event]
    },
    rest: () => release((text) => text),
  }
}
