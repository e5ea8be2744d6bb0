// Requests that mean harm, over real sockets: each is answered with its status, in the form of the wire it asked on.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayServer, listen } from '../../src/cli/gateway-server.js'
import { createGateway } from '../../src/gateway/index.js'
import { scriptedModel } from '../../src/testing/index.js'
import { type RawRequest, rawRequest, sendRaw } from './raw-http.js'

let server: GatewayServer
const key = { name: 'tester', key: 'client-key-1', models: ['allowed*'] }

beforeAll(async () => {
  const gateway = createGateway({
    routes: [{ match: 'allowed*', targets: [scriptedModel(() => 'Hello.')] }],
    keys: [key],
    limits: { bodyBytes: 20_000, bodyTimeoutMs: 300 },
    origins: ['https://app.example'],
  })
  server = await listen(() => gateway, { host: '127.0.0.1', port: 0, headersTimeoutMs: 400 })
})
afterAll(() => server.drain(0))

const chat = JSON.stringify({ model: 'allowed', messages: [{ role: 'user', content: 'Hello' }] })
const messages = JSON.stringify({ model: 'allowed', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] })
const contents = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] })
const gemini = '/v1beta/models/allowed:generateContent'
const deep = `{"model":"allowed","messages":${'['.repeat(9_000)}${']'.repeat(9_000)}}`

/** What the body of an error looks like on each wire. */
const forms = {
  openai: { error: { message: expect.any(String), type: expect.any(String) } },
  anthropic: { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
  gemini: { error: { code: expect.any(Number), message: expect.any(String), status: expect.any(String) } },
  ollama: { error: expect.any(String) },
} as const
type Form = keyof typeof forms | 'none' | 'answer'

type HostileRow = [name: string, request: RawRequest, status: number, form: Form]

const requests: readonly HostileRow[] = [
  ['a name of its own for this address', { headers: { host: 'evil.example' }, body: chat }, 403, 'openai'],
  ['such a name with a port', { headers: { host: 'evil.example:4141' }, body: chat }, 403, 'openai'],
  ['a name that begins like the right one', { headers: { host: '127.0.0.1.evil.example' }, body: chat }, 403, 'openai'],
  ['a name with a user in front', { headers: { host: 'localhost@evil.example' }, body: chat }, 400, 'none'],
  [
    'such a name on Anthropic',
    { path: '/v1/messages', headers: { host: 'evil.example' }, body: messages },
    403,
    'anthropic',
  ],
  [
    'such a name for the metrics',
    { method: 'GET', path: '/metrics', headers: { host: 'evil.example' } },
    403,
    'openai',
  ],
  ['such a name for the health', { method: 'GET', path: '/healthz', headers: { host: 'evil.example' } }, 403, 'openai'],
  ['the page of another origin', { headers: { origin: 'https://evil.example' }, body: chat }, 403, 'openai'],
  ['the page of no origin', { headers: { origin: 'null' }, body: chat }, 403, 'openai'],
  [
    'an origin that begins like the right one',
    { headers: { origin: 'https://app.example.evil' }, body: chat },
    403,
    'openai',
  ],
  [
    'another origin asking what it may',
    { method: 'OPTIONS', headers: { origin: 'https://evil.example' } },
    403,
    'openai',
  ],
  ['a body longer than it may be', { body: `${chat}${' '.repeat(30_000)}` }, 413, 'openai'],
  ['such a body on Gemini', { path: gemini, body: `${contents}${' '.repeat(30_000)}` }, 413, 'gemini'],
  ['such a body on Ollama', { path: '/api/chat', body: `${chat}${' '.repeat(30_000)}` }, 413, 'ollama'],
  ['JSON as deep as the body allows', { body: deep }, 400, 'openai'],
  ['such JSON on Anthropic', { path: '/v1/messages', body: deep }, 400, 'anthropic'],
  ['such JSON to count its tokens', { path: '/v1/messages/count_tokens', body: deep }, 400, 'anthropic'],
  ['bytes that are no UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }, 400, 'openai'],
  [
    'half a character at the end',
    { body: Buffer.concat([Buffer.from(chat), Buffer.from([0xe4, 0xb8])]) },
    400,
    'openai',
  ],
  ...['gzip', 'deflate', 'br', 'zstd, gzip'].map(
    (coding): HostileRow => [
      `a body that is said to be ${coding}`,
      { headers: { 'content-encoding': coding }, body: gzipSync(chat) },
      415,
      'openai',
    ],
  ),
  [
    'a compressed body on Anthropic',
    { path: '/v1/messages', headers: { 'content-encoding': 'gzip' }, body: gzipSync(messages) },
    415,
    'anthropic',
  ],
  [
    'a compressed body on Gemini',
    { path: gemini, headers: { 'content-encoding': 'gzip' }, body: gzipSync(contents) },
    415,
    'gemini',
  ],
  [
    'a compressed body on Ollama',
    { path: '/api/chat', headers: { 'content-encoding': 'gzip' }, body: gzipSync(chat) },
    415,
    'ollama',
  ],
  ['a body that is said to be as it is', { headers: { 'content-encoding': 'Identity' }, body: chat }, 200, 'answer'],
  ['an empty body', { body: '' }, 400, 'openai'],
  ['a body that is no JSON', { body: '{"model":' }, 400, 'openai'],
  ['a body that is no object', { path: '/v1/messages', body: '[1,2,3]' }, 400, 'anthropic'],
  ['a body of nothing', { path: '/api/chat', body: 'null' }, 400, 'ollama'],
  ['messages that are no list', { body: '{"model":"allowed","messages":7}' }, 400, 'openai'],
  ['input that is no input', { path: '/v1/responses', body: '{"model":"allowed","input":7}' }, 400, 'openai'],
  ['no model', { body: '{"messages":[]}' }, 400, 'openai'],
  ['a model that is no text', { path: '/v1/messages', body: '{"model":{},"messages":[]}' }, 400, 'anthropic'],
  ['a model nobody serves', { body: chat.replace('allowed', 'other') }, 403, 'openai'],
  [
    'a model with a way out of its folder',
    { path: '/v1beta/models/..%2f..%2fx:generateContent', body: contents },
    403,
    'gemini',
  ],
  ['a model named like a part of every object', { body: chat.replace('allowed', '__proto__') }, 403, 'openai'],
  [
    'members named like a part of every object',
    { body: `{"__proto__":{"admin":true},${chat.slice(1)}` },
    200,
    'answer',
  ],
  ['no route', { path: '/v1/files', body: chat }, 404, 'openai'],
  ['no route of Ollama', { path: '/api/pull', body: chat }, 404, 'ollama'],
  ['no route of Anthropic', { path: '/v1/messages/batches', body: chat }, 404, 'anthropic'],
  ['no route of Gemini', { path: '/v1beta/files', body: chat }, 404, 'gemini'],
  ['a way out of the folder', { method: 'GET', path: '/../../etc/passwd' }, 404, 'openai'],
  ['a route under another name', { path: '/V1/chat/completions', body: chat }, 404, 'openai'],
  ['a question where something is to be sent', { method: 'GET' }, 405, 'openai'],
  ['something deleted', { method: 'DELETE', path: '/v1/messages' }, 405, 'anthropic'],
  ['something put', { method: 'PUT', path: '/api/chat', body: chat }, 405, 'ollama'],
  ['something sent to the metrics', { path: '/metrics', body: chat }, 404, 'openai'],
  ['no key', { headers: { authorization: '' }, body: chat }, 401, 'openai'],
  ['a wrong key', { headers: { authorization: 'Bearer client-key-2' }, body: chat }, 401, 'openai'],
  [
    'a key with something behind it',
    { headers: { authorization: 'Bearer client-key-1 x' }, body: chat },
    401,
    'openai',
  ],
  [
    'a wrong key on Anthropic',
    { path: '/v1/messages', headers: { authorization: '', 'x-api-key': 'no' }, body: messages },
    401,
    'anthropic',
  ],
  [
    'a wrong key on Gemini',
    { path: `${gemini}?key=no`, headers: { authorization: '' }, body: contents },
    401,
    'gemini',
  ],
  ['no key for the metrics', { method: 'GET', path: '/metrics', headers: { authorization: '' } }, 401, 'openai'],
  [
    'no key for the list of models',
    { method: 'GET', path: '/api/tags', headers: { authorization: '' } },
    401,
    'ollama',
  ],
]

test.each(requests)('%s', async (_, request, status, form) => {
  const answer = await sendRaw(server.url, [rawRequest(request)])
  expect(answer.status).toBe(status)
  if (form === 'none') expect(answer.body).not.toContain('Hello.')
  else if (form === 'answer') expect(answer.body).toContain('Hello.')
  else expect(JSON.parse(answer.body)).toMatchObject(forms[form])
  expect(answer.body).not.toMatch(/client-key|node_modules|at .*\.[jt]s:\d/)
})

const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer client-key-1\r\n'

/** What is no HTTP any more, by the bytes. */
const bytes: readonly [name: string, pieces: readonly (string | number)[], status: number][] = [
  ['one header of 40 kB', [`${head}x-long: ${'a'.repeat(40_000)}\r\n\r\n`], 431],
  ['two thousand headers', [`${head}${'x-many: abcdefghijklmnop\r\n'.repeat(2_000)}\r\n`], 431],
  ['a hundred and one headers', [`${head}${'x-many: a\r\n'.repeat(98)}connection: close\r\n\r\n`], 431],
  [
    'an origin and an encoding behind a hundred headers',
    [
      `${head}${'x-many: a\r\n'.repeat(98)}origin: https://evil.example\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n`,
    ],
    431,
  ],
  ['two lengths', [`${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`], 400],
  ['a length and chunks', [`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`], 400],
  ['a length below nothing', [`${head}content-length: -5\r\n\r\nhello`], 400],
  ['chunks that are none', [`${head}transfer-encoding: chunked\r\n\r\nhello\r\n`], 400],
  ['a header with a line in it', [`${head}x-a: b\r\n c\r\nbad header\r\n\r\n`], 400],
  ['no host', ['GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'], 400],
  ['no HTTP at all', ['hello, is anybody there?\r\n\r\n'], 400],
  ['a greeting of TLS', ['\u0016\u0003\u0001\u0002\u0000\u0001\u0000'], 400],
  ['a head that never ends', [head, 5_000], 408],
  ['a head that comes drop by drop', [head, 200, 'x-a: 1\r\n', 200, 'x-b: 2\r\n', 200, 'x-c: 3\r\n', 3_000], 408],
  ['a body that never comes', [`${head}content-length: 100\r\nconnection: close\r\n\r\n{`, 3_000], 408],
  [
    'a body that comes drop by drop',
    [`${head}content-length: 100\r\nconnection: close\r\n\r\n`, 100, '{', 100, '"', 100, 'a', 3_000],
    408,
  ],
]

test.each(bytes)('%s', async (_, pieces, status) => {
  const answer = await sendRaw(server.url, pieces)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body === '' ? '{}' : answer.body)).not.toHaveProperty('choices')
})

test('a hundred headers are read, also the last one', async () => {
  const lines = `${head}content-length: ${chat.length}\r\nconnection: close\r\n${'x-many: a\r\n'.repeat(94)}`
  expect((await sendRaw(server.url, [`${lines}x-last: 1\r\n\r\n${chat}`])).status).toBe(200)
  expect((await sendRaw(server.url, [`${lines}origin: https://evil.example\r\n\r\n${chat}`])).status).toBe(403)
})

test('too many headers are told in the form of the API', async () => {
  const path = head.replace('/v1/chat/completions', '/v1/messages')
  const answer = await sendRaw(server.url, [`${path}${'x-many: a\r\n'.repeat(200)}connection: close\r\n\r\n`])
  expect(answer.status).toBe(431)
  expect(JSON.parse(answer.body)).toMatchObject(forms.anthropic)
})

test('a chunked body that grows past its cap is refused while it arrives', async () => {
  const chunk = `${(8_192).toString(16)}\r\n${' '.repeat(8_192)}\r\n`
  const answer = await sendRaw(server.url, [
    `${head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
    chunk,
    chunk,
    chunk,
    chunk,
  ])
  expect(answer.status).toBe(413)
})

test('a request that means no harm is answered', async () => {
  expect((await sendRaw(server.url, [rawRequest({ body: chat })])).status).toBe(200)
})
