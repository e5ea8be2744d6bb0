// Token counts with `iterations`: what compaction and advisors used stands there alone, not in the totals beside it.
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/types.js'
import { anthropicCodec as codec } from '../../src/wire/anthropic/index.js'
import { foldAll } from '../streams/streamed.js'
import { envOf, exchange } from './anthropic-fixtures.js'

const env = envOf()
const iteration = (type: string, input: number, output: number, cached = 0): JsonObject => ({
  type,
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
})
const body = (usage: JsonObject): string =>
  JSON.stringify({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [],
    stop_reason: 'end_turn',
    usage,
  })
const usageOf = (usage: JsonObject) =>
  foldAll(codec.response.decode({ status: 200, headers: {}, body: body(usage) }, exchange, env)).response.usage

test.each<[string, JsonObject, object]>([
  [
    'a compaction before the answer is counted',
    {
      input_tokens: 181,
      output_tokens: 8,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      iterations: [iteration('compaction', 100, 83, 55096), iteration('message', 181, 8)],
    },
    { input: 281, cacheRead: 55096, cacheWrite: 0, output: 91, total: 55468 },
  ],
  [
    'a turn that paused after its compaction is counted',
    { input_tokens: 0, output_tokens: 0, iterations: [iteration('compaction', 83555, 139)] },
    { input: 83555, cacheRead: 0, cacheWrite: 0, output: 139, total: 83694 },
  ],
  [
    'an advisor between two iterations is counted once',
    {
      input_tokens: 2390,
      output_tokens: 121,
      iterations: [
        iteration('message', 1128, 110),
        iteration('advisor_message', 2518, 22),
        iteration('message', 1262, 11),
      ],
    },
    { input: 4908, cacheRead: 0, cacheWrite: 0, output: 143, total: 5051 },
  ],
  [
    'a model that declined before the fallback is counted',
    {
      input_tokens: 412,
      output_tokens: 264,
      iterations: [iteration('message', 408, 0), iteration('fallback_message', 412, 264)],
    },
    { input: 820, cacheRead: 0, cacheWrite: 0, output: 264, total: 1084 },
  ],
  [
    'iterations that add up to less than the totals do not lower them',
    { input_tokens: 20, output_tokens: 9, iterations: [iteration('message', 5, 9)] },
    { input: 20, cacheRead: 0, cacheWrite: 0, output: 9, total: 29 },
  ],
  ['no iterations', { input_tokens: 20, output_tokens: 9, iterations: [] }, { input: 20, output: 9, total: 29 }],
  [
    'iterations that are no list',
    { input_tokens: 20, output_tokens: 9, iterations: 7 },
    { input: 20, output: 9, total: 29 },
  ],
])('%s', (_, raw, usage) => {
  expect(usageOf(raw)).toEqual(usage)
})

test('an answer with iterations is written with the figures that it came with', () => {
  const usage = {
    input_tokens: 181,
    output_tokens: 8,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    iterations: [iteration('compaction', 100, 83, 55096), iteration('message', 181, 8)],
  }
  const { response } = foldAll(codec.response.decode({ status: 200, headers: {}, body: body(usage) }, exchange, env))
  const written = codec.response.encode(response, exchange, env)
  expect(JSON.parse(written.http.body).usage).toMatchObject(usage)
  expect(written.losses).toEqual([])
})
