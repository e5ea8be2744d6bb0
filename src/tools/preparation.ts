// Everything that is decided about a call before its tool runs, in this order: is it whole, is there such a tool, does the
// policy allow it, are its arguments valid, does somebody approve. Trap: only a call that came through all of it may run.
import type { AnyCall, BrokenReason, ToolCall, ToolFailure } from '../conversation/messages.js'
import type { ValueObject } from '../json/types.js'
import type { Checked } from '../schema/issue.js'
import { issueText } from '../schema/issue.js'
import { type ArgumentLimits, freshArguments, sizeProblem } from './arguments.js'
import { notify } from './audit.js'
import { remainingMs } from './clock.js'
import type { Settings } from './executor-options.js'
import { failureOf } from './failure.js'
import { judge, readApproval } from './policy.js'
import { LazySignal, type Raced, race, type Soon } from './race.js'
import type { ToolSource } from './registry.js'
import { repairArguments } from './repair.js'
import type { AnyTool } from './tool.js'

/** Why repaired arguments are what they are now. */
export interface Repair {
  readonly note: string
  readonly arguments: string
}
export type Preparation =
  | { readonly state: 'ready'; readonly call: ToolCall; readonly tool: AnyTool; readonly input: unknown }
  | { readonly state: 'paused'; readonly call: ToolCall; readonly tool: AnyTool }
  | { readonly state: 'refused'; readonly failure: ToolFailure }
  | { readonly state: 'denied'; readonly failure: ToolFailure }

/** A call whose arguments were parsed, for this passage alone. */
export interface WholeCall {
  readonly call: ToolCall
  readonly args: ValueObject
  readonly repair?: Repair
}

/** Says whether a whole call may run, and on which input. Calls nothing but the tool's check and the approver. */
export function prepare(
  { call, args }: WholeCall,
  tools: ToolSource,
  settings: Settings,
  deadlineAt: number,
): Soon<Preparation> {
  const tool = tools.get(call.name)
  if (tool === undefined) return refuse(unknownTool(call, tools, settings))
  const verdict = judge(tool, settings.policy)
  if (verdict.state === 'deny') return deny(call, verdict.reason)
  const asked = verdict.state === 'ask' ? verdict.asked : []
  const decide = (checked: Raced<Checked<unknown>>): Soon<Preparation> => {
    if (checked.state !== 'done' || !checked.value.ok) return refuse(checkFailure(call, checked, settings))
    const ready: Preparation = { state: 'ready', call, tool, input: checked.value.value }
    if (asked.length === 0 && settings.approve === undefined) return ready
    return askApproval(call, tool, asked, settings, deadlineAt).then((refusal) => refusal ?? ready)
  }
  const { signals, clock, argumentLimits } = settings
  const check = (): Soon<Checked<unknown>> => tool.checkInput(args, { work: argumentLimits.work, fresh: true })
  const timeoutMs = Math.min(tool.timeoutMs ?? settings.timeoutMs, remainingMs(deadlineAt, clock))
  const checked = race(check, { signals, clock, timeoutMs })
  return checked instanceof Promise ? checked.then(decide) : decide(checked)
}

/** Why a check did not let the arguments through. */
function checkFailure(call: ToolCall, checked: Raced<Checked<unknown>>, settings: Settings): ToolFailure {
  if (checked.state === 'failed') return failureOf(checked.error, settings)
  if (checked.state !== 'done') return late(checked.state)
  const issues = checked.value.ok ? '' : issueText(checked.value.issues)
  return invalid(`Invalid arguments for tool "${call.name}": ${issues}`)
}

/** Asks, where somebody can answer. Undefined when the call may run. */
async function askApproval(
  call: ToolCall,
  tool: AnyTool,
  asked: AnyTool['capabilities'],
  settings: Settings,
  deadlineAt: number,
): Promise<Preparation | undefined> {
  const { approve, signals, clock } = settings
  if (approve === undefined) return deny(call, `it needs approval for ${asked.join(', ')}, and nobody can give it`)
  const own = new LazySignal()
  const limits = { signals, clock, timeoutMs: remainingMs(deadlineAt, clock), own }
  const raced = await race(() => approve(call, tool, { asked, signal: own.get() }), limits)
  if (raced.state === 'aborted' || raced.state === 'timed_out') return refuse(late(raced.state))
  const approval = raced.state === 'done' ? readApproval(raced.value) : undefined
  if (approval === 'allow') return undefined
  if (approval === 'pause') return { state: 'paused', call, tool }
  if (approval !== undefined) return deny(call, approval.deny)
  notify(() =>
    settings.log?.warn('An approval gave no answer; the call was denied', { tool: call.name, callId: call.id }),
  )
  return deny(call, 'asking for approval failed')
}

/** The call as it may run: itself, or repaired when that was asked for. Undefined: it is broken and stays so. */
export function wholeCall(
  call: AnyCall,
  { repair, argumentLimits }: Pick<Settings, 'repair' | 'argumentLimits'>,
): WholeCall | undefined {
  const args = call.type === 'tool_call' ? readable(call, argumentLimits) : undefined
  if (call.type === 'tool_call' && args !== undefined) return { call, args }
  const repaired = repair ? repairArguments(call) : undefined
  const mended = repaired === undefined ? undefined : readable(repaired.call, argumentLimits)
  if (repaired === undefined || mended === undefined) return undefined
  return { call: repaired.call, args: mended, repair: { note: repaired.note, arguments: repaired.call.arguments } }
}

function readable(call: ToolCall, limits: ArgumentLimits): ValueObject | undefined {
  try {
    return freshArguments(call, limits)
  } catch {
    return undefined
  }
}

const brokenReasons: Readonly<Record<BrokenReason | 'unreadable', string>> = {
  truncated: 'the output limit cut it off before its arguments were complete; call again with shorter arguments',
  malformed: 'its arguments are not valid JSON; call again with one complete JSON object',
  not_an_object: 'its arguments are not a JSON object; call again with one complete JSON object',
  no_name: 'it names no tool; call again with the name of a tool',
  unreadable: 'its arguments cannot be read as a JSON object; call again with one complete JSON object',
}

/** What the model reads of a call that is not whole. */
export function brokenFailure(call: AnyCall, limits: ArgumentLimits): ToolFailure {
  const problem = sizeProblem(call, limits)
  if (problem !== undefined) {
    return invalid(`The call to "${call.name}" was not run: ${problem.message}; call again with less`)
  }
  const reason = call.type === 'broken_call' ? call.reason : 'unreadable'
  return invalid(`The call to "${call.name}" was not run: ${brokenReasons[reason]}`)
}

const maxNames = 100

function unknownTool(call: ToolCall, tools: ToolSource, settings: Settings): ToolFailure {
  const names = tools.list().map((tool) => tool.name)
  const message = `Unknown tool "${call.name}"`
  notify(() => settings.log?.warn(message, { callId: call.id, knownTools: names }))
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : ''
  const knownTools = names.length === 0 ? 'none' : `${names.slice(0, maxNames).join(', ')}${more}`
  return { category: 'resource_not_found', message, details: { knownTools } }
}

/** What the model reads of a call that had not started when its run ended. */
export function late(state: 'aborted' | 'timed_out'): ToolFailure {
  if (state === 'aborted') return { category: 'cancelled', message: 'The run was aborted before the tool started' }
  return { category: 'execution_timeout', message: 'The time was up before the tool started' }
}

function invalid(message: string): ToolFailure {
  return { category: 'invalid_arguments', message }
}

function refuse(failure: ToolFailure): Preparation & { readonly state: 'refused' } {
  return { state: 'refused', failure }
}

function deny(call: ToolCall, reason: string): Preparation {
  const message = `The call to "${call.name}" was denied: ${reason}`
  return { state: 'denied', failure: { category: 'permission_denied', message } }
}
