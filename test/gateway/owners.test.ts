// What a provider stores for one key of a gateway is not given to another, although the provider knows only one account.
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/index.js'
import { ownerStore } from '../../src/gateway/owners.js'
import type { TransportRequest } from '../../src/transport/transport.js'

const keys = ['a', 'b'].map((name) => ({ name, key: `key-of-client-${name}` }))
const answers = {
  '/v1/responses': {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [
      { id: 'rs_1', type: 'reasoning', summary: [] },
      { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      { id: 'ci_1', type: 'code_interpreter_call', container_id: 'cntr_1', code: '' },
    ],
    usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
  },
  '/v1/messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: 'end_turn',
    container: { id: 'container_1' },
    usage: { input_tokens: 3, output_tokens: 1 },
  },
}
type Path = keyof typeof answers

function gatewayTo(options: Partial<GatewayOptions> = {}): { gateway: Gateway; sent: TransportRequest[] } {
  const sent: TransportRequest[] = []
  const transport = async (request: TransportRequest) => {
    sent.push(request)
    const answer = JSON.stringify(answers[new URL(request.url).pathname as Path])
    const isStream = String(request.body).includes('"stream":true')
    const text = isStream
      ? `event: response.completed\ndata: {"type":"response.completed","response":${answer}}\n\n`
      : answer
    const body = (async function* () {
      yield new TextEncoder().encode(text)
    })()
    return { status: 200, headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' }, body }
  }
  const targets = (['openai-responses', 'anthropic'] as const).map((wire) => ({
    match: wire,
    targets: [{ wire, baseUrl: 'http://127.0.0.1:9', apiKey: 'x', model: 'm', transport, retries: 0 }],
  }))
  return { gateway: createGateway({ routes: targets, keys, ...options }), sent }
}

async function ask(
  gateway: Gateway,
  path: Path,
  name: string,
  body: object,
): Promise<{ status: number; text: string }> {
  const model = path === '/v1/messages' ? 'anthropic' : 'openai-responses'
  const messages =
    path === '/v1/messages' ? { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] } : { input: 'Hi' }
  const response = await gateway(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer key-of-client-${name}`, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model, ...messages, ...body }),
    }),
  )
  return { status: response.status, text: await response.text() }
}

const references: readonly [path: Path, name: string, body: object, code: string][] = [
  ['/v1/responses', 'an answer', { previous_response_id: 'resp_1' }, 'previous_response_not_found'],
  ['/v1/responses', 'an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'not found'],
  ['/v1/responses', 'an item without a type', { input: [{ id: 'msg_1' }] }, 'not found'],
  [
    '/v1/responses',
    'reasoning that is looked up',
    { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] },
    'not found',
  ],
  ['/v1/responses', 'a container', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'not known'],
  ['/v1/messages', 'a thread', { thread: { type: 'continue', previous_message_id: 'msg_1' } }, 'thread_not_found'],
  ['/v1/messages', 'a container', { container: 'container_1' }, 'not known'],
  ['/v1/messages', 'a container with more', { container: { id: 'container_1', skills: [] } }, 'not known'],
]

describe.each(references)('%s: %s of one key', (path, _, body, code) => {
  test.each([false, true])(
    'is not given to another key, also when the first answer was streamed: %s',
    async (stream) => {
      if (stream && path === '/v1/messages') return
      const { gateway, sent } = gatewayTo()
      expect((await ask(gateway, path, 'a', { stream })).status).toBe(200)
      const stranger = await ask(gateway, path, 'b', body)
      expect(stranger.status).toBeGreaterThanOrEqual(400)
      expect(stranger.status).toBeLessThan(500)
      expect(stranger.text).toContain(code)
      expect(sent).toHaveLength(1)
      expect((await ask(gateway, path, 'a', body)).status).toBe(200)
      expect(sent).toHaveLength(2)
    },
  )
})

test('a conversation that was made elsewhere belongs to the first key that uses it', async () => {
  const { gateway, sent } = gatewayTo()
  for (const conversation of ['conv_1', { id: 'conv_1' }]) {
    expect((await ask(gateway, '/v1/responses', 'a', { conversation })).status).toBe(200)
    expect((await ask(gateway, '/v1/responses', 'b', { conversation })).status).toBe(404)
  }
  expect(sent).toHaveLength(2)
})

test('a single key, and a gateway without keys, may continue whatever the provider knows', async () => {
  for (const options of [{ keys: keys.slice(0, 1) }, { keys: [] }]) {
    const { gateway } = gatewayTo(options)
    const body = { previous_response_id: 'resp_of_yesterday' }
    expect((await ask(gateway, '/v1/responses', 'a', body)).status).toBe(200)
  }
})

test('ids are forgotten for the key that has too many, not for others', () => {
  const owners = ownerStore()
  owners.remember('a', ['mine'])
  owners.remember(
    'b',
    Array.from({ length: 30_000 }, (_, index) => `id ${index}`),
  )
  expect(owners.owns('a', 'mine')).toBe(true)
  expect([owners.owns('b', 'id 0'), owners.owns('b', 'id 29999')]).toEqual([false, true])
  expect([owners.claim('b', 'mine'), owners.claim('a', 'mine'), owners.claim('b', 'new')]).toEqual([false, true, true])
})
