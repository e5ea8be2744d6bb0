// `generate`: ask for a type, get a value of it, and know what it cost.

import { ToolwireError } from '../errors/error.js'
import { type Awaitable, awaitable, drained, type Source } from '../model/awaitable.js'
import type { AnySchema, Infer } from '../schema/infer.js'
import { attempts } from './attempts.js'
import { type Assignment, checkGenerate, type GenerateOptions } from './options.js'
import type { GenerateEvent, GenerateResult } from './result.js'

/** The events of a generation; awaited, its result. Leaving the iteration stops it and its tools. */
export type GenerateStream<T> = Awaitable<GenerateEvent, GenerateResult<T>>

/** The type of `generate`. */
export interface Generate {
  /** A value that fits the schema, or a ToolwireError that carries what the model said instead (`detail.text`, `detail.attempts`). */
  <const Schema extends AnySchema>(options: GenerateOptions<Schema>): Promise<GenerateResult<Infer<Schema>>>
  /** The same as events. Misuse of the options throws. Nothing happens before it is iterated or awaited. */
  stream<const Schema extends AnySchema>(options: GenerateOptions<Schema>): GenerateStream<Infer<Schema>>
}

/**
 * Asks for a value of a schema, with tools or without. Resolves with a value that was checked, or rejects with a
 * `ToolwireError`; `generate.stream` gives the same as events.
 */
export const generate: Generate = Object.assign(
  async <const Schema extends AnySchema>(options: GenerateOptions<Schema>): Promise<GenerateResult<Infer<Schema>>> =>
    typed<Schema>(await drained(attempts(checkGenerate(options), false))),
  {
    stream<const Schema extends AnySchema>(options: GenerateOptions<Schema>): GenerateStream<Infer<Schema>> {
      const assignment = checkGenerate(options)
      return awaitable(() => sourceOf<Schema>(assignment))
    },
  },
)

function sourceOf<Schema>(assignment: Assignment): Source<GenerateEvent, GenerateResult<Infer<Schema>>> {
  const leaving = new AbortController()
  const left = new ToolwireError('aborted', 'the reader of the events left')
  const { signal } = assignment.options
  const options = {
    ...assignment.options,
    signal: signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
  }
  return {
    events: attempts({ ...assignment, options }, true) as AsyncGenerator<GenerateEvent, GenerateResult<Infer<Schema>>>,
    leave: () => leaving.abort(left),
    left: () => {
      throw left
    },
  }
}

/** The check proved the value to be what the schema describes. */
function typed<Schema>(result: GenerateResult<unknown>): GenerateResult<Infer<Schema>> {
  return result as GenerateResult<Infer<Schema>>
}
