// `toolwire runs`: the runs of a folder, listed, shown, resumed, cancelled, exported.
import { resolve } from 'node:path'
import { isCall, textOf } from '../conversation/messages.js'
import { cancelRun, listRuns, type RecordedRun, readRun } from '../durable/runs.js'
import { ToolwireError } from '../errors/error.js'
import type { Writable } from '../json/stringify.js'
import type { Approvals } from '../loop/state.js'
import { enterNoted, tellStop } from './kept-run.js'
import { lineInput } from './line-input.js'
import { jsonLine } from './lines.js'
import { type ExitCode, exitCodeOf, exitCodes } from './outcome.js'
import { nothingSaid, writeSaved } from './saved.js'
import { openSession, type SessionFlags } from './session.js'
import { oneLine, type Terminal } from './terminal.js'

export interface RunsFlags {
  readonly runs: string
  readonly json?: boolean | undefined
}
export interface ResumeFlags
  extends RunsFlags,
    Pick<SessionFlags, 'model' | 'baseUrl' | 'approve' | 'maxTurns' | 'timeout'> {
  readonly allow?: readonly string[] | undefined
  /** `CALLID=reason`. */
  readonly deny?: readonly string[] | undefined
  readonly takeOver?: boolean | undefined
}

export async function listCommand({ runs: folder, json }: RunsFlags, terminal: Terminal): Promise<ExitCode> {
  const runs = await listRuns(folder)
  if (json === true) for (const run of runs) terminal.output.write(jsonLine(run as unknown as Writable))
  else if (runs.length === 0) terminal.say(`no runs in ${folder}; toolwire run --durable "…" starts one`)
  else {
    const width = Math.max(...runs.map(({ runId }) => oneLine(runId, 80).length))
    for (const { runId, status, steps, updatedAt } of runs) {
      const id = oneLine(runId, 80).padEnd(width)
      terminal.output.write(`${id}  ${status.padEnd(11)}  ${String(steps).padStart(5)} steps  ${moment(updatedAt)}\n`)
    }
  }
  return exitCodes.answered
}

export async function showCommand(
  runId: string,
  { runs: folder, json }: RunsFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const run = await found(folder, runId)
  if (json === true) {
    terminal.output.write(jsonLine(run as unknown as Writable))
    return exitCodes.answered
  }
  const { output } = terminal
  const detail = [run.reason, run.detail].filter((word) => word !== undefined && word !== 'answer').join(', ')
  output.write(`${oneLine(runId, 200)}: ${run.status}${detail === '' ? '' : ` (${detail})`}\n`)
  output.write(`${run.steps} steps, ${run.bytes} bytes, ${moment(run.startedAt)} to ${moment(run.updatedAt)}\n`)
  for (const line of said(run)) output.write(`${line}\n`)
  for (const callId of run.inDoubt) output.write(`in doubt: ${oneLine(callId, 80)}\n`)
  for (const { callId, name, arguments: text, digest } of run.pending) {
    output.write(`waits: ${oneLine(callId, 80)}: ${oneLine(name, 64)}(${oneLine(text, 400)}) digest ${digest}\n`)
  }
  return exitCodes.answered
}

/** The conversation, a line for each thing said. */
function said(run: RecordedRun): readonly string[] {
  return run.messages.flatMap((message) => {
    if (message.role === 'tool') {
      return message.results.map(
        ({ name, content, isError }) =>
          `  ${isError ? '✗' : '✓'} ${oneLine(name, 64)} → ${oneLine(textOf(content), 200)}`,
      )
    }
    const text = textOf(message.content)
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : []
    return [
      ...(text === '' ? [] : [`${message.role}: ${oneLine(text, 400)}`]),
      ...calls.map((call) => `  ${oneLine(call.name, 64)}(${oneLine(call.arguments, 200)})`),
    ]
  })
}

export async function cancelCommand(runId: string, { runs: folder }: RunsFlags, terminal: Terminal): Promise<ExitCode> {
  await found(folder, runId)
  await cancelRun(folder, runId)
  terminal.say(`cancelled: ${oneLine(runId, 200)}`)
  return exitCodes.answered
}

/** The conversation as JSON, which `toolwire run --resume` takes. */
export async function exportCommand(
  runId: string,
  { runs: folder, output }: RunsFlags & { readonly output?: string | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  const { messages } = await found(folder, runId)
  if (output === undefined) terminal.output.write(jsonLine(messages as unknown as Writable))
  else await writeSaved(output, { type: 'conversation', messages })
  return exitCodes.answered
}

export async function resumeCommand(
  runId: string,
  flags: ResumeFlags,
  terminal: Terminal,
  input: Parameters<typeof lineInput>[0],
): Promise<ExitCode> {
  const kept = { folder: resolve(flags.runs), runId, approvals: approvalsOf(flags), takeOver: flags.takeOver }
  const { note, status, steps } = await found(kept.folder, runId)
  const { model, baseUrl, approve, maxTurns, timeout, json } = flags
  const given = Object.entries({ model, baseUrl, approve, maxTurns, timeout, json })
  const noted = enterNoted(runId, note)
  const asked = { ...noted, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
  terminal.say(terminal.paint('dim', `run: ${oneLine(runId, 200)}, ${status} after ${steps} steps`))
  const lines = lineInput(input, terminal.error)
  const session = await openSession(asked, terminal, lines, kept)
  try {
    const result = await session.take(nothingSaid, undefined)
    tellStop(result, { folder: flags.runs, runId }, terminal)
    return exitCodeOf(result.stop)
  } finally {
    lines.close()
    await session.close()
  }
}

function approvalsOf({ allow = [], deny = [] }: ResumeFlags): Approvals {
  const denied = deny.map((text) => {
    const at = text.indexOf('=')
    if (at > 0) return [text.slice(0, at), { deny: text.slice(at + 1) }] as const
    throw new ToolwireError('misuse', `--deny takes CALLID=reason; got "${text}"`)
  })
  return Object.fromEntries([...allow.map((callId) => [callId, 'allow'] as const), ...denied])
}

/** A run that is missing is the caller's mistake. */
async function found(folder: string, runId: string): Promise<RecordedRun> {
  return readRun(folder, runId).catch((error: unknown) => {
    if (!ToolwireError.is(error) || error.code !== 'not_found') throw error
    throw new ToolwireError('misuse', `${error.message}; toolwire runs list shows those there are`, { cause: error })
  })
}

function moment(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}
