// `toolwire runs` as the command line takes it. What it does is loaded when it runs.
import { type Command, Option } from 'commander'
import { approvalModes } from './approval.js'
import { defaultFolder } from './kept-run.js'
import type { ExitCode } from './outcome.js'
import type { ResumeFlags, RunsFlags } from './runs.js'
import type { CheckFlags } from './runs-check.js'
import { collect, seconds, wholeNumber } from './talk-options.js'
import type { Terminal } from './terminal.js'

/** Adds it to the program; `act` hands out the terminal and takes the exit code. */
export function addRunsCommand(
  program: Command,
  act: (use: (terminal: Terminal) => Promise<ExitCode>) => Promise<void>,
): void {
  const runs = program
    .command('runs')
    .summary('durable runs: list, show, resume, …')
    .description('durable runs: list, show, resume, cancel, export, check')
  const command = (name: string, description: string): Command =>
    runs.command(name).description(description).option('--runs <folder>', 'the folder of durable runs', defaultFolder)

  command('list', 'all runs, the last changed first')
    .option('--json', 'one run per line')
    .action((flags: RunsFlags) => act(async (terminal) => (await import('./runs.js')).listCommand(flags, terminal)))
  command('show <id>', 'what was said and done, what waits for approval, what is in doubt')
    .option('--json', 'everything, with the recorded steps, as one line')
    .action((id: string, flags: RunsFlags) =>
      act(async (terminal) => (await import('./runs.js')).showCommand(id, flags, terminal)),
    )
  resumeOptions(command('resume <id>', 'go on with a run that was interrupted, failed, stopped or waits')).action(
    (id: string, flags: ResumeFlags) =>
      act(async (terminal) => (await import('./runs.js')).resumeCommand(id, flags, terminal, process.stdin)),
  )
  command('cancel <id>', 'stop a run, also in another process; it cannot go on').action(
    (id: string, flags: RunsFlags) =>
      act(async (terminal) => (await import('./runs.js')).cancelCommand(id, flags, terminal)),
  )
  command('export <id>', 'the conversation as JSON, as run --resume takes it')
    .option('-o, --output <file>', 'write it there instead of stdout')
    .action((id: string, flags: RunsFlags & { readonly output?: string }) =>
      act(async (terminal) => (await import('./runs.js')).exportCommand(id, flags, terminal)),
    )
  command('check [id]', 'whether the files are intact: all runs, or this one')
    .option('--salvage', 'keep the records before the damage, and the damaged file beside them')
    .option('--take-over', 'take it from a process that lives')
    .option('--json', 'one run per line')
    .action((id: string | undefined, flags: CheckFlags) =>
      act(async (terminal) => (await import('./runs-check.js')).checkCommand(id, flags, terminal)),
    )
}

function resumeOptions(command: Command): Command {
  return command
    .option('--allow <callid>', 'let the call run that waits; may be repeated', collect)
    .option('--deny <callid=reason>', 'tell the model no, and why; may be repeated', collect)
    .addOption(new Option('--approve <mode>', 'decides about the other calls').choices(approvalModes))
    .option('-m, --model <vendor:model>', 'another model than the one it was started with')
    .option('--base-url <url>', 'where the server of that model listens')
    .option('--max-turns <n>', 'answers asked of the model at most, all attempts together', wholeNumber)
    .option('--timeout <seconds>', 'time for this attempt', seconds)
    .option('--take-over', 'take it from a process that lives; calls it is running are in doubt')
    .option('--json', 'one event per line; the last line is the result')
}
