// Token figures. Trap: `candidatesTokenCount` leaves the thoughts out, `promptTokenCount` includes what was cached.
import type { Metadata } from '../../conversation/response.js'
import { inputTokens, type Usage, usageFrom } from '../../conversation/usage.js'
import { isJsonObject } from '../../json/parse.js'
import type { Json, JsonObject } from '../../json/types.js'
import { sameValue } from '../differences.js'
import { wire } from './types.js'

export function usageOf(usage: JsonObject): Usage {
  const prompt = count(usage.promptTokenCount)
  const tools = count(usage.toolUsePromptTokenCount)
  const candidates = count(usage.candidatesTokenCount)
  const thoughts = count(usage.thoughtsTokenCount)
  return usageFrom({
    inputWithCache: prompt === undefined && tools === undefined ? undefined : (prompt ?? 0) + (tools ?? 0),
    cacheRead: count(usage.cachedContentTokenCount),
    outputWithReasoning: candidates === undefined ? undefined : candidates + (thoughts ?? 0),
    reasoning: thoughts,
    total: count(usage.totalTokenCount),
  })
}

/** The figures with their names in camelCase, as the rest of an answer may come in either spelling. */
export function camelUsage(usage: JsonObject): JsonObject {
  if (!Object.keys(usage).some((key) => key.includes('_'))) return usage
  const camel = (key: string): string => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(usage).map(([key, value]) => [camel(key), value]))
}

const buckets: ReadonlySet<string> = new Set([
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
])

/** The figures as they came, when they say more than the buckets. */
export function usageMetadata(usage: JsonObject): Metadata | undefined {
  return Object.keys(usage).every((key) => buckets.has(key)) ? undefined : { [wire]: { usage } }
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

/** The figures as they came, while they still say the same; else from the buckets. Nothing when there are none. */
export function writeUsage(usage: Usage | undefined, raw: Json | undefined): JsonObject | undefined {
  if (isJsonObject(raw) && sameValue(usageOf(raw), usage ?? {})) return raw
  if (usage === undefined) return undefined
  const figures: [string, number | undefined][] = [
    ['promptTokenCount', inputTokens(usage)],
    ['candidatesTokenCount', usage.output],
    ['totalTokenCount', usage.total],
    ['cachedContentTokenCount', usage.cacheRead],
    ['thoughtsTokenCount', usage.reasoning],
  ]
  return Object.fromEntries(figures.filter((entry): entry is [string, number] => entry[1] !== undefined))
}
