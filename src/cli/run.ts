// `toolwire run`: one request, answered with tools; without words, a demonstration.
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { ToolwireError } from '../errors/error.js'
import { defaultFolder, type KeptRun, tellStop } from './kept-run.js'
import { lineInput } from './line-input.js'
import { keyVariables } from './models.js'
import { type ExitCode, exitCodeOf } from './outcome.js'
import { nothingSaid, readSaved, type Saved, savedOf, writeSaved } from './saved.js'
import { openSession, type SessionFlags } from './session.js'
import type { Terminal } from './terminal.js'

const demonstration = 'What is 17 * 23, and what time is it in Tokyo and in Boston?'

export interface RunFlags extends SessionFlags {
  /** Keeps the run in a folder, so that it survives the command. */
  readonly durable?: boolean | undefined
  /** That folder. */
  readonly runs?: string | undefined
}

type Input = Parameters<typeof lineInput>[0]

export async function runCommand(
  words: readonly string[],
  flags: RunFlags,
  terminal: Terminal,
  input: Input,
): Promise<ExitCode> {
  const isDemonstration = words.length === 0 && flags.resume === undefined
  if (isDemonstration) introduce(terminal)
  const prompt = isDemonstration ? demonstration : await promptOf(words, input)
  const from = flags.resume === undefined ? nothingSaid : await readSaved(flags.resume)
  checkAsked(from, prompt)
  const kept = keptOf(flags, from)
  const lines = lineInput(input, terminal.error)
  const session = await openSession(isDemonstration ? demonstrationFlags(flags) : flags, terminal, lines, kept)
  try {
    if (kept !== undefined) terminal.say(terminal.paint('dim', `run: ${kept.runId}, kept in ${kept.folder}`))
    if (isDemonstration) terminal.say(`\n${terminal.paint('cyan', 'you ›')} ${demonstration}`)
    const result = await session.take(from, prompt)
    tellStop(result, kept, terminal)
    if (flags.save !== undefined) await writeSaved(flags.save, savedOf(result))
    if (session.isOffline && flags.model === undefined && flags.json !== true) explain(terminal)
    return exitCodeOf(result.stop)
  } finally {
    lines.close()
    await session.close()
  }
}

/** Where the run is kept, if it is. A run out of a file has its state there, not in a folder of runs. */
function keptOf({ durable, runs }: RunFlags, from: Saved): KeptRun | undefined {
  if (durable !== true && runs === undefined) return undefined
  if (from.type === 'conversation') return { folder: runs ?? defaultFolder, runId: randomUUID() }
  throw new ToolwireError('misuse', 'a saved run that waits goes on from its file; leave out --durable and --runs')
}

/** The words of the command line; `-` alone is what is piped in. */
export async function promptOf(words: readonly string[], input: Input): Promise<string | undefined> {
  const said = words.join(' ')
  const prompt = said === '-' ? (await text(input)).trim() : said
  if (words.length > 0 && prompt.trim() === '') {
    throw new ToolwireError('misuse', 'the request is empty; say what to do in words')
  }
  return words.length === 0 ? undefined : prompt
}

/** A saved run that waits goes on as it is; a conversation that was answered needs a new request. */
function checkAsked(from: Saved, prompt: string | undefined): void {
  if (from.type === 'waiting') {
    if (prompt === undefined) return
    const names = from.state.pending.map((call) => call.name).join(', ')
    const message = `the saved run waits for a decision about ${names}; resume it without words, with --approve all or none`
    throw new ToolwireError('misuse', message)
  }
  const last = from.messages.at(-1)?.role
  if (prompt === undefined && last !== 'user' && last !== 'tool') {
    throw new ToolwireError('misuse', 'the saved conversation asks nothing; add words that go on with it')
  }
}

/** Offline unless a model was named: a demonstration costs nothing. */
function demonstrationFlags(flags: SessionFlags): SessionFlags {
  return { ...flags, model: flags.model ?? 'offline', demoTools: true }
}

function introduce(terminal: Terminal): void {
  terminal.say(`${terminal.paint('bold', 'toolwire')}: a demonstration, as no request was given.
A built-in engine, which is not a language model, plays the provider: it listens on this machine, is spoken to
over HTTP by the same codec that a real provider gets, asks for tools, reads their results, and answers.\n`)
}

/** How to go on with a real model, by the command that was used. */
function explain({ say, paint, env }: Terminal): void {
  const command = env.npm_lifecycle_event === 'start' ? 'npm start --' : 'toolwire run'
  say(`
${paint('bold', 'With a real model:')} set one of ${keyVariables.join(', ')}, or start Ollama, then
  ${command} --demo-tools "What time is it in Tokyo?"
  ${command} --model anthropic:claude-sonnet-5-5 --tools ./tools.mjs "…"
${paint('dim', 'Other wires of this demonstration: --wire openai-chat, openai-responses, anthropic, ollama, gemini')}`)
}
