// A stored history may hold calls while the request has no tools. Some providers refuse that, so the tools are declared.
import type { Loss } from './losses.js'
import type { Message } from './messages.js'
import { isCall } from './messages.js'
import type { CompletionRequest, ToolSpec } from './request.js'
import type { SealRules } from './seal-rules.js'

/** The request with the tools that its history names, where the provider needs them. The model may not call them. */
export function declareCalledTools(
  request: CompletionRequest,
  rules: SealRules,
  report: (code: Loss['code'], path: string, message: string) => void,
): CompletionRequest {
  if (rules.toolsForCalls !== 'required' || request.tools !== undefined) return request
  const names = calledNames(request.messages)
  if (names.length === 0) return request
  const tools = names.map((name): ToolSpec => ({ name, inputSchema: { type: 'object' } }))
  const list = names.map((name) => JSON.stringify(name)).join(', ')
  report(
    'tools_declared',
    '/tools',
    `${rules.wire} refuses a history with calls but no tools; declared ${list} with any arguments, and no call is allowed. Pass \`tools\` to let the model call them`,
  )
  return { ...request, tools, toolChoice: 'none' }
}

function calledNames(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const part of message.content) if (isCall(part)) names.add(part.name)
  }
  return [...names]
}
