// The agent loop: ask the model, run the calls it makes, tell it the results, until it answers or a limit is reached.
// It returns, whatever happens after it started, and its messages can be sent again: every call has a result.
import { type Awaitable, awaitable, type Source } from '../model/awaitable.js'
import { createChannel, eventsOf } from './channel.js'
import { checkOptions, type RunOptions, type Setup } from './options.js'
import type { RunEvent, RunResult } from './result.js'
import { Session } from './session.js'
import { aborted } from './stop.js'

/** The events of a run; awaited, its result. Leaving the iteration stops the run and its tools. */
export type RunStream = Awaitable<RunEvent, RunResult>

/** The type of `run`. */
export interface Run {
  /** Runs to the end. Misuse of the options rejects; everything later is told by `stop`. */
  (options: RunOptions): Promise<RunResult>
  /** The same run as events. Misuse of the options throws. Nothing happens before it is iterated or awaited. */
  stream(options: RunOptions): RunStream
}

/**
 * Asks a model, runs the calls it makes, tells it the results, until it answers or a limit is met. Misuse throws at
 * once; afterwards it never rejects, and every call has exactly one result.
 */
export const run: Run = Object.assign(
  async (options: RunOptions): Promise<RunResult> => new Session(checkOptions(options), undefined).run(),
  {
    stream(options: RunOptions): RunStream {
      const setup = checkOptions(options)
      return awaitable(() => sourceOf(setup))
    },
  },
)

function sourceOf(setup: Setup): Source<RunEvent, RunResult> {
  const channel = createChannel<RunEvent>()
  const session = new Session(setup, channel)
  return {
    events: eventsOf(() => session.run(), channel),
    leave: () => session.end(aborted(new Error('the reader of the events left'))),
    left: () => session.result(),
  }
}
