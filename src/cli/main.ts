#!/usr/bin/env node
// The `toolwire` command. What a command needs is loaded when it runs: help and a first answer come at once.
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ToolwireError } from '../errors/error.js'
import type { GenerateFlags } from './generate.js'
import { addLineCommands, profileOption, wireOption } from './line-commands.js'
import type { ServeFlags } from './mcp.js'
import { errorLine, exitCodes, thrownCode } from './outcome.js'
import type { ProbeFlags } from './probe.js'
import type { RunFlags } from './run.js'
import { addRunsCommand } from './runs-command.js'
import type { GatewayFlags } from './serve.js'
import type { SessionFlags } from './session.js'
import { collect, generateOptions, port, seconds, talkOptions } from './talk-options.js'
import { createTerminal } from './terminal.js'

const after = `
Exit codes: 0 answered, 1 failed, 2 misuse, 3 stopped by a limit or waiting for
approval, 130 interrupted.`

/** The commands; one that has its own exit code hands it to `finish`. */
function program(finish: (code: number) => void): Command {
  const command = new Command('toolwire')
    .description('One conversation, every wire: LLM tool calling for TypeScript.')
    .version(version())
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('(add --help for what is possible)')
    .addHelpText('after', after)
  talkOptions(command.command('run'))
    .argument('[words...]', 'the request; - reads it from standard input; none runs a demonstration')
    .option('--durable', 'keep the run on disk, step by step: it goes on after a crash with toolwire runs resume')
    .option('--runs <folder>', 'the folder of durable runs (.toolwire/runs)')
    .description('answer one request, with tools')
    .action(async (words: string[], flags: RunFlags) => {
      const { runCommand } = await import('./run.js')
      finish(await runCommand(words, flags, terminal(), process.stdin))
    })
  talkOptions(command.command('chat'))
    .description('talk with a model, line by line')
    .action(async (flags: SessionFlags) => {
      const { chatCommand } = await import('./chat.js')
      finish(await chatCommand(flags, terminal(), process.stdin))
    })
  generateOptions(command.command('generate'))
    .argument('<words...>', 'the request; - reads it from standard input')
    .summary('answer with a value that fits a schema')
    .description('answer one request with a value that fits a JSON Schema')
    .action(async (words: string[], flags: GenerateFlags) => {
      const { generateCommand } = await import('./generate.js')
      finish(await generateCommand(words, flags, terminal(), process.stdin))
    })
  command
    .command('mcp')
    .summary('serve tools to MCP clients')
    .description('serve tools to MCP clients, on standard input and output or over HTTP')
    .option('-t, --tools <file>', 'a module that exports tools; may be repeated', collect)
    .option('--demo-tools', 'the built-in clock, calculator and file reader')
    .option('--port <n>', 'over HTTP on this port of 127.0.0.1, 0 for any; the address is told on stderr', port)
    .action(async (flags: ServeFlags) => {
      const { mcpCommand } = await import('./mcp.js')
      finish(await mcpCommand(flags, process))
    })
  command
    .command('probe')
    .summary('find out what a live server can do')
    .description('asks a live server, by about a dozen short calls, what it can do')
    .argument('<url>', 'where it listens, such as http://127.0.0.1:11434')
    .addOption(wireOption('--wire <wire>', 'the wire it speaks'))
    .addOption(profileOption('--profile <name>'))
    .option('-m, --model <id>', 'the model to ask; the first it lists when left out')
    .option('--key-env <name>', 'the environment variable that holds the key')
    .option('--timeout <seconds>', 'time for all questions (180)', seconds)
    .option('--json', 'one JSON object; its capabilities can be given to a model factory', false)
    .action(async (url: string, flags: ProbeFlags) => {
      const { probeCommand } = await import('./probe.js')
      finish(await probeCommand(url, flags, terminal()))
    })
  addRunsCommand(command, (use) => use(terminal()).then(finish))
  addServeCommand(command, finish)
  addLineCommands(command)
  return command
}

function addServeCommand(command: Command, finish: (code: number) => void): void {
  command
    .command('serve')
    .summary('the gateway: any client in, any provider out')
    .description('serve models to clients of any wire, on every wire')
    .option('-c, --config <file>', 'routes, keys and limits; toolwire.config.json when it is there')
    .option('-p, --port <n>', 'the port, 0 for any (4141)', port)
    .option('--host <address>', 'where to listen (127.0.0.1); another needs client keys in the config')
    .option('--drain <seconds>', 'what answers on their way get when it is told to stop (30)', seconds)
    .addHelpText('after', serveHelp)
    .action(async (flags: GatewayFlags) => {
      process.stdout.off('error', endWithReader) // answers on their way are worth more than their lines
      const { serveCommand } = await import('./serve.js')
      finish(await serveCommand(flags, terminal(), process))
    })
}

const serveHelp = `
Without a config: the providers of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, XAI_API_KEY as far as they
are set, and a running Ollama; else the offline engine. A config that changes is read again; a bad one is told
and changes nothing. The log goes to stdout, as JSON lines when that is no terminal. SIGTERM drains.`

function terminal(): ReturnType<typeof createTerminal> {
  return createTerminal(process.stdout, process.stderr, process.env)
}

function version(): string {
  const file = readFileSync(new URL(import.meta.resolve('toolwire/package.json')), 'utf8')
  return (JSON.parse(file) as { readonly version: string }).version
}

async function main(): Promise<number> {
  let code: number = exitCodes.answered
  try {
    const commands = program((finished) => {
      code = finished
      // What a tool left open (a timer, a connection) does not keep the command alive.
      setTimeout(() => process.exit(), 100).unref()
    })
    await commands.parseAsync()
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.answered : exitCodes.misuse
    if (!ToolwireError.is(error)) throw error
    process.stderr.write(`toolwire: ${errorLine(error)}\n`)
    return thrownCode(error)
  }
}

/** A reader that stops early (`| head`) is no failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
}
process.stdout.on('error', endWithReader)
process.exitCode = await main()
