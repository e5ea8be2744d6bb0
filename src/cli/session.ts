// What `run` and `chat` share: a model, tools, who approves, and turns that Ctrl-C stops. Whoever opens it closes it.
import type { LeaseWait } from '../durable/lease.js'
import type { JsonObject } from '../json/types.js'
import type { RunOptions } from '../loop/options.js'
import type { RunEvent, RunResult } from '../loop/result.js'
import { run } from '../loop/run.js'
import type { Model } from '../model/model.js'
import type { Approve } from '../tools/policy.js'
import { ToolRegistry } from '../tools/registry.js'
import type { AnyTool } from '../tools/tool.js'
import { type ApprovalMode, approver, askAlways, type QuestionEvents, terminalQuestion } from './approval.js'
import { type KeptRun, noteOf, tellWait } from './kept-run.js'
import type { LineInput } from './line-input.js'
import { drained } from './lines.js'
import type { ServerTools } from './mcp-servers.js'
import { type CompleteChoice, chooseModel, type ModelFlags } from './models.js'
import { startOfflineProvider } from './offline-provider.js'
import { exitCodes } from './outcome.js'
import { jsonReporter, terminalReporter } from './report.js'
import { checkWritable, type Saved } from './saved.js'
import { oneLine, type Terminal } from './terminal.js'
import { loadToolFiles } from './tool-files.js'
import { createUnfinished, withUnfinished } from './unfinished.js'

export interface SessionFlags extends ModelFlags {
  readonly tools?: readonly string[] | undefined
  /** Commands and addresses of MCP servers. */
  readonly mcp?: readonly string[] | undefined
  readonly mcpConfig?: readonly string[] | undefined
  readonly demoTools?: boolean | undefined
  /** Hosts the built-in `http_get` may ask; there is no such tool without one. */
  readonly allowHost?: readonly string[] | undefined
  readonly json?: boolean | undefined
  readonly save?: string | undefined
  readonly resume?: string | undefined
  readonly approve?: ApprovalMode | undefined
  readonly system?: string | undefined
  readonly maxTurns?: number | undefined
  /** Seconds, for each run of the loop. */
  readonly timeout?: number | undefined
}

export interface Session {
  readonly isOffline: boolean
  readonly tools: ToolRegistry
  /** Runs the loop to its end, telling of it as it goes. Ctrl-C aborts it and keeps what was said; again, and the process ends. */
  take(from: Saved, prompt: string | undefined): Promise<RunResult>
  close(): Promise<void>
}

/** With `kept`, its turn is that run: started there, or gone on with. */
export async function openSession(
  flags: SessionFlags,
  terminal: Terminal,
  lines: LineInput,
  kept?: KeptRun,
): Promise<Session> {
  if (flags.save !== undefined) await checkWritable(flags.save)
  const own = await loadToolFiles(flags.tools ?? [])
  const chosen = await chooseModel(flags, terminal.env)
  const isOffline = chosen.choice.type === 'offline'
  const hasServers = (flags.mcp ?? flags.mcpConfig) !== undefined
  const wantsDemo = flags.demoTools ?? (isOffline && !hasServers)
  const demo = wantsDemo ? (await import('./demo-tools.js')).demoToolsBeside(own, flags.allowHost) : []
  const tools = new ToolRegistry([...own, ...demo], { onCollision: 'qualify' })
  const servers = hasServers ? await openServers(flags, tools, terminal) : undefined
  const opened = await connect(chosen, flags, terminal).catch(async (error: unknown) => {
    await servers?.close()
    throw error
  })
  const { model } = opened
  const trusted = trustedTools(flags, isOffline, [...demo, ...(servers?.readers ?? [])])
  const journal = kept === undefined ? {} : await journalOf(kept, noteOf(flags, nameOf(chosen.choice)), terminal)
  const take = (from: Saved, prompt: string | undefined): Promise<RunResult> =>
    takeTurn({ model, tools, trusted, flags, terminal, lines, from, prompt, journal })
  const close = async (): Promise<void> => {
    await Promise.all([opened.close(), servers?.close()])
  }
  return { isOffline, tools, take, close }
}

type JournalOptions = Pick<RunOptions, 'journal' | 'runId' | 'approvals'>

/** Loaded only when a run is kept. */
async function journalOf(
  { folder, runId, ...kept }: KeptRun,
  note: JsonObject,
  terminal: Terminal,
): Promise<JournalOptions> {
  const { fileJournal } = await import('../durable/file-journal.js')
  const { approvals, takeOver } = kept
  const onWait = (wait: LeaseWait): void => tellWait(wait, terminal)
  return { journal: fileJournal(folder, { note, takeOver, onWait }), runId, approvals }
}

function nameOf(choice: CompleteChoice): string {
  return choice.type === 'offline' ? `offline:${choice.wire}` : `${choice.vendor}:${choice.model}`
}

/** Loaded only when there are servers: the library behind it is optional. */
async function openServers(flags: SessionFlags, tools: ToolRegistry, terminal: Terminal): Promise<ServerTools> {
  const { openMcpServers } = await import('./mcp-servers.js')
  return openMcpServers(flags, tools, terminal)
}

/** Tools that only read: what they read does not leave the machine when the engine is on it. */
function trustedTools(flags: SessionFlags, isOffline: boolean, readers: readonly AnyTool[]): Set<AnyTool> {
  return new Set(isOffline && flags.approve === undefined ? readers : [])
}

interface OpenModel {
  readonly model: Model
  close(): Promise<void>
}

/** The model that the flags name, or the first that is at hand. Whoever opens it closes it. */
export async function openModel(flags: ModelFlags, terminal: Terminal): Promise<OpenModel> {
  return connect(await chooseModel(flags, terminal.env), flags, terminal)
}

/** Opens the model that was chosen, and says which it is and why. */
async function connect(
  { choice, why }: Awaited<ReturnType<typeof chooseModel>>,
  flags: ModelFlags,
  terminal: Terminal,
): Promise<OpenModel> {
  const tell = (where: string): void =>
    terminal.say(terminal.paint('dim', `model: ${oneLine(where, 200)}${why === undefined ? '' : ` (${why})`}`))
  if (choice.type === 'offline') {
    const { model, url, close } = await startOfflineProvider(choice.wire)
    tell(`the offline engine, over the ${choice.wire} wire at ${url}`)
    return { model, close }
  }
  const model = choice.factory(choice.model, {
    baseUrl: flags.baseUrl,
    textCalls: flags.textCalls === true ? 'recover' : undefined,
    onRetry: ({ waitMs, error }) =>
      terminal.say(terminal.paint('dim', `${error.code}; trying again in ${(waitMs / 1000).toFixed(1)} s`)),
  })
  tell(nameOf(choice))
  return { model, close: async () => {} }
}

interface TurnOptions {
  readonly model: Model
  readonly tools: ToolRegistry
  /** Grows when the user says "always"; it is the same for all turns. */
  readonly trusted: Set<AnyTool>
  readonly flags: SessionFlags
  readonly terminal: Terminal
  readonly lines: LineInput
  readonly from: Saved
  readonly prompt: string | undefined
  /** Empty unless the run is kept. */
  readonly journal: JournalOptions
}

async function takeTurn(options: TurnOptions): Promise<RunResult> {
  const { flags, terminal } = options
  const reporter = flags.json === true ? jsonReporter(terminal.output) : terminalReporter(terminal)
  const controller = new AbortController()
  const interrupt = (): void => {
    if (controller.signal.aborted) leave(terminal)
    controller.abort()
  }
  const trust = (tool: AnyTool): void => void options.trusted.add(tool)
  const approve = approverOf(options, { interrupt, decided: reporter.decided, trust })
  const events = run.stream({ ...runOptions(options), approve, signal: controller.signal })
  process.on('SIGINT', interrupt)
  const unfinished = createUnfinished()
  try {
    const tell = (event: RunEvent): void => {
      unfinished.push(event)
      reporter.tell(event)
    }
    await report(events, tell, terminal)
    return withUnfinished(await events, unfinished)
  } finally {
    process.off('SIGINT', interrupt)
    terminal.spinner.stop()
  }
}

function runOptions({ model, tools, flags, from, prompt, journal }: TurnOptions): RunOptions {
  const { system, maxTurns, timeout } = flags
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000
  const start = from.type === 'waiting' ? { resume: from.state } : { messages: from.messages, system, prompt }
  return { model, tools, policy: askAlways, maxTurns, timeoutMs, ...start, ...journal }
}

/**
 * Unless the flags say who decides, it is whoever sits at the terminal; without one, tools that need approval are denied, or
 * wait in a run that is kept.
 */
function approverOf({ flags, terminal, lines, trusted, journal }: TurnOptions, events: QuestionEvents): Approve {
  const canAsk = lines.isTerminal && terminal.error.isTTY === true
  const ask = canAsk ? terminalQuestion(terminal, lines, events) : undefined
  return approver({ mode: flags.approve ?? (canAsk || journal.journal !== undefined ? 'ask' : 'none'), trusted, ask })
}

/** Tells every event, at the pace of whoever reads the output. */
async function report(
  events: AsyncIterable<RunEvent>,
  tell: (event: RunEvent) => void,
  { output }: Terminal,
): Promise<void> {
  for await (const event of events) {
    tell(event)
    if (output.writableNeedDrain === true) await drained(output)
  }
}

/** For those who press Ctrl-C twice. */
function leave(terminal: Terminal): never {
  terminal.spinner.stop()
  process.exit(exitCodes.interrupted)
}
