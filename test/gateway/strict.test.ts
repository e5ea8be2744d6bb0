// What a strict gateway lets through: requests as official SDKs and frameworks send them. What it rejects: fields whose loss changes
// the meaning of a request, by their names.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { createGateway, type Gateway } from '../../src/gateway/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { bodies, paths } from './asking.js'
import requests from './framework-requests.json' with { type: 'json' }

let provider: ProviderServer
beforeAll(async () => {
  provider = await providerServer({ strict: false, script: () => '{"city":"Boston"}' })
})
afterAll(() => provider.close())

function strictTo(wire: Wire): Gateway {
  const target = { wire, baseUrl: provider.url, apiKey: 'upstream', model: 'scripted', retries: 0 }
  return createGateway({ routes: [{ match: '*', targets: [target] }], strict: true })
}

async function post(gateway: Gateway, path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await gateway(
    new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
  return { status: response.status, text: await response.text() }
}

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const applyPatch = {
  type: 'custom',
  name: 'apply_patch',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
}
/** Stop sequences end an answer, and Responses has none. Ollama and Gemini cannot be held to one call. */
const isLossy: ReadonlySet<string> = new Set([
  'openai-chat → openai-responses: LiteLLM and CrewAI',
  'openai-responses → ollama: Codex without apply_patch',
  'openai-responses → gemini: Codex without apply_patch',
])

describe.each(requests)('$name ($wire)', ({ wire, body, ...more }) => {
  const path = 'path' in more && more.path !== undefined ? more.path : paths[wire as Wire]

  test.each(wires.filter((to) => !isLossy.has(`${wire} → ${to}: ${more.name}`)))('is let through to %s', async (to) => {
    expect(await post(strictTo(to), path, body)).toMatchObject({ status: 200 })
  })
})

/** What changes the meaning of a request, as a client sends it, and the field that the error names. */
const meaningful: readonly [from: Wire, to: Wire, member: object, field: string][] = [
  ['openai-chat', 'anthropic', { seed: 7 }, '/extra/openai-chat/seed'],
  ['openai-chat', 'gemini', { n: 3 }, '/extra/openai-chat/n'],
  ['openai-chat', 'anthropic', { logit_bias: { 50256: -100 } }, '/extra/openai-chat/logit_bias'],
  ['openai-chat', 'openai-responses', { stop: ['END'] }, '/stop'],
  ['openai-chat', 'anthropic', { web_search_options: {} }, '/extra/openai-chat/web_search_options'],
  ['openai-chat', 'anthropic', { response_format: { type: 'json_object' } }, '/output'],
  ['openai-chat', 'gemini', { tools: [look], parallel_tool_calls: false }, '/parallelToolCalls'],
  ['openai-responses', 'anthropic', { text: { verbosity: 'low', other: 1 } }, '/extra/openai-responses/text'],
  ['openai-responses', 'anthropic', { tools: [applyPatch] }, 'apply_patch'],
  ['openai-responses', 'openai-chat', { max_tool_calls: 1 }, '/extra/openai-responses/max_tool_calls'],
  ['anthropic', 'openai-chat', { context_management: { edits: [] } }, '/extra/anthropic/context_management'],
  [
    'anthropic',
    'ollama',
    { tools: [{ name: 'look', input_schema: {} }], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    '/parallelToolCalls',
  ],
  [
    'gemini',
    'openai-chat',
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    '/extra/gemini/safetySettings',
  ],
]

test.each(meaningful)('from %s to %s, %j is rejected, and %s is named', async (from, to, member, field) => {
  const answer = await post(strictTo(to), paths[from], { ...bodies[from], ...member })
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(field) })
})
