// `toolwire chat`: a conversation, line by line. Ctrl-C stops an answer and keeps what was said; again, and the chat is over.
import { lineInput, type Typed } from './line-input.js'
import { type ExitCode, exitCodeOf, exitCodes, stopLine } from './outcome.js'
import { nothingSaid, readSaved, type Saved, writeSaved } from './saved.js'
import { openSession, type Session, type SessionFlags } from './session.js'
import { oneLine, type Terminal } from './terminal.js'

const commands = `/tools       what the model can call
/save FILE   saves the conversation; --resume FILE goes on with it
/clear       forgets what was said
/exit        leaves, as Ctrl-D does; Ctrl-C stops an answer`

/** What a chat is between two lines. */
interface State {
  readonly said: Saved
  /** Ctrl-C was pressed and nothing was typed since. */
  readonly interrupted: boolean
  /** Of the last turn. */
  readonly code: ExitCode
  readonly over: boolean
}

interface Chat {
  readonly flags: SessionFlags
  readonly terminal: Terminal
  readonly session: Session
}

export async function chatCommand(
  flags: SessionFlags,
  terminal: Terminal,
  input: Parameters<typeof lineInput>[0],
): Promise<ExitCode> {
  const said = flags.resume === undefined ? nothingSaid : await readSaved(flags.resume)
  const lines = lineInput(input, terminal.error)
  const session = await openSession(flags, terminal, lines)
  const chat: Chat = { flags, terminal, session }
  // Between two lines a Ctrl-C that comes a moment too late must not end the chat; at the prompt it is a key, not a signal.
  const ignore = (): void => {}
  if (lines.isTerminal) process.on('SIGINT', ignore)
  let state: State = { said, interrupted: false, code: exitCodes.answered, over: false }
  try {
    if (lines.isTerminal) terminal.say(terminal.paint('dim', '/help lists the commands, Ctrl-D leaves'))
    if (said.type === 'waiting') state = await answer(chat, state, undefined)
    while (!state.over) {
      const typed = await lines.ask(`${terminal.paint('cyan', 'you ›')} `)
      state = await next(chat, state, typed)
    }
    // Whoever types has seen how each turn ended; a script has not.
    return lines.isTerminal && state.code !== exitCodes.interrupted ? exitCodes.answered : state.code
  } finally {
    process.off('SIGINT', ignore)
    lines.close()
    await session.close()
  }
}

async function next(chat: Chat, state: State, typed: Typed): Promise<State> {
  switch (typed.type) {
    case 'end':
      return { ...state, over: true, code: state.code === exitCodes.interrupted ? exitCodes.answered : state.code }
    case 'interrupt':
      if (state.interrupted) return { ...state, over: true, code: exitCodes.interrupted }
      chat.terminal.say(chat.terminal.paint('dim', 'Ctrl-C again, or Ctrl-D, leaves'))
      return { ...state, interrupted: true }
    case 'line': {
      const text = typed.text.trim()
      if (text === '') return { ...state, interrupted: false }
      return text.startsWith('/') ? await obey(chat, state, text) : await answer(chat, state, text)
    }
  }
}

/** One turn. What was said is kept however it ends. */
async function answer({ session, terminal, flags }: Chat, state: State, prompt: string | undefined): Promise<State> {
  const result = await session.take(state.said, prompt)
  const { stop, messages } = result
  const line = stopLine(result)
  if (line !== undefined) terminal.say(terminal.paint(stop.reason === 'error' ? 'red' : 'yellow', `toolwire: ${line}`))
  const said: Saved = { type: 'conversation', messages }
  if (flags.save !== undefined) await writeSaved(flags.save, said)
  return { ...state, said, interrupted: stop.reason === 'aborted', code: exitCodeOf(stop) }
}

async function obey({ session, terminal }: Chat, state: State, text: string): Promise<State> {
  const [command = '', ...rest] = text.split(/\s+/)
  const going: State = { ...state, interrupted: false }
  switch (command) {
    case '/exit':
    case '/quit':
      return { ...going, over: true }
    case '/clear':
      terminal.say('forgotten')
      return { ...going, said: nothingSaid }
    case '/tools': {
      const shown = session.tools.list().map(({ name, description }) => `${name}: ${oneLine(description, 100)}`)
      terminal.say(shown.join('\n') || 'none; give some with --tools, --mcp or --demo-tools')
      return going
    }
    case '/save': {
      const path = rest.join(' ')
      terminal.say(path === '' ? 'say where: /save FILE' : await saved(path, state.said))
      return going
    }
    default:
      terminal.say(command === '/help' ? commands : `there is no ${oneLine(command, 40)}\n${commands}`)
      return going
  }
}

async function saved(path: string, said: Saved): Promise<string> {
  try {
    await writeSaved(path, said)
    return `saved to ${path}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
