// Gemini's spelling: the names of its fields, what decode drops because the wire means it anyway, and its word lists.
// Trap: the server reads camelCase and snake_case alike. We read both and write camelCase.
import type { FinishReason } from '../../conversation/response.js'
import { isJsonObject, isList } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

export const wire = 'gemini'

/** What Google documents for a call whose signature is foreign or lost: the validator lets it pass. */
export const missingSignature = 'skip_thought_signature_validator'

/**
 * Wire defaults: decode drops them, encode does not write them.
 * systemInstruction.role any · content.role absent = user · part.thought false · part.thoughtSignature "" or the sentinel ·
 * generationConfig {} · thinkingConfig {} · toolConfig {} · functionCallingConfig {} and mode MODE_UNSPECIFIED ·
 * allowedFunctionNames [] · tools [] and functionDeclarations [] · candidate.index 0 · null members of modelled fields.
 */
export const requestKeys: ReadonlySet<string> = new Set([
  'model',
  'systemInstruction',
  'contents',
  'tools',
  'toolConfig',
  'generationConfig',
])
export const generationKeys: ReadonlySet<string> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
])
export const thinkingKeys: ReadonlySet<string> = new Set(['thinkingLevel', 'thinkingBudget'])
export const toolConfigKeys: ReadonlySet<string> = new Set(['functionCallingConfig'])
export const callingKeys: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames'])
export const declarationKeys: ReadonlySet<string> = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
])
export const contentKeys: ReadonlySet<string> = new Set(['role', 'parts'])

/** The members that decide what a part is. Fields carried beside a part may not have these names. */
const kinds = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'] as const
export const partKeys: ReadonlySet<string> = new Set(kinds)
export const textKeys: ReadonlySet<string> = new Set([...kinds, 'thoughtSignature'])
export const modelTextKeys: ReadonlySet<string> = new Set([...kinds, 'thoughtSignature', 'thought'])
export const callKeys: ReadonlySet<string> = new Set(['id', 'name', 'args'])
export const responseKeys: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts'])
export const mediaKeys: ReadonlySet<string> = new Set(['mimeType', 'data', 'fileUri', 'displayName'])

const camelSpelling: ReadonlyMap<string, string> = new Map(
  [
    ...requestKeys,
    ...generationKeys,
    ...thinkingKeys,
    ...toolConfigKeys,
    ...callingKeys,
    ...declarationKeys,
    ...modelTextKeys,
    ...mediaKeys,
    'functionDeclarations',
  ]
    .map((name): [string, string] => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name])
    .filter(([snake, name]) => snake !== name),
)

/** Whether decode reads this key as another spelling of a field it knows. */
export function isSnakeSpelling(key: string): boolean {
  return camelSpelling.has(key)
}

/** The object with its known fields in camelCase; the same object when they already are. */
export function camelKeys(object: JsonObject): JsonObject {
  for (const key in object) {
    if (camelSpelling.has(key)) {
      return Object.fromEntries(Object.entries(object).map(([name, value]) => [camelSpelling.get(name) ?? name, value]))
    }
  }
  return object
}

/** A repeated field, which the server also takes as a single value. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return isList(value) ? value : [value]
}

/** An object with its known fields in camelCase; nothing for any other value. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? camelKeys(value) : undefined
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'pause'],
  ...[
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
    'IMAGE_OTHER',
    'MODEL_ARMOR',
    'JAILBREAK',
  ].map((name): [string, FinishReason] => [name, 'content_filter']),
  // quirk(vertex): with enum-encoding=int reasons are numbers; both APIs agree on the first five, and that 6 to 8 are filters.
  ['1', 'stop'],
  ['2', 'length'],
  ...['3', '4', '6', '7', '8'].map((number): [string, FinishReason] => [number, 'content_filter']),
])

/** The canonical reason; calls make a plain stop `tool_calls`. Reasons that are not known are errors. */
export function finishReasonOf(raw: string, hasCalls: boolean): FinishReason {
  const reason = finishReasons.get(raw) ?? 'error'
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason
}

const namedReason = /^[A-Z][A-Z_]+$/

/** The wire's word for a reason: the raw one where it is Gemini's own and means the same, else the plainest. */
export function rawFinishReasonOf(reason: FinishReason, raw: string | undefined, hasCalls: boolean): string {
  if (raw !== undefined && namedReason.test(raw) && finishReasonOf(raw, hasCalls) === reason) return raw
  switch (reason) {
    case 'length':
      return 'MAX_TOKENS'
    case 'content_filter':
      return 'SAFETY'
    case 'error':
      return 'OTHER'
    default:
      // `pause` too: the official SDK answers CONTINUATION by sending a token that only Gemini can have made.
      return 'STOP'
  }
}
