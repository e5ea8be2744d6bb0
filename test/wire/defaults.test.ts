// Fields that a wire means anyway: saying them says nothing, any other value does.
import { expect, test } from 'vitest'
import type { Wire } from '../../src/conversation/messages.js'
import type { Json } from '../../src/json/types.js'
import { saysNothing } from '../../src/wire/defaults.js'

type Row = readonly [wire: Wire, field: string, meant: readonly Json[], others: readonly Json[]]

const sampling = (wire: Wire): readonly Row[] => [
  [wire, 'presence_penalty', [0], [0.1, -1, null]],
  [wire, 'frequency_penalty', [0], [1]],
  [wire, 'logit_bias', [{}], [{ 50: 1 }]],
  [wire, 'top_logprobs', [0], [1]],
]
const rows: readonly Row[] = [
  ...sampling('openai-chat'),
  ['openai-chat', 'n', [1], [0, 2]],
  ['openai-chat', 'logprobs', [false], [true]],
  ['openai-chat', 'response_format', [{ type: 'text' }, {}], [{ type: 'json_object' }, { type: 'text', other: 1 }]],
  ['openai-chat', 'modalities', [['text']], [[], ['audio'], ['text', 'audio'], ['audio', 'text']]],
  ['openai-chat', 'verbosity', ['medium'], ['low']],
  ['openai-chat', 'store', [false], [true]],
  ['openai-chat', 'metadata', [{}], [{ a: '1' }]],
  ['openai-chat', 'service_tier', ['auto'], ['flex']],
  ...sampling('openai-responses'),
  ['openai-responses', 'truncation', ['disabled'], ['auto']],
  ['openai-responses', 'include', [[], ['reasoning.encrypted_content']], [['file_search_call.results']]],
  ['openai-responses', 'background', [false], [true]],
  ['openai-responses', 'store', [true, false], [0]],
  [
    'openai-responses',
    'text',
    [{ format: { type: 'text' } }, { verbosity: 'medium' }],
    [{ verbosity: 'high' }, { format: { type: 'json_object' } }],
  ],
  ['anthropic', 'service_tier', ['auto'], ['standard_only']],
  ['anthropic', 'metadata', [{}], [{ user_id: 'a' }]],
  ['anthropic', 'mcp_servers', [[]], [[{}]]],
  ['ollama', 'logprobs', [false], [true]],
  ['ollama', 'top_logprobs', [0], [3]],
  ['gemini', 'safetySettings', [[]], [[{}]]],
  ['gemini', 'labels', [{}], [{ a: 'b' }]],
  ['gemini', 'cachedContent', [''], ['cachedContents/1']],
  [
    'gemini',
    'generationConfig',
    [
      { candidateCount: 1, presencePenalty: 0, frequencyPenalty: 0, responseLogprobs: false },
      { responseMimeType: 'text/plain', responseModalities: ['TEXT'] },
      { thinkingConfig: { includeThoughts: false, thinkingBudget: -1 } },
    ],
    [
      { candidateCount: 2 },
      { presencePenalty: 1 },
      { frequencyPenalty: 1 },
      { responseLogprobs: true },
      { responseMimeType: 'application/json' },
      { responseModalities: ['AUDIO'] },
      { thinkingConfig: { includeThoughts: true } },
      { thinkingConfig: { thinkingBudget: 0 } },
      { candidateCount: 1, other: 1 },
    ],
  ],
]

test.each(rows)('%s: %s', (wire, field, meant, others) => {
  for (const value of meant) expect([value, saysNothing(wire, field, value)]).toEqual([value, true])
  for (const value of others) expect([value, saysNothing(wire, field, value)]).toEqual([value, false])
})

test('fields of other wires, inherited names and absent values always say something', () => {
  expect(saysNothing('anthropic', 'n', 1)).toBe(false)
  expect(saysNothing('ollama', 'store', false)).toBe(false)
  expect(saysNothing('openai-chat', 'toString', {})).toBe(false)
  expect(saysNothing('openai-chat', 'n', undefined)).toBe(false)
  expect(saysNothing('own-wire' as Wire, 'n', 1)).toBe(false)
})
