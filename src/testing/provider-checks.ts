// What a strict provider server refuses of a request, as the real providers do: the first fault found, in one sentence.
// What all wires have in common is checked on the decoded history; what only a body shows is in body-checks.ts.
import type { AnyCall, Message, ToolResult, Wire } from '../conversation/messages.js'
import { isCall } from '../conversation/messages.js'
import type { CompletionRequest } from '../conversation/request.js'
import type { DecodedRequest } from '../wire/codec.js'
import { bodyFaults, type IsStored } from './body-checks.js'
import type { Signer } from './provider-signatures.js'
import type { ProviderRequest } from './provider-state.js'
import { schemaFaults } from './schema-checks.js'
import { wholeTurns } from './turns.js'

interface HistoryRules {
  readonly toolName: RegExp
  readonly callId: RegExp
  /** Where no two calls may have the same id. */
  readonly uniqueIds: 'turn' | 'conversation'
  /** Whether results are told apart by their order too. */
  readonly resultsInOrder: boolean
  readonly firstTurn: 'any' | 'user'
  /** Whether what one side says in several messages counts as one turn. */
  readonly joinsTurns: boolean
}

const rules: Readonly<Record<Wire, HistoryRules>> = {
  'openai-chat': {
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    callId: /^.{1,40}$/s,
    uniqueIds: 'turn',
    resultsInOrder: false,
    firstTurn: 'any',
    joinsTurns: false,
  },
  'openai-responses': {
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    callId: /^.{1,64}$/s,
    uniqueIds: 'conversation',
    resultsInOrder: false,
    firstTurn: 'any',
    joinsTurns: true,
  },
  anthropic: {
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    callId: /^[a-zA-Z0-9_-]{1,64}$/,
    uniqueIds: 'conversation',
    resultsInOrder: false,
    firstTurn: 'user',
    joinsTurns: true,
  },
  // The real server takes any history; what it makes of an unpaired one is no answer to the question.
  ollama: {
    toolName: /^.+$/s,
    callId: /^.+$/s,
    uniqueIds: 'turn',
    resultsInOrder: true,
    firstTurn: 'any',
    joinsTurns: true,
  },
  gemini: {
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
    callId: /^[a-zA-Z0-9_-]{1,64}$/,
    uniqueIds: 'turn',
    resultsInOrder: true,
    firstTurn: 'user',
    joinsTurns: true,
  },
}

/** Why the request is refused; nothing when it is not. */
export function refusalOf(
  decoded: DecodedRequest,
  raw: ProviderRequest['raw'],
  signer: Signer,
  isStored: IsStored,
): string | undefined {
  const { request, exchange } = decoded
  const [first] = [
    ...bodyFaults(exchange.wire, raw, isStored),
    ...toolFaults(request, rules[exchange.wire]),
    ...schemaFaults(exchange.wire, request),
    ...historyFaults(request.messages, rules[exchange.wire]),
    ...signer.faults(decoded),
  ]
  return first
}

function toolFaults({ tools = [], toolChoice }: CompletionRequest, { toolName }: HistoryRules): readonly string[] {
  const names = tools.flatMap((tool) => (tool.type === 'opaque' ? [] : [tool.name]))
  const declared = new Set(names)
  const chosen = typeof toolChoice !== 'object' ? [] : 'tool' in toolChoice ? [toolChoice.tool] : toolChoice.allowed
  return [
    ...names
      .filter((name) => !toolName.test(name))
      .map((name) => `tools: the name "${name}" does not match ${toolName}`),
    ...repeated(names).map((name) => `tools: the name "${name}" is declared twice`),
    ...chosen.filter((name) => !declared.has(name)).map((name) => `tool_choice: "${name}" is not among the tools`),
  ]
}

function historyFaults(history: readonly Message[], rule: HistoryRules): readonly string[] {
  const messages = rule.joinsTurns ? wholeTurns(history) : history
  const faults: string[] = []
  const seen = new Set<string>()
  const [opening] = messages.filter((message) => message.role !== 'system')
  if (opening === undefined) faults.push('messages: at least one message is required')
  else if (rule.firstTurn === 'user' && opening.role !== 'user') faults.push("messages: the first must be a user's")
  messages.forEach((message, index) => {
    const path = `messages.${index}`
    if (message.role === 'tool') {
      const before = messages[index - 1]
      const calls = before?.role === 'assistant' ? before.content.filter(isCall) : []
      for (const fault of pairFaults(calls, message.results, rule, path)) faults.push(fault)
    }
    if (message.role !== 'assistant') return
    const calls = message.content.filter(isCall)
    for (const fault of callFaults(calls, rule, path)) faults.push(fault)
    if (rule.uniqueIds === 'turn') seen.clear()
    for (const id of repeated(
      calls.map((call) => call.id),
      seen,
    )) {
      faults.push(`${path}: the call id "${id}" occurs twice`)
    }
    if (calls.length > 0 && messages[index + 1]?.role !== 'tool') faults.push(unanswered(path, calls))
  })
  return faults
}

function callFaults(calls: readonly AnyCall[], { toolName, callId }: HistoryRules, path: string): readonly string[] {
  return calls.flatMap((call) => [
    ...(callId.test(call.id) ? [] : [`${path}: the call id "${call.id}" does not match ${callId}`]),
    ...(toolName.test(call.name) ? [] : [`${path}: the tool name "${call.name}" does not match ${toolName}`]),
  ])
}

function pairFaults(
  calls: readonly AnyCall[],
  results: readonly ToolResult[],
  rule: HistoryRules,
  path: string,
): readonly string[] {
  const called = calls.map((call) => call.id)
  const answered = results.map((result) => result.callId)
  const isCalled = new Set(called)
  const isAnswered = new Set(answered)
  const open = calls.filter((call) => !isAnswered.has(call.id))
  const faults = [
    ...answered.filter((id) => !isCalled.has(id)).map((id) => `${path}: the result of "${id}" answers no call`),
    ...(rule.uniqueIds === 'turn' && repeated(called).length > 0 ? [] : repeated(answered)).map(
      (id) => `${path}: the call "${id}" is answered twice`,
    ),
    ...(open.length === 0 ? [] : [unanswered(path, open)]),
  ]
  const inOrder = answered.every((id, index) => id === called[index])
  return faults.length > 0 || inOrder || !rule.resultsInOrder
    ? faults
    : [`${path}: results must come in the order of their calls`]
}

function unanswered(path: string, calls: readonly AnyCall[]): string {
  const ids = calls.map((call) => `"${call.id}"`).join(', ')
  return `${path}: calls must be answered by results right behind them; missing are those of ${ids}`
}

/** The values that occurred before, each once. Adds all of them to `seen`. */
function repeated(values: readonly string[], seen: Set<string> = new Set()): readonly string[] {
  const found = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) found.add(value)
    seen.add(value)
  }
  return [...found]
}
