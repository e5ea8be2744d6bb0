// The options of the commands that talk to a model, as the command line takes them.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { wires } from '../conversation/messages.js'
import { approvalModes } from './approval.js'

/** The options of `run` and `chat`; their names are those of `SessionFlags`. */
export function talkOptions(command: Command): Command {
  return modelOptions(command)
    .option('--mcp <command|url>', 'the tools of an MCP server; may be repeated', collect)
    .option('--mcp-config <file>', 'a file with "mcpServers"; may be repeated', collect)
    .option('--demo-tools', 'the built-in clock, calculator and file reader; on with the offline engine alone')
    .option('--allow-host <host>', 'adds a built-in http_get for that host; may be repeated', collect)
    .addOption(
      new Option('--approve <mode>', 'tools that use network, files, a database or the shell').choices(approvalModes),
    )
    .option('--system <text>', 'instructions for the model')
    .option('--max-turns <n>', 'answers asked of the model at most (20)', wholeNumber)
    .option('--timeout <seconds>', 'time for a whole answer, tools included', seconds)
    .option('--save <file>', 'write the conversation there, as JSON')
    .option('--resume <file>', 'go on with a conversation that was saved')
    .option('--json', 'one event per line; the last line is the result')
    .addHelpText('after', after)
}

/** What every command that talks to a model takes: the model, and tools for it. */
export function modelOptions(command: Command): Command {
  return command
    .option('-m, --model <vendor:model>', 'anthropic, openai, openai-responses, gemini, xai, ollama, local; or offline')
    .option('--base-url <url>', 'where the server of that model listens')
    .addOption(new Option('--wire <wire>', 'the wire the offline engine is spoken to on').choices(wires))
    .option('--text-calls', 'make calls that a local model writes into its text')
    .option('-t, --tools <file>', 'a module that exports tools; may be repeated', collect)
}

/** The options of `generate`; their names are those of `GenerateFlags`. */
export function generateOptions(command: Command): Command {
  return modelOptions(command.requiredOption('-s, --schema <file>', 'a JSON Schema of the value, as a JSON file'))
    .option('--name <name>', 'what the value is called towards the model (response)')
    .option('--demo-tools', 'the built-in clock, calculator and file reader')
    .addOption(
      new Option('--approve <mode>', 'tools that use network, files, a database or the shell').choices(['all', 'none']),
    )
    .option('--system <text>', 'instructions for the model')
    .option('--retries <n>', 'tries after an answer that does not fit (2)', countFromZero)
    .option('--max-calls <n>', 'answers asked of the model at most (20)', wholeNumber)
    .option('--timeout <seconds>', 'time for each run of the model and its tools', seconds)
    .option('--json', 'one line with the value, how it was got and what it cost; or with the error')
    .addHelpText('after', afterGenerate)
}

const afterGenerate = `
The value goes to stdout as JSON, everything else to stderr. Tools that need approval are denied without --approve all.
Exit codes: 0 a value that fits the schema, 1 failed, 2 misuse, 3 stopped by a limit, 130 interrupted.`

const after = `
--approve: ask (on a terminal, the default there), all, none (denies them; the default elsewhere).
--mcp "npx -y @modelcontextprotocol/server-filesystem ." starts a server, --mcp http://127.0.0.1:3001/mcp
reaches one. It gets no key of this environment; a config file hands it some with "env": { "KEY": "\${KEY}" }.
Without --model: the first of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, XAI_API_KEY that is set,
a running Ollama, else the offline engine. The answer goes to stdout, everything else to stderr.
Exit codes: 0 answered, 1 failed, 2 misuse, 3 stopped by a limit or waiting for approval, 130 interrupted.`

export function collect(path: string, before: readonly string[] = []): readonly string[] {
  return [...before, path]
}

function countFromZero(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('Give a whole number from 0 on.')
}

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('Give a whole number from 1 on.')
}

export function seconds(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('Give a number of seconds above 0.')
}

export function port(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0 && value <= 65_535 && text.trim() !== '') return value
  throw new InvalidArgumentError('Give a port from 0 to 65535.')
}
