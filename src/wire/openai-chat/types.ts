// The wire's own words: name and id rules, the members each object models, the defaults that decoding drops.
import type { FinishReason } from '../../conversation/response.js'
import { shortHash } from '../../json/digest.js'
import type { Json, JsonObject } from '../../json/types.js'
import type { NameRule } from '../names.js'
import type { ToolDialects } from '../schemas.js'

export const wire = 'openai-chat'

/** Held to its schema only when asked; else any keyword is a hint. */
export const toolDialects: ToolDialects = { plain: 'openai_plain', strict: 'openai_strict' }

export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, max: 64 }

/** Call ids by what a profile says of them. */
export const callIdRules: Readonly<Record<'any' | 'openai' | 'nine', NameRule & { readonly prefix: string }>> = {
  any: { pattern: /[\s\S]/, max: Number.MAX_SAFE_INTEGER, prefix: 'call_' },
  openai: { pattern: /^[a-zA-Z0-9_-]+$/, max: 40, prefix: 'call_' },
  nine: { pattern: /^[a-zA-Z0-9]{9}$/, max: 9, prefix: '' },
}

/** Where parts of an answer stand, whatever arrives first. Blocks without a canonical form stand between text and calls. */
export const slots = { reasoning: 0, text: 1, refusal: 2, block: 3, call: 8 } as const

/** Members that the codec reads and writes itself, by object; all others are carried in `extra`. */
export const modelled: Readonly<
  Record<
    | 'message'
    | 'assistant'
    | 'call'
    | 'function'
    | 'custom'
    | 'result'
    | 'namedResult'
    | 'text'
    | 'refusal'
    | 'image'
    | 'imageUrl'
    | 'file'
    | 'fileData'
    | 'audio'
    | 'audioData'
    | 'tool'
    | 'toolFunction'
    | 'jsonSchema'
    | 'reasoning'
    | 'streamOptions',
    ReadonlySet<string>
  >
> = {
  message: new Set(['role', 'content']),
  assistant: new Set([
    'role',
    'content',
    'refusal',
    'tool_calls',
    'function_call',
    'reasoning_content',
    'reasoning',
    'reasoning_text',
    'reasoning_details',
  ]),
  call: new Set(['id', 'type', 'index', 'function', 'custom', 'extra_content']),
  function: new Set(['name', 'arguments']),
  custom: new Set(['name', 'input']),
  result: new Set(['role', 'content', 'tool_call_id']),
  namedResult: new Set(['role', 'content', 'tool_call_id', 'name']),
  text: new Set(['type', 'text']),
  refusal: new Set(['type', 'refusal']),
  image: new Set(['type', 'image_url']),
  imageUrl: new Set(['url']),
  file: new Set(['type', 'file']),
  fileData: new Set(['file_data', 'filename']),
  audio: new Set(['type', 'input_audio']),
  audioData: new Set(['data', 'format']),
  tool: new Set(['type', 'function']),
  toolFunction: new Set(['name', 'description', 'parameters', 'strict']),
  jsonSchema: new Set(['name', 'description', 'schema', 'strict']),
  reasoning: new Set(['effort', 'max_tokens']),
  streamOptions: new Set(['include_usage']),
}

/** A member that says nothing: decoding drops it. */
export function isNull(_key: string, value: Json): boolean {
  return value === null
}

/** The audio formats the wire has, by media type. */
export const audioFormats: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
])

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
])

/** The canonical reason. Calls overrule a plain stop, and so does a refusal; no word at all counts as a plain stop. */
export function finishReasonOf(raw: string, calls: boolean, refused: boolean): FinishReason {
  const reason = raw === '' ? 'stop' : (finishReasons.get(raw) ?? 'error')
  if (reason === 'stop' && calls) return 'tool_calls'
  return reason === 'stop' && refused ? 'content_filter' : reason
}

/** The wire's word for a reason that came from elsewhere. */
export function finishWord(reason: FinishReason, calls: boolean): string {
  if (reason === 'stop' || reason === 'pause' || reason === 'tool_calls') return calls ? 'tool_calls' : 'stop'
  return reason
}

/** The id of a call in the legacy `function_call` form, which has none: call and result meet by the name of the function. */
export function legacyCallId(name: string): string {
  return `call_${shortHash(`function_call/${name}`)}`
}

/** A member of an object, or nothing; never something inherited. */
export function memberOf(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}
