// The events of the loop as `react` tells them: fragments of the outputs become deltas of their fields.
import type { RunEvent, RunResult } from '../loop/result.js'
import type { Awaitable } from '../model/awaitable.js'
import type { Model } from '../model/model.js'
import type { FieldReader } from './adapter.js'
import type { Field } from './field.js'
import { jsonReader } from './json-reader.js'
import type { OutputRetry } from './prediction.js'
import type { ReactEvent } from './react-result.js'
import type { AnyFields } from './signature.js'
import { submitName } from './submit.js'

/** The model, asked for fragments of arguments while it streams. */
export function withDeltas(model: Model): Model {
  const { name, id, capabilities } = model
  return {
    name,
    id,
    capabilities,
    complete: (request, options) => model.complete(request, options),
    stream: (request, options) => model.stream(request, { ...options, deltas: true }),
  }
}

/** The events of a run, with the retries that were found on the way and the text outputs as they grow. */
export async function* reactEvents(
  events: Awaitable<RunEvent, RunResult>,
  outputs: readonly Field[],
  found: OutputRetry[],
): AsyncGenerator<ReactEvent<AnyFields>, RunResult> {
  const shown = outputs.filter(({ internal }) => !internal)
  const readers = new Map<string, FieldReader>()
  for await (const event of events) {
    for (const retry of found.splice(0)) yield { type: 'retry', retry }
    if (event.type === 'done') continue
    if (event.type !== 'tool_call_delta') {
      yield event
      continue
    }
    if (event.name !== submitName) continue
    const key = `${event.turn}/${event.part}`
    const reader = readers.get(key) ?? jsonReader(shown)
    readers.set(key, reader)
    for (const delta of reader.push(event.text)) yield { type: 'field_delta', ...delta }
  }
  return events
}
