// `toolwire runs check`: whether the files of durable runs are intact, and what can be kept of one that is not.
import { checkRun, checkRuns, type RunCheck, salvageRun } from '../durable/check.js'
import { ToolwireError } from '../errors/error.js'
import { type Writable, writeJson } from '../json/stringify.js'
import { tellWait } from './kept-run.js'
import { type ExitCode, exitCodes } from './outcome.js'
import type { RunsFlags } from './runs.js'
import { oneLine, type Terminal } from './terminal.js'

export interface CheckFlags extends RunsFlags {
  readonly salvage?: boolean | undefined
  readonly takeOver?: boolean | undefined
}

export async function checkCommand(
  runId: string | undefined,
  flags: CheckFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (flags.salvage === true) return salvage(runId, flags, terminal)
  const checks = runId === undefined ? await checkRuns(flags.runs) : [await findRun(flags.runs, runId)]
  if (checks.length === 0) terminal.say(`no runs in ${flags.runs}`)
  for (const check of checks) {
    const line = flags.json === true ? writeJson(check as unknown as Writable) : describeCheck(check)
    terminal.output.write(`${line}\n`)
  }
  return checks.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.answered
}

async function salvage(runId: string | undefined, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  if (runId === undefined)
    throw new ToolwireError('misuse', '--salvage takes the id of one run: toolwire runs check ID --salvage')
  await findRun(flags.runs, runId)
  const { takeOver } = flags
  const salvaged = await salvageRun(flags.runs, runId, { takeOver, onWait: (wait) => tellWait(wait, terminal) })
  if (flags.json === true) {
    terminal.output.write(`${writeJson(salvaged as unknown as Writable)}\n`)
    return exitCodes.answered
  }
  const { records, line, original, isDoubtful } = salvaged
  terminal.output.write(`${oneLine(runId, 200)}: kept ${records} records before line ${line}\n`)
  terminal.say(`the damaged journal is ${original}`)
  if (isDoubtful) {
    terminal.say(
      'the lost part may have made calls: when the run is resumed, calls are in doubt unless their tools are repeatable',
    )
  }
  return exitCodes.answered
}

function describeCheck({ runId, records, bytes, line, problem }: RunCheck): string {
  const what = `${oneLine(runId, 200)}  ${records} records, ${bytes} bytes`
  if (problem === undefined) return `${what}, intact`
  return `${what}, damaged${line === undefined ? '' : ` at line ${line}`}: ${oneLine(problem, 400)}`
}

/** A run that is missing is the caller's mistake. */
async function findRun(folder: string, runId: string): Promise<RunCheck> {
  return checkRun(folder, runId).catch((error: unknown) => {
    if (!ToolwireError.is(error) || error.code !== 'not_found') throw error
    throw new ToolwireError('misuse', `${error.message}; toolwire runs list shows those there are`, { cause: error })
  })
}
