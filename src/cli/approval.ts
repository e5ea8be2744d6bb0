// Who decides whether a tool may touch the network, files, a database or the shell. Tools that declare none of it just run.
import type { ToolCall } from '../conversation/messages.js'
import type { Approval, Approve, CapabilityPolicy } from '../tools/policy.js'
import type { AnyTool } from '../tools/tool.js'
import type { LineInput } from './line-input.js'
import { harmless, type Terminal } from './terminal.js'

export const approvalModes = ['ask', 'all', 'none'] as const
export type ApprovalMode = (typeof approvalModes)[number]

/** Everything a tool can declare is put to `approve`, whatever the tool's source. */
export const askAlways: CapabilityPolicy = { network: 'ask', filesystem: 'ask', database: 'ask', shell: 'ask' }

export interface ApproverOptions {
  readonly mode: ApprovalMode
  /** Tools that run without asking; may grow while calls wait. */
  readonly trusted: ReadonlySet<AnyTool>
  /** Asks a person; without it a call that must be asked about waits. */
  readonly ask?: ((call: ToolCall, tool: AnyTool, signal: AbortSignal) => Promise<Approval>) | undefined
}

export function approver({ mode, trusted, ask }: ApproverOptions): Approve {
  // Calls of one turn are asked about side by side; a person answers one question at a time.
  let last: Promise<unknown> = Promise.resolve()
  return (call, tool, { asked, signal }) => {
    if (asked.length === 0 || mode === 'all' || trusted.has(tool)) return 'allow'
    if (mode === 'none') {
      return { deny: `the user allows no tool that uses ${asked.join(' or ')}` }
    }
    if (ask === undefined) return 'pause'
    const answer = last.then(() => (trusted.has(tool) ? 'allow' : ask(call, tool, signal)))
    last = answer.catch(() => {})
    return answer
  }
}

export interface QuestionEvents {
  readonly interrupt: () => void
  readonly decided: (callId: string) => void
  /** The person wants to be asked no more about this tool. */
  readonly trust: (tool: AnyTool) => void
}

/** The question on a terminal: yes, no, or yes to every further call of this tool. All of the arguments are shown. */
export function terminalQuestion(
  terminal: Terminal,
  lines: LineInput,
  events: QuestionEvents,
): NonNullable<ApproverOptions['ask']> {
  return async (call, tool, signal) => {
    const { paint } = terminal
    terminal.say(`${paint('yellow', '?')} ${paint('bold', harmless(call.name))} wants ${tool.capabilities.join(', ')}:`)
    terminal.say(`  ${harmless(call.arguments)}`)
    const release = terminal.hold()
    const question = `  run it? ${paint('dim', '[y]es, [n]o, [a]lways')} › `
    const typed = await lines.ask(question, { signal, remember: false }).finally(release)
    events.decided(call.id)
    if (typed.type === 'interrupt') events.interrupt()
    if (typed.type !== 'line') return { deny: 'the user did not answer' }
    const word = typed.text.trim().toLowerCase()
    if (word === 'a' || word === 'always') events.trust(tool)
    return ['y', 'yes', 'a', 'always'].includes(word) ? 'allow' : { deny: 'the user said no' }
  }
}
