// Token counts in both directions. The trap: prompt_tokens includes what was cached, completion_tokens what was reasoned,
// and compatibles spell the cached part in three more ways.
import { inputTokens, outputTokens, type Usage, usageFrom } from '../../conversation/usage.js'
import { canonicalJson } from '../../json/canonical.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'

/** The usage of a chunk or a body, wherever the server put it. */
export function findUsage(body: JsonObject, choice: JsonObject | undefined): JsonObject | undefined {
  if (isJsonObject(body.usage)) return body.usage
  // quirk(moonshot): usage in the choice; quirk(groq): usage in x_groq of the last chunk
  if (isJsonObject(choice?.usage)) return choice.usage
  return isJsonObject(body.x_groq) && isJsonObject(body.x_groq.usage) ? body.x_groq.usage : undefined
}

export function readUsage(raw: JsonObject): Usage {
  const prompt = isJsonObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : undefined
  const completion = isJsonObject(raw.completion_tokens_details) ? raw.completion_tokens_details : undefined
  const reasoning = count(completion?.reasoning_tokens)
  const input = count(raw.prompt_tokens)
  const output = count(raw.completion_tokens)
  const total = count(raw.total_tokens)
  // quirk(xai): completion_tokens leaves the reasoning out; only the total tells
  const apart = reasoning !== undefined && reasoning > 0 && total === (input ?? 0) + (output ?? 0) + reasoning
  return usageFrom({
    inputWithCache: input,
    outputWithReasoning: apart ? (output ?? 0) + reasoning : output,
    cacheRead: count(prompt?.cached_tokens) ?? count(raw.prompt_cache_hit_tokens) ?? count(raw.cached_tokens),
    cacheWrite: count(prompt?.cache_write_tokens),
    reasoning,
    total,
  })
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

export function writeUsage(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite, reasoning } = usage
  const prompt = {
    ...(cacheRead === undefined ? {} : { cached_tokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
  }
  const input = inputTokens(usage) ?? 0
  const output = outputTokens(usage) ?? 0
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(Object.keys(prompt).length === 0 ? {} : { prompt_tokens_details: prompt }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

/** The raw object when it says more than the buckets do, so that it must be kept. */
export function fullerUsage(raw: JsonObject, usage: Usage): JsonObject | undefined {
  const written = writeUsage(usage)
  if (JSON.stringify(raw) === JSON.stringify(written)) return undefined // most servers write it in this order
  return canonicalJson(raw) === canonicalJson(written) ? undefined : raw
}

/** The object to write: the raw one as long as it still tells the same figures. */
export function usageObject(usage: Usage, raw: Json | undefined): JsonObject {
  const same = isJsonObject(raw) && canonicalJson({ ...readUsage(raw) }) === canonicalJson({ ...usage })
  return same ? raw : writeUsage(usage)
}
