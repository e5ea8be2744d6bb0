// How a command ends: its exit code, and the one line that says what happened and what to do.
import { assertNever } from '../conversation/events.js'
import type { ToolwireError } from '../errors/error.js'
import type { RunResult } from '../loop/result.js'
import type { Stop } from '../loop/stop.js'
import { oneLine } from './terminal.js'

export const exitCodes = { answered: 0, failed: 1, misuse: 2, stopped: 3, interrupted: 130 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export function exitCodeOf(stop: Stop): ExitCode {
  switch (stop.reason) {
    case 'answer':
      return exitCodes.answered
    case 'error':
      return exitCodes.failed
    case 'max_turns':
    case 'budget':
    case 'needs_approval':
      return exitCodes.stopped
    case 'aborted':
      return exitCodes.interrupted
    default:
      return assertNever(stop.reason)
  }
}

/** Nothing where the answer speaks for itself. `text` is what the model said. */
export function stopLine({ stop, text }: Pick<RunResult, 'stop' | 'text'>): string | undefined {
  switch (stop.reason) {
    case 'answer':
      if (stop.detail === 'length') return 'the answer was cut off: the model reached its length limit'
      return stop.detail === 'content_filter' ? 'the provider filtered the answer' : undefined
    case 'error':
      return stop.error === undefined ? 'the run failed' : errorLine(stop.error)
    case 'max_turns':
      return 'stopped: the turns are used up; allow more with --max-turns'
    case 'budget':
      return stop.detail === 'time'
        ? 'stopped: the time is over; allow more with --timeout'
        : 'stopped: the model makes too many calls, or the same ones again and again; ask in other words'
    case 'needs_approval':
      return 'a call waits for approval; use --approve all, or --save a file and decide later with --resume'
    case 'aborted':
      return text === '' ? 'interrupted' : 'interrupted; the answer so far is kept in the conversation'
    default:
      return assertNever(stop.reason)
  }
}

const advice: Partial<Record<ToolwireError['code'], string>> = {
  authentication: 'check the key; --model offline needs none',
  permission: 'check what the key may do',
  not_found: 'check the model after --model',
  network: 'check that the server runs, and its address',
  quota_exceeded: "check the account's plan",
  rate_limited: 'try again later',
  overloaded: 'try again later',
  context_too_long: 'start a new conversation',
}

/** One line, whatever the provider wrote. */
export function errorLine(error: ToolwireError): string {
  // The advice is about models; an MCP server's error brings its own.
  const hint = error.detail?.server === undefined ? advice[error.code] : undefined
  return `${oneLine(error.message, 400)}${hint === undefined ? '' : ` (${hint})`}`
}

/** The exit code of what was thrown before anything ran. */
export function thrownCode(error: ToolwireError): ExitCode {
  return error.code === 'misuse' || error.code === 'invalid_tool_spec' ? exitCodes.misuse : exitCodes.failed
}
