// What each wire means anyway when a field is not there, of the fields that are carried and not modelled: saying it says
// nothing, so nothing is lost where another wire has no place for it. On its own wire it is written back as it came.
import { type Wire, wires } from '../conversation/messages.js'
import { isJsonObject, isList } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'

const sampling: JsonObject = { presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, top_logprobs: 0 }

/** Values that say nothing, by wire and field; inside an object, by member. A field may stand in several of the objects. */
const defaults: Readonly<Record<Wire, readonly JsonObject[]>> = {
  'openai-chat': [
    {
      ...sampling,
      n: 1,
      logprobs: false,
      response_format: { type: 'text' },
      modalities: ['text'],
      verbosity: 'medium',
      store: false,
      metadata: {},
      service_tier: 'auto',
    },
  ],
  'openai-responses': [
    {
      ...sampling,
      truncation: 'disabled',
      include: [],
      background: false,
      store: true,
      metadata: {},
      service_tier: 'auto',
      text: { format: { type: 'text' }, verbosity: 'medium' },
    },
    // No other wire keeps an answer unless it is told to; encrypted reasoning comes with every answer.
    { store: false, include: ['reasoning.encrypted_content'] },
  ],
  anthropic: [{ service_tier: 'auto', metadata: {}, mcp_servers: [] }],
  ollama: [{ logprobs: false, top_logprobs: 0 }],
  gemini: [
    {
      safetySettings: [],
      labels: {},
      cachedContent: '',
      generationConfig: {
        candidateCount: 1,
        presencePenalty: 0,
        frequencyPenalty: 0,
        responseLogprobs: false,
        responseMimeType: 'text/plain',
        responseModalities: ['TEXT'],
        thinkingConfig: { includeThoughts: false, thinkingBudget: -1 },
      },
    },
  ],
}

const known: ReadonlySet<string> = new Set(wires)

/** Whether a field that was carried for a wire says what that wire means anyway. */
export function saysNothing(wire: Wire, field: string, value: Json | undefined): boolean {
  if (value === undefined || !known.has(wire)) return false
  return defaults[wire].some((fields) => Object.hasOwn(fields, field) && isMeant(fields[field], value))
}

function isMeant(meant: Json | undefined, value: Json): boolean {
  if (isJsonObject(meant) && isJsonObject(value)) {
    return Object.keys(value).every((key) => Object.hasOwn(meant, key) && isMeant(meant[key], value[key] as Json))
  }
  if (isList(meant) && isList(value)) {
    return meant.length === value.length && meant.every((item, index) => isMeant(item, value[index] as Json))
  }
  return meant === value
}
