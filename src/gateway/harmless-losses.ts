// What a strict gateway lets through: losses of a request that do not change what is asked for. One table decides for all APIs.
// The trap: the same field may be harmless with one value and not with another, so rules look at what was lost.
import type { Loss } from '../conversation/losses.js'
import { isJsonObject } from '../json/parse.js'
import { pointerKeys } from '../json/pointer.js'
import type { Json } from '../json/types.js'

/** Harmless always, at these places (everywhere where none is given), or if what was lost has this form. */
interface Rule {
  readonly at?: RegExp
  readonly if?: (lost: Json | undefined) => boolean
}

const always: Rule = {}

/** By code of the loss. Codes that are not here change the meaning of a request. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  // Fields that mean what their absence means, other spellings, and limits that the API demands.
  default_dropped: [always],
  note_changed: [always],
  note_dropped: [always],
  max_tokens_default: [always],
  tool_choice_default: [always],
  setting_empty: [always],
  parallel_without_tools: [always],
  parallel_dropped: [{ if: (lost) => lost !== false }],
  tool_choice_widened: [{ if: (lost) => lost === undefined || lost === 'auto' }],
  // Names and ids that the gateway puts back in the answer.
  name_changed: [{ at: /^\/(?:tools|toolChoice|messages)\// }],
  keys_changed: [always],
  call_id_changed: [always],
  model_changed: [always],
  // Labels of a schema, and guarantees about what the model writes; the schema itself is sent.
  output_field_changed: [always],
  output_field_dropped: [always],
  output_dropped: [{ at: /\/schema\/(?:.*\/)?\$(?:schema|id|comment)$/ }],
  schema_dropped: [{ at: /\/(?:\$schema|\$id|\$comment|title|examples|default|additionalProperties)$/ }],
  strict_dropped: [always],
  // Hints about how to answer.
  sampling_dropped: [always],
  reasoning_setting_changed: [always],
  reasoning_setting_dropped: [always],
  budget_changed: [always],
  budget_dropped: [always],
  // Thinking that only its own provider reads.
  signature_changed: [always],
  signature_dropped: [always],
  reasoning_dropped: [always],
  // Fields of one API.
  extra_changed: [{ at: /\/\$mode$/ }],
  extra_dropped: [{ at: /\/(?:cache_control|eager_input_streaming)$/ }],
}

/** Fields of one API that do not change what is asked for; of objects, those of their members. */
type Fields = { readonly [field: string]: true | Fields }
const fields: Fields = {
  client_metadata: true,
  include: true,
  keep_alive: true,
  labels: true,
  metadata: true,
  prediction: true,
  prompt_cache_key: true,
  prompt_cache_retention: true,
  safety_identifier: true,
  service_tier: true,
  store: true,
  stream_options: true,
  user: true,
  verbosity: true,
  $beta: true,
  text: { verbosity: true },
  reasoning: { summary: true, generate_summary: true },
  output_config: { effort: true },
  generationConfig: { thinkingConfig: true, candidateCount: true },
}

/** Whether the request means the same without it. */
export function isHarmless({ code, path, kind }: Loss, request: object): boolean {
  if (kind === 'repaired') return true
  const lost = valueAt(request as Json, path)
  const isAllowed = (rules[code] ?? []).some((rule) => (rule.at?.test(path) ?? true) && (rule.if?.(lost) ?? true))
  return isAllowed || (code.startsWith('extra_') && isHarmlessField(path, lost))
}

const extraField = /^\/extra\/[^/]+\/([^/]+)$/

function isHarmlessField(path: string, lost: Json | undefined): boolean {
  const field = extraField.exec(path)?.[1]
  return field !== undefined && isCovered(fields[field], lost)
}

function isCovered(known: true | Fields | undefined, lost: Json | undefined): boolean {
  if (known === undefined || known === true) return known === true
  return isJsonObject(lost) && Object.entries(lost).every(([key, value]) => isCovered(known[key], value))
}

function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value
  for (const key of pointerKeys(path)) {
    if (Array.isArray(at)) at = (at as readonly Json[])[Number(key)]
    else if (isJsonObject(at)) at = Object.hasOwn(at, key) ? at[key] : undefined
    else return undefined
  }
  return at
}
