// Token counts, both ways. Here input includes what came from the cache, and output includes reasoning.
import type { Metadata } from '../../conversation/response.js'
import { inputTokens, outputTokens, type Usage, usageFrom } from '../../conversation/usage.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { wire } from './types.js'

export function decodeUsage(usage: JsonObject): Usage {
  const input = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const output = isJsonObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  return usageFrom({
    inputWithCache: count(usage.input_tokens),
    cacheRead: count(input.cached_tokens),
    cacheWrite: count(input.cache_write_tokens),
    outputWithReasoning: count(usage.output_tokens),
    reasoning: count(output.reasoning_tokens),
    total: count(usage.total_tokens),
  })
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

const known: ReadonlySet<string> = new Set(['input_tokens', 'output_tokens', 'total_tokens'])
const knownDetails: ReadonlySet<string> = new Set(['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'])

/** The usage as it came, when it says more than the buckets hold. */
export function usageMetadata(usage: JsonObject): Metadata | undefined {
  const saysMore = Object.entries(usage).some(([key, value]) => {
    if (known.has(key)) return false
    if (key !== 'input_tokens_details' && key !== 'output_tokens_details') return true
    return isJsonObject(value) && Object.keys(value).some((detail) => !knownDetails.has(detail))
  })
  return saysMore ? { [wire]: { usage } } : undefined
}

/** Usage with the figures that clients expect. `raw` is the provider's own, whose other members are kept. */
export function encodeUsage(usage: Usage | undefined, raw: Json | undefined): JsonObject | null {
  if (usage === undefined) return null
  const own = isJsonObject(raw) ? raw : {}
  const input = inputTokens(usage) ?? 0
  const output = outputTokens(usage) ?? 0
  return {
    ...own,
    input_tokens: input,
    input_tokens_details: {
      ...details(own.input_tokens_details),
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { ...details(own.output_tokens_details), reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  }
}

function details(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
