// Calls and their results: which calls are still open, and histories in which every call is answered.
// The trap: one id may occur twice in a turn, so results are counted per id and not merely looked up.

import { freeze } from './freeze.js'
import { emptyList, type MessageList } from './message-list.js'
import type { AnyCall, Message, ToolFailure, ToolMessage, ToolResult } from './messages.js'
import { isCall } from './messages.js'
import { toModelText } from './tool-error.js'

/** The calls of the last turn that the tool messages behind it do not answer; none when anything else was said since. */
export function openCalls(list: MessageList): readonly AnyCall[] {
  const results: ToolResult[] = []
  let node = list
  while (node.last?.role === 'tool') {
    for (const result of node.last.results) results.push(result)
    node = node.before ?? emptyList
  }
  return node.last?.role === 'assistant' ? unansweredOf(node.last.content.filter(isCall), results) : []
}

/** The same history with every call answered before the next turn; the same list when all were. */
export function answerOpenCalls(messages: readonly Message[], reason: string): readonly Message[] {
  const answered: Message[] = []
  let changed = false
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index] as Message
    answered.push(message)
    if (message.role !== 'assistant') continue
    const missing = unansweredOf(message.content.filter(isCall), resultsBehind(messages, index))
    if (missing.length === 0) continue
    changed = true
    const results = missing.map((call) => cancelled(call, reason))
    const next = messages[index + 1]
    if (next?.role === 'tool') {
      index += 1
      answered.push(freeze<ToolMessage>({ ...next, results: [...next.results, ...results] }))
    } else {
      answered.push(freeze<ToolMessage>({ role: 'tool', results }))
    }
  }
  return changed ? answered : messages
}

/** The result of a call that was not run, or whose outcome nobody waited for. */
export function cancelled(call: AnyCall, reason: string): ToolResult {
  const error: ToolFailure = { category: 'cancelled', message: reason }
  const content = [{ type: 'text' as const, text: toModelText(error) }]
  return freeze({ callId: call.id, name: call.name, content, isError: true, error })
}

function unansweredOf(calls: readonly AnyCall[], results: readonly ToolResult[]): readonly AnyCall[] {
  const counts = new Map<string, number>()
  for (const { callId } of results) counts.set(callId, (counts.get(callId) ?? 0) + 1)
  return calls.filter((call) => {
    const count = counts.get(call.id) ?? 0
    counts.set(call.id, count - 1)
    return count <= 0
  })
}

/** All results that follow a turn before the next one. */
function resultsBehind(messages: readonly Message[], index: number): readonly ToolResult[] {
  const results: ToolResult[] = []
  for (let next = index + 1; next < messages.length; next += 1) {
    const message = messages[next]
    if (message?.role === 'assistant') break
    if (message?.role === 'tool') for (const result of message.results) results.push(result)
  }
  return results
}
