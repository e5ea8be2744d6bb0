// Tokens between the wire's counts and disjoint buckets. The trap: `input_tokens` excludes what was cached, `output_tokens`
// includes thinking, and official clients type every count as required.
import type { CompletionEvent } from '../../conversation/events.js'
import type { Loss } from '../../conversation/losses.js'
import type { CompletionResponse } from '../../conversation/response.js'
import { inputTokens, outputTokens, type Usage, usageFrom } from '../../conversation/usage.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { lossOf, sameJson, wire } from './types.js'

const buckets: ReadonlySet<string> = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
])

/** Totals so far; the raw object too when it says more than the buckets hold. */
export function usageEvent(raw: Json | undefined): Extract<CompletionEvent, { type: 'usage' }> | undefined {
  if (!isJsonObject(raw)) return undefined
  const usage = readUsage(raw)
  const more = beyondBuckets(raw)
  return more === undefined ? { type: 'usage', usage } : { type: 'usage', usage, metadata: { [wire]: { usage: more } } }
}

function readUsage(raw: JsonObject): Usage {
  const iterations = Array.isArray(raw.iterations) ? (raw.iterations as readonly Json[]).filter(isJsonObject) : []
  const read = (key: string): number | undefined => largest(count(raw[key]), sumOf(iterations, key))
  const input = read('input_tokens')
  const cacheRead = read('cache_read_input_tokens')
  const cacheWrite = read('cache_creation_input_tokens')
  const details = raw.output_tokens_details
  return usageFrom({
    inputWithCache: input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite,
    outputWithReasoning: read('output_tokens'),
    reasoning: isJsonObject(details) ? count(details.thinking_tokens) : undefined,
  })
}

/**
 * Tokens of all iterations. The totals beside them leave out compaction, advisors and models that declined before a fallback;
 * test/wire/anthropic-usage.test.ts.
 */
function sumOf(iterations: readonly JsonObject[], key: string): number | undefined {
  let sum: number | undefined
  for (const iteration of iterations) {
    const tokens = count(iteration[key])
    if (tokens !== undefined) sum = (sum ?? 0) + tokens
  }
  return sum
}

function largest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}

/** The whole object without nulls, when it says more than the buckets; else nothing. */
function beyondBuckets(raw: JsonObject): JsonObject | undefined {
  for (const key of Object.keys(raw)) {
    if (tellsMore(key, raw[key] ?? null))
      return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
  }
  return undefined
}

function tellsMore(key: string, value: Json): boolean {
  return value !== null && !buckets.has(key) && !(key === 'output_tokens_details' && isPlain(value))
}

function isPlain(details: Json): boolean {
  return isJsonObject(details) && Object.keys(details).every((key) => key === 'thinking_tokens')
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

const noUsage: JsonObject = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  speed: null,
}

/** The counts of a response, every required one of them; losses where reading them gives other figures. */
export function writeUsage(response: CompletionResponse, losses: Loss[]): JsonObject {
  const before = response.metadata[wire]?.usage
  const raw = rawUsage(response.usage, before)
  const read = readUsage(raw)
  const message = 'the wire counts tokens in its own buckets, and always counts'
  if (!sameJson(response.usage, read)) losses.push(lossOf('usage_changed', '/usage', 'changed', message, read))
  const after = beyondBuckets(raw)
  if (!sameJson(before, after)) {
    const kind = after === undefined ? 'dropped' : 'changed'
    losses.push(lossOf('usage_changed', `/metadata/${wire}/usage`, kind, message, after))
  }
  return raw
}

/** What a reader keeps of the counts besides the buckets. */
export function usageBeyondBuckets(response: CompletionResponse): JsonObject | undefined {
  return beyondBuckets(rawUsage(response.usage, response.metadata[wire]?.usage))
}

/** The counts as far as they are known. */
function rawUsage(usage: Usage | undefined, raw: Json | undefined): JsonObject {
  const own = isJsonObject(raw) ? raw : {}
  // Figures that still say the same are written as they came: with iterations, totals can't be told from the buckets.
  if (usage === undefined || sameJson(readUsage(own), usage)) return { ...noUsage, ...own }
  const details = isJsonObject(own.output_tokens_details) ? own.output_tokens_details : {}
  const thinking = usage.reasoning === undefined ? {} : { thinking_tokens: usage.reasoning }
  const merged = { ...details, ...thinking }
  return {
    ...noUsage,
    ...own,
    input_tokens: (inputTokens(usage) ?? 0) - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0),
    output_tokens: outputTokens(usage) ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? null,
    cache_creation_input_tokens: usage.cacheWrite ?? null,
    output_tokens_details: Object.keys(merged).length === 0 ? null : merged,
  }
}
