// Token counts: LangChain's include their parts, ours are disjoint.
import type { UsageMetadata } from '@langchain/core/messages'
import { inputTokens, outputTokens, type Usage, usageFrom } from '../conversation/usage.js'

export function writeUsage(usage: Usage): UsageMetadata {
  const input = inputTokens(usage) ?? 0
  const output = outputTokens(usage) ?? 0
  const { cacheRead, cacheWrite, reasoning } = usage
  const inputDetails = {
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_creation: cacheWrite }),
  }
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: usage.total ?? input + output,
    ...(Object.keys(inputDetails).length === 0 ? {} : { input_token_details: inputDetails }),
    ...(reasoning === undefined ? {} : { output_token_details: { reasoning } }),
  }
}

export function readUsage(usage: UsageMetadata): Usage {
  const { input_token_details: input, output_token_details: output } = usage
  return usageFrom({
    inputWithCache: usage.input_tokens,
    outputWithReasoning: usage.output_tokens,
    cacheRead: input?.cache_read,
    cacheWrite: input?.cache_creation,
    reasoning: output?.reasoning,
  })
}
