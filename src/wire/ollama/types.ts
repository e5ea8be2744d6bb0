// The wire's own words: the members each object models, the defaults that decoding drops, and its word lists.
import type { Loss } from '../../conversation/losses.js'
import type { Origin } from '../../conversation/messages.js'
import type { FinishReason } from '../../conversation/response.js'
import { type FindSpan, spanFinder } from '../../json/spans.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange } from '../codec.js'
import type { ToolDialects } from '../schemas.js'

export const wire = 'ollama'
export const path = '/api/chat'
export const toolDialects: ToolDialects = { plain: 'ollama' }

/** Where parts of an answer stand, whatever arrives first: the wire has one string of each kind, then calls. */
export const slots = { reasoning: 0, text: 1, call: 2 } as const

/** Members that the codec reads and writes itself, by object; all others are carried in `extra`. */
export const modelled: Readonly<
  Record<
    'request' | 'system' | 'user' | 'assistant' | 'result' | 'call' | 'function' | 'tool' | 'toolFunction' | 'response',
    ReadonlySet<string>
  >
> = {
  request: new Set(['model', 'messages', 'tools', 'stream']),
  system: new Set(['role', 'content']),
  user: new Set(['role', 'content', 'images']),
  assistant: new Set(['role', 'content', 'thinking', 'tool_calls']),
  result: new Set(['role', 'content', 'images', 'tool_name', 'tool_call_id', 'name']),
  call: new Set(['id', 'type', 'function']),
  function: new Set(['index', 'name', 'arguments']),
  tool: new Set(['type', 'function']),
  toolFunction: new Set(['name', 'description', 'parameters']),
  response: new Set(['model', 'message', 'done', 'done_reason', 'prompt_eval_count', 'eval_count']),
}

/**
 * Wire defaults: decoding drops them. null members · images [] · tools [] · format "" · options {} · function.index ·
 * type "function" of calls and tools · role of an answer. The server half omits zero counts, as the real one does.
 */
export function isDefault(_key: string, value: Json): boolean {
  return value === null
}

/** How unmodelled fields are read. */
export const defaults: { readonly isDefault: typeof isDefault } = { isDefault }

/** The levels `think` knows besides on and off. */
export const thinkLevels: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'max'])

/** Efforts of other wires by the nearest level. */
export const nearestLevel: ReadonlyMap<string, string> = new Map([
  ['minimal', 'low'],
  ['xhigh', 'high'],
])

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['load', 'stop'],
  ['unload', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
])

/** The canonical reason; calls make a plain stop `tool_calls`, which the wire has no word for. */
export function finishReasonOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  const reason = raw === undefined || raw === '' ? 'stop' : (finishReasons.get(raw) ?? 'error')
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason
}

/** The wire's word for a reason: the raw one where it came from this wire and means the same, else the plainest. */
export function doneReasonOf(reason: FinishReason, raw: string | undefined, isOwn: boolean, hasCalls: boolean): string {
  if (isOwn && raw !== undefined && raw !== '' && finishReasonOf(raw, hasCalls) === reason) return raw
  return reason === 'length' ? 'length' : 'stop'
}

/** What an answer is marked with. */
export function originOf(exchange: Exchange, env: Env): Origin {
  const { name } = env.profile
  return exchange.model === '' ? { wire, provider: name } : { wire, provider: name, model: exchange.model }
}

/** The raw arguments of the calls in a body of messages. */
export const rawArguments: (text: string) => FindSpan = spanFinder(['/messages/*/tool_calls/*/function/arguments'])

/** `to` is what decoding gives back there. */
export function lossOf(code: string, path: string, kind: Loss['kind'], message: string, to?: unknown): Loss {
  return to === undefined ? { code, wire, path, kind, message } : { code, wire, path, kind, to: to as Json, message }
}
