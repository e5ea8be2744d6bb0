// What is compared by the laws: everything, but for what a wire never carries. Each strip says why; both sides are stripped.
import { isDeepStrictEqual } from 'node:util'
import type { CompletionRequest } from '../../src/conversation/request.js'
import type { CompletionResponse } from '../../src/conversation/response.js'

type Members = { [key: string]: unknown }

/** A copy as stored: plain JSON, own keys only, nothing undefined. */
export function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

export function comparableRequest(request: CompletionRequest): unknown {
  const { messages, tools, ...settings } = stored(request) as unknown as Members
  return {
    ...settings,
    messages: (messages as Members[]).map(comparableMessage),
    ...(tools === undefined ? {} : { tools: (tools as Members[]).map(withoutSigner) }),
  }
}

/** Arguments as compared by law 2: up to white space between tokens, which bodies and streams may write differently. */
export interface Comparison {
  readonly looseArguments?: boolean
}

export function comparableResponse(response: CompletionResponse, options: Comparison = {}): unknown {
  // `losses` tells of this very decoding. `text`, `toolCalls`, `brokenCalls` and `requiresToolExecution` are read off the
  // message (`isConsistent` checks that they agree with it), and losses point into the message only.
  const { id, model, message, finishReason, rawFinishReason, usage, metadata } = stored(response)
  const compared = comparableMessage(message as unknown as Members)
  if (options.looseArguments) for (const part of compared.content as Members[]) loosen(part)
  return { id, model, message: compared, finishReason, rawFinishReason, usage, metadata }
}

function comparableMessage(message: Members): Members {
  if (message.role === 'tool') return { ...message, results: (message.results as Members[]).map(comparableResult) }
  // Who answered is known to the client only: decode says which wire, of every assistant message.
  const { origin: _, ...rest } = message
  return { ...rest, content: (message.content as Members[]).map(comparablePart) }
}

function comparableResult(result: Members): Members {
  // The failure as a record and what a tool returned besides are kept for the program and never sent.
  const { error: _, artifacts: __, ...rest } = result
  return { ...rest, content: (result.content as Members[]).map(comparablePart) }
}

function comparablePart(part: Members): Members {
  // Why a call is broken is derived anew on decode: a cut needs the finish reason, which a history has not.
  // That a call was recovered is kept for the program.
  const { reason, recovered: _, ...rest } = part
  const kept = part.type === 'broken_call' || reason === undefined ? rest : { ...rest, reason }
  return kept.opaque === undefined ? withoutSigner(kept) : { ...kept, opaque: withoutSigner(kept.opaque as Members) }
}

/** Provider and model of an opaque value are the client's knowledge; the wire is all that decode can say. */
function withoutSigner(value: Members): Members {
  if (value.type !== 'opaque' && value.type !== undefined) return value
  const origin = value.origin as Members | undefined
  return origin === undefined ? value : { ...value, origin: { wire: origin.wire } }
}

function loosen(part: Members): void {
  if (part.type !== 'tool_call' && part.type !== 'broken_call') return
  part.arguments = withoutSpace(String(part.arguments))
}

/**
 * What was said, whatever the parts: text, reasoning and calls. This is compared where one of two answers reports losses that
 * the other has not, which are then in the parts: unmodelled fields, signatures, their order and number. Which call an answer
 * that ran out of tokens was cut in depends on that order too, so whether it may run is not compared then.
 */
export function saidIn(response: CompletionResponse): unknown {
  const { message, ...rest } = comparableResponse(response, { looseArguments: true }) as { readonly message: Members }
  const parts = message.content as Members[]
  const isCut = response.finishReason === 'length'
  const said = (type: string): string => parts.map((part) => (part.type === type ? part.text : '')).join('')
  const calls = parts
    .filter((part) => part.id !== undefined)
    .map(({ id, name, type, arguments: args }) => ({ id, name, arguments: args, type: isCut ? '' : type }))
    .toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1))
  return { ...rest, text: said('text'), reasoning: said('reasoning'), calls }
}

/** JSON text without the white space between its tokens; strings and digits stay as they are. */
export function withoutSpace(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/gs, (_, string: string | undefined) => string ?? '')
}

/** Whether the fields that are read off the message agree with it. */
export function isConsistent(response: CompletionResponse): boolean {
  const { content } = response.message
  const calls = content.filter((part) => part.type === 'tool_call')
  const broken = content.filter((part) => part.type === 'broken_call')
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    response.text === text &&
    JSON.stringify(response.toolCalls) === JSON.stringify(calls) &&
    JSON.stringify(response.brokenCalls) === JSON.stringify(broken) &&
    response.requiresToolExecution === calls.length + broken.length > 0
  )
}

/** Fails with the places where two values differ, and both values there. */
export function agree(one: unknown, other: unknown): void {
  if (isDeepStrictEqual(one, other)) return
  const lines = differences(one, other).map(
    (path) => `${path}: ${JSON.stringify(valueAt(one, path))} is not ${JSON.stringify(valueAt(other, path))}`,
  )
  throw new Error(lines.slice(0, 8).join('\n'))
}

/** The places where two JSON values differ, as deep as can be. */
export function differences(one: unknown, other: unknown, path = ''): readonly string[] {
  if (Object.is(one, other)) return []
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null) {
    if (Array.isArray(one) !== Array.isArray(other)) return [path]
    if (Array.isArray(one) && one.length !== (other as readonly unknown[]).length) return [path]
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...keys].flatMap((key) => differences(memberOf(one, key), memberOf(other, key), `${path}/${key}`))
  }
  return [path]
}

export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Members)[key] : undefined
}

/** The value at a path that `differences` gave. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce((found, key) => memberOf(found, key), value)
}
