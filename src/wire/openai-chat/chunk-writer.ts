// What the writers of a stream share: the state of the answer, and chunks around a delta.
import type { Folder } from '../../conversation/fold.js'
import type { Loss } from '../../conversation/losses.js'
import { writeJson } from '../../json/stringify.js'
import type { JsonObject } from '../../json/types.js'
import type { Env, Exchange } from '../codec.js'
import type { Flags } from './profiles.js'

/** A call of which at least a fragment came. */
export interface OpenCall {
  readonly index: number
  readonly id: string
  name: string
  /** What was sent of the arguments in fragments. */
  text: string
  opened: boolean
  /** Written as the `function_call` of the message, which has no more than one. */
  legacy: boolean
  /** The call as it is written: set by its complete event. */
  object: JsonObject | undefined
}

export interface Writer {
  readonly exchange: Exchange
  readonly env: Env
  readonly flags: Flags
  readonly folder: Folder
  readonly calls: Map<number, OpenCall>
  readonly losses: Loss[]
  /** Everything of a chunk before its choice, once the start is known. */
  head: string
  opened: boolean
  finished: boolean
  done: boolean
  /** The message as it was sent. */
  text: string
  reasoning: string
  reasoningData: JsonObject | undefined
  refusal: string | undefined
  blocks: JsonObject[]
  refusals: Set<number>
  /** Halves of surrogate pairs that wait for the other half, by what they belong to. */
  held: Map<string, string>
}

/** Everything of a chunk before its choices. */
export function chunkHead(id: string, model: string, env: Env): string {
  const head = writeJson({ id, object: 'chat.completion.chunk', created: env.createdSeconds, model })
  return `data: ${head.slice(0, -1)},"choices":[`
}

/** The first chunk names the role, as official clients demand. */
export function open(writer: Writer): string {
  if (writer.opened) return ''
  writer.opened = true
  return delta(writer, '{"role":"assistant","content":"","refusal":null}')
}

/** A chunk with a delta of the first choice, given as JSON text. */
export function delta(writer: Writer, json: string): string {
  return `${writer.head}{"index":0,"delta":${json},"logprobs":null,"finish_reason":null}]}\n\n`
}

/**
 * The text to send of a fragment: half of a surrogate pair at its end waits for the other half, since a client in another
 * language cannot join them. Half a pair that stays alone becomes U+FFFD.
 */
export function wholeCharacters(writer: Writer, key: string, fragment: string): string {
  const held = writer.held.get(key)
  const piece = held === undefined ? fragment : held + fragment
  const last = piece.charCodeAt(piece.length - 1)
  if (held === undefined && !(last >= 0xd800 && last <= 0xdbff))
    return piece.isWellFormed() ? piece : piece.toWellFormed()
  writer.held.delete(key)
  if (!(last >= 0xd800 && last <= 0xdbff)) return piece.toWellFormed()
  writer.held.set(key, piece.slice(-1))
  return piece.slice(0, -1).toWellFormed()
}
