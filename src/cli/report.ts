// The events of a run as people see them: text as it comes, one line for each tool call, and a note of what did not cross.
import type { Loss } from '../conversation/losses.js'
import type { AnyCall, ToolResult } from '../conversation/messages.js'
import { textOf } from '../conversation/messages.js'
import type { Writable } from '../json/stringify.js'
import type { RunEvent } from '../loop/result.js'
import { jsonLine } from './lines.js'
import { harmless, oneLine, type Sink, type Terminal, widthOf } from './terminal.js'

export interface Reporter {
  tell(event: RunEvent): void
  /** Somebody decided about the call: its time counts from now. */
  decided(callId: string): void
}

/** Every event as one line of JSON; the last one is `done` with the result. */
export function jsonReporter(output: Sink): Reporter {
  return {
    // Events are plain data but for errors, which say themselves what they are as JSON.
    tell: (event) => void output.write(jsonLine(event as unknown as Writable)),
    decided: () => {},
  }
}

/** Text on `output`; calls, notes and the spinner on `error`. */
export function terminalReporter(terminal: Terminal, now: () => number = () => performance.now()): Reporter {
  const { spinner } = terminal
  const page = createPage(terminal)
  const startedAt = new Map<string, number>()
  // A limit on the length of answers that nobody asked for is no news.
  const noted = new Set(['max_tokens_default'])
  const settle = (call: AnyCall, line: string): void => {
    startedAt.delete(call.id)
    page.say(line)
    if (startedAt.size > 0) spinner.start('waiting for the tools')
  }
  const tell = (event: RunEvent): void => {
    switch (event.type) {
      case 'turn_start':
        spinner.start('waiting for the model')
        break
      case 'text_delta':
        page.write(event.text)
        break
      case 'reasoning_delta':
        page.wait('the model is thinking')
        break
      case 'tool_start':
        startedAt.set(event.call.id, now())
        page.end()
        spinner.start(`running ${event.call.name}`)
        break
      case 'tool_result':
        settle(
          event.call,
          callLine(terminal, event.call, event.result, now() - (startedAt.get(event.call.id) ?? now())),
        )
        break
      case 'tool_paused':
        settle(event.call, pausedLine(terminal, event.call))
        break
      case 'loss':
        if (!noted.has(event.loss.code)) page.say(lossLine(terminal, event.loss))
        noted.add(event.loss.code)
        break
      case 'turn_end':
      case 'done':
        page.end()
    }
  }
  const decided = (callId: string): void => {
    startedAt.set(callId, now())
    spinner.start('waiting for the tools')
  }
  return { tell, decided }
}

interface Page {
  /** Text of the answer, as it comes. */
  write(text: string): void
  /** Ends the line the answer is in, if it is in one. */
  end(): void
  /** A line of its own about the answer. */
  say(line: string): void
  /** Shows that something goes on, where no text is in the way. */
  wait(label: string): void
}

/** Keeps the answer and the lines about it apart, though both may be on one screen. */
function createPage({ output, spinner, say }: Terminal): Page {
  let isMidLine = false
  const end = (): void => {
    spinner.stop()
    if (isMidLine) output.write('\n')
    isMidLine = false
  }
  return {
    write(text) {
      if (text === '') return
      spinner.stop()
      output.write(output.isTTY === true ? harmless(text) : text)
      isMidLine = !text.endsWith('\n')
    },
    end,
    say(line) {
      end()
      say(line)
    },
    wait(label) {
      if (!isMidLine) spinner.start(label)
    },
  }
}

/** `✓ name(arguments) 12 ms → result`, on one line of the terminal. */
export function callLine(terminal: Terminal, call: AnyCall, result: ToolResult, elapsedMs: number): string {
  const { paint } = terminal
  const name = oneLine(call.name, 64)
  const time = duration(elapsedMs)
  const room = Math.max(40, widthOf(terminal.error, 140) - name.length - time.length - 8)
  const shown = oneLine(call.arguments, Math.floor(room * 0.4))
  const text = result.isError ? (result.error?.message ?? textOf(result.content)) : textOf(result.content)
  const outcome = oneLine(text, room - [...shown].length) || '(nothing)'
  const mark = result.isError ? paint('red', '✗') : paint('green', '✓')
  const tail = result.isError ? paint('red', outcome) : outcome
  return `${mark} ${paint('bold', name)}(${shown}) ${paint('dim', `${time} →`)} ${tail}`
}

function pausedLine({ paint }: Terminal, call: AnyCall): string {
  return `${paint('yellow', '?')} ${paint('bold', oneLine(call.name, 64))}(${oneLine(call.arguments, 80)}) waits for approval`
}

function lossLine({ paint }: Terminal, { message, path }: Loss): string {
  return paint('dim', `note: ${oneLine(message, 200)} (${oneLine(path, 60)})`)
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
