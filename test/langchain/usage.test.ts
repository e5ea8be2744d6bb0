// Token counts: LangChain's totals include their details, toolwire's buckets are disjoint.
import { expect, test } from 'vitest'
import type { Usage } from '../../src/conversation/usage.js'
import { readUsage, writeUsage } from '../../src/langchain/usage.js'

const pairs: readonly (readonly [string, Usage, object])[] = [
  ['plain', { input: 10, output: 4, total: 14 }, { input_tokens: 10, output_tokens: 4, total_tokens: 14 }],
  [
    'with a cache that was read',
    { input: 10, cacheRead: 5, output: 4, total: 19 },
    { input_tokens: 15, output_tokens: 4, total_tokens: 19, input_token_details: { cache_read: 5 } },
  ],
  [
    'with a cache that was written',
    { input: 10, cacheWrite: 7, output: 4, total: 21 },
    { input_tokens: 17, output_tokens: 4, total_tokens: 21, input_token_details: { cache_creation: 7 } },
  ],
  [
    'with reasoning',
    { input: 10, output: 4, reasoning: 6, total: 20 },
    { input_tokens: 10, output_tokens: 10, total_tokens: 20, output_token_details: { reasoning: 6 } },
  ],
  [
    'with everything, some of it zero',
    { input: 1, cacheRead: 0, cacheWrite: 2, output: 3, reasoning: 0, total: 6 },
    {
      input_tokens: 3,
      output_tokens: 3,
      total_tokens: 6,
      input_token_details: { cache_read: 0, cache_creation: 2 },
      output_token_details: { reasoning: 0 },
    },
  ],
]

test.each(pairs)('%s, both ways', (_, usage, metadata) => {
  expect(writeUsage(usage)).toStrictEqual(metadata)
  expect(readUsage(metadata as never)).toStrictEqual(usage)
})

test('counts that nobody gave are zero, and the total is theirs', () => {
  expect(writeUsage({})).toStrictEqual({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })
  expect(writeUsage({ input: 2 })).toStrictEqual({ input_tokens: 2, output_tokens: 0, total_tokens: 2 })
})
