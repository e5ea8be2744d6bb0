// What this wire calls things: field sets, wire defaults that decode drops, item ids. One table each, used by both halves.
// The trap: an item has two ids. `call_id` links a call and its result; the item `id` is the provider's own continuation and
// means something only together with the reasoning it came with.
import type { Carried, Opaque, Origin } from '../../conversation/messages.js'
import { shortHash } from '../../json/digest.js'
import type { Json, JsonObject } from '../../json/types.js'
import { writtenFields } from '../extra.js'
import type { NameRule } from '../names.js'
import type { ToolDialects } from '../schemas.js'

export const wire = 'openai-responses' as const
export const clientOrigin: Origin = { wire }

export const callIdRule: NameRule & { readonly prefix: string } = { pattern: /^[\s\S]+$/, max: 64, prefix: 'call_' }
/** Held to its schema only when asked; else any keyword is a hint. */
export const toolDialects: ToolDialects = { plain: 'openai_plain', strict: 'openai_strict' }

export const emptySchema: JsonObject = { type: 'object', properties: {} }

/** Members that the canonical node has its own fields for. Everything else is carried in `extra`. */
export const modelled: Readonly<
  Record<
    'request' | 'message' | 'item' | 'text' | 'refusal' | 'image' | 'file' | 'call' | 'custom' | 'result' | 'tool',
    ReadonlySet<string>
  >
> = {
  request: new Set(
    'model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p text reasoning stream'.split(
      ' ',
    ),
  ),
  message: new Set(['type', 'role', 'content']),
  /** An answer's message: the id and status are its continuation. */
  item: new Set(['type', 'role', 'content', 'id', 'status', 'created_by']),
  text: new Set(['type', 'text', 'parsed']),
  refusal: new Set(['type', 'refusal']),
  image: new Set(['type', 'image_url']),
  file: new Set(['type', 'file_url', 'file_data', 'filename']),
  call: new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status', 'created_by', 'parsed_arguments']),
  custom: new Set(['type', 'id', 'call_id', 'name', 'input', 'status', 'created_by']),
  result: new Set(['type', 'call_id', 'output']),
  tool: new Set(['type', 'name', 'description', 'parameters', 'strict']),
}

/** Members of an answer that only repeat the request: decode drops them, the server half writes them from the client's request. */
export const echoed: readonly string[] = [
  'background',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
  'frequency_penalty',
  'presence_penalty',
  'access_programs',
]

/** Members of an answer that are modelled, repeated, or made by the server half itself. */
export const answered: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created_at', 'status', 'error', 'incomplete_details', 'model', 'output', 'output_text', 'usage'],
  ...echoed,
])

/** Null is absent everywhere, and an output text without annotations or log probabilities may say so or not. */
export function isDefault(key: string, value: Json): boolean {
  return value === null || ((key === 'annotations' || key === 'logprobs') && Array.isArray(value) && value.length === 0)
}

/** The unmodelled fields of a node to write. What is not written shows when the encoded node is read again. */
export function fieldsToWrite(node: Carried, known: ReadonlySet<string>): JsonObject {
  return writtenFields(wire, node, { taken: known, isDefault })
}

/** What the node carries for this wire. */
export function ownOf(node: Carried): JsonObject | undefined {
  return node.extra?.[wire]
}

/** The id of an item that came from a wire without items: a pure function, and recognised again, so it is never kept. */
export function madeItemId(kind: 'msg' | 'fc' | 'ctc' | 'rs' | 'resp', responseId: string, ordinal: number): string {
  return `${kind}_made${shortHash(`${responseId}/${ordinal}`)}`
}

const made = /^(?:msg|fc|ctc|rs|resp)_made[a-z2-7]{12}$/

export function isMadeId(id: Json | undefined): boolean {
  return typeof id === 'string' && made.test(id)
}

/** The item's id and status as the continuation of a part; nothing for an item that was made here or has neither. */
export function identityOf(item: JsonObject, origin: Origin, implied?: string): { readonly opaque?: Opaque } {
  const { id, status } = item
  const isMade = isMadeId(id)
  const data: { id?: Json; status?: Json } = {}
  if (id !== undefined && id !== null && id !== '' && !isMade) data.id = id
  if (status !== undefined && status !== null && status !== implied && !isMade) {
    data.status = status
  }
  return data.id === undefined && data.status === undefined ? {} : { opaque: { origin, data } }
}

/** The id and status to write for a part, when its continuation is of this wire. */
export function identityFields(opaque: Opaque | undefined): { readonly id?: Json; readonly status?: Json } {
  if (opaque?.origin.wire !== wire) return {}
  const { id, status } = opaque.data
  return {
    ...(id === undefined || id === null || id === '' ? {} : { id }),
    ...(status === undefined || status === null ? {} : { status }),
  }
}
