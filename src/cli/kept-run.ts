// Runs that outlive the command, in a folder: what is noted with them, so that `toolwire runs resume` knows how they were called.
// The trap: a note is read back as hostile data, and it says which modules are loaded; only flags that are known come out of it.
import { chdir, cwd } from 'node:process'
import type { LeaseWait } from '../durable/lease.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { RunResult } from '../loop/result.js'
import type { Approvals } from '../loop/state.js'
import { approvalModes } from './approval.js'
import { stopLine } from './outcome.js'
import type { SessionFlags } from './session.js'
import { oneLine, type Terminal } from './terminal.js'

export const defaultFolder = '.toolwire/runs'

export interface KeptRun {
  readonly folder: string
  readonly runId: string
  /** Answers to the calls that wait. */
  readonly approvals?: Approvals | undefined
  readonly takeOver?: boolean | undefined
}

/** How the run was called, the model as it was chosen. What it began with is in its first step. */
export function noteOf(flags: SessionFlags, model: string): JsonObject {
  const { baseUrl, textCalls, tools, mcp, mcpConfig, demoTools, allowHost, approve, maxTurns, timeout } = flags
  const given = { model, baseUrl, textCalls, tools, mcp, mcpConfig, demoTools, allowHost, approve, maxTurns, timeout }
  const kept = Object.entries(given).filter(([, value]) => value !== undefined)
  return { command: 'toolwire run', folder: cwd(), flags: Object.fromEntries(kept) as JsonObject }
}

/** Goes to the folder the run was started in, and gives its flags. */
export function enterNoted(runId: string, note: JsonObject | undefined): SessionFlags {
  const { command, folder, flags } = note ?? {}
  if (command !== 'toolwire run' || typeof folder !== 'string' || !isJsonObject(flags)) {
    const message = `the run "${runId}" was not started by toolwire run; its program goes on with it: run({ journal, runId })`
    throw new ToolwireError('misuse', message)
  }
  try {
    chdir(folder)
  } catch (error) {
    const message = `the run "${runId}" was started in ${folder}, which cannot be entered; make that folder, then resume it`
    throw new ToolwireError('misuse', message, { cause: error })
  }
  return {
    model: text(flags.model),
    baseUrl: text(flags.baseUrl),
    textCalls: flag(flags.textCalls),
    tools: texts(flags.tools),
    mcp: texts(flags.mcp),
    mcpConfig: texts(flags.mcpConfig),
    demoTools: flag(flags.demoTools),
    allowHost: texts(flags.allowHost),
    approve: approvalModes.find((mode) => mode === flags.approve),
    maxTurns: number(flags.maxTurns),
    timeout: number(flags.timeout),
  }
}

/** Says why nothing happens for a while. */
export function tellWait({ host, pid, leaseMs }: LeaseWait, { say, paint }: Terminal): void {
  const owner = pid === undefined ? 'another process' : `process ${pid} on ${oneLine(host ?? '', 80)}`
  const seconds = Math.ceil(leaseMs / 1000)
  say(paint('dim', `the run was open in ${owner}; waiting up to ${seconds} s to see whether that process is gone`))
}

/** How a run ended, where its answer does not say so. Of one that is kept: what is in doubt, what waits, how it goes on. */
export function tellStop(result: RunResult, kept: KeptRun | undefined, terminal: Terminal): void {
  const line = stopLine(result)
  const waits = kept !== undefined && result.stop.reason === 'needs_approval'
  if (line !== undefined) terminal.say(`toolwire: ${waits ? 'a call waits for approval' : line}`)
  if (kept !== undefined) tellKept(result, kept, terminal)
}

function tellKept(result: RunResult, { folder, runId }: KeptRun, { say, paint }: Terminal): void {
  for (const call of result.inDoubt ?? []) {
    say(
      `${paint('yellow', '!')} ${oneLine(call.name, 64)} (${oneLine(call.id, 80)}) is in doubt: it was cut off earlier`,
    )
  }
  const { reason, error } = result.stop
  if (reason === 'answer' || error?.code === 'run_locked' || error?.code === 'not_found') return
  const where = folder === defaultFolder ? '' : ` --runs ${shellWord(folder)}`
  const pending = result.state?.pending ?? []
  for (const { callId, name, arguments: text } of pending) {
    say(`${paint('yellow', '?')} ${oneLine(callId, 80)}: ${oneLine(name, 64)}(${oneLine(text, 200)})`)
  }
  const answer = pending[0] === undefined ? '' : ` --allow ${shellWord(pending[0].callId)}`
  say(`go on with: toolwire runs resume ${shellWord(runId)}${answer}${where}`)
}

function shellWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function flag(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

function texts(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}
