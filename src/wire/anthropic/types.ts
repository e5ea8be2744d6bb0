// The facts of the Messages wire that both directions need: what it refuses, what we model, and its documented defaults.
// The trap: official clients type some members as required and nullable, so decoding drops what the server half must add.
import type { Loss } from '../../conversation/losses.js'
import type { Origin } from '../../conversation/messages.js'
import { canonicalJson } from '../../json/canonical.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json } from '../../json/types.js'
import type { Env, Exchange } from '../codec.js'
import type { NameRule } from '../names.js'
import type { ToolDialects } from '../schemas.js'

export const wire = 'anthropic'
export const path = '/v1/messages'

export const toolNameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, max: 128 }
export const callIdRule: NameRule & { readonly prefix: string } = {
  pattern: /^[a-zA-Z0-9_-]+$/,
  max: 64,
  prefix: 'toolu_',
}
/** Keys of the top-level `properties` of an input schema. */
/** Any keyword is a hint, but for a tool that is held to its schema. */
export const toolDialects: ToolDialects = { plain: 'anthropic_tools', strict: 'anthropic_strict' }
/** An answer in a schema is always held to it. */
export const outputDialects: ToolDialects = { plain: 'anthropic_output' }
export const propertyRule: NameRule = { pattern: /^[a-zA-Z0-9_.-]+$/, max: 64 }

export const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** The members of each wire object that have a canonical place; all others are carried in `extra`. */
export const modelled: Readonly<
  Record<
    'request' | 'message' | 'text' | 'thinking' | 'toolUse' | 'toolResult' | 'image' | 'document' | 'tool' | 'response',
    ReadonlySet<string>
  >
> = {
  request: new Set([
    'model',
    'messages',
    'system',
    'tools',
    'max_tokens',
    'temperature',
    'top_p',
    'stop_sequences',
    'stream',
    'output_format',
  ]),
  message: new Set(['role', 'content']),
  text: new Set(['type', 'text']),
  thinking: new Set(['type', 'thinking', 'signature']),
  toolUse: new Set(['type', 'id', 'name', 'input']),
  toolResult: new Set(['type', 'tool_use_id', 'content', 'is_error']),
  image: new Set(['type', 'source']),
  document: new Set(['type', 'source', 'title']),
  tool: new Set(['type', 'name', 'description', 'input_schema', 'strict']),
  response: new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']),
}

/** Documented defaults: absent means the same, so decoding leaves them out. */
export function isDefault(key: string, value: Json): boolean {
  if (value === null) return true
  if (key === 'citations') return Array.isArray(value) && value.length === 0
  return key === 'caller' && isJsonObject(value) && value.type === 'direct' && Object.keys(value).length === 1
}

/** How unmodelled fields are read and written. */
export const defaults: { readonly isDefault: typeof isDefault } = { isDefault }

/** What an answer is marked with: its signatures go back only there. */
export function originOf(exchange: Exchange, env: Env): Origin {
  const { name } = env.profile
  return exchange.model === '' ? { wire, provider: name } : { wire, provider: name, model: exchange.model }
}

/** `to` is what decoding gives back there. */
export function lossOf(code: string, path: string, kind: Loss['kind'], message: string, to?: unknown): Loss {
  return to === undefined ? { code, wire, path, kind, message } : { code, wire, path, kind, to: to as Json, message }
}

/** Whether two plain values are the same JSON, absent being null. */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson((a ?? null) as Json) === canonicalJson((b ?? null) as Json)
}
