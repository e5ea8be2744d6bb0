// Each gateway: start({ port, upstream }) says what to run (null: nothing, the client asks the upstream itself); path and headers of a
// call; the wire the client speaks; the name of the model where it chooses the upstream; the floor it is held against.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const plain = { 'content-type': 'application/json', authorization: 'Bearer x', 'x-api-key': 'x' }
const onMessages = { wire: 'anthropic', path: (slug) => `/${slug}/v1/messages`, headers: () => plain }
const onChat = { wire: 'openai', path: (slug) => `/${slug}/v1/chat/completions`, headers: () => plain }

/** `toolwire serve` as a user starts it: a config, the log as it is. */
function toolwire({ port, upstream }) {
  const file = join(mkdtempSync(join(tmpdir(), 'gateway-bench-')), 'toolwire.config.json')
  const target = (slug) => ({ wire: 'anthropic', baseUrl: `${upstream}/${slug}`, apiKey: 'x', model: 'bench-model' })
  const routes = ['chat4', 'text-200'].map((slug) => ({ match: slug, targets: [target(slug)] }))
  writeFileSync(file, JSON.stringify({ routes }))
  return { args: [at('../../../dist/node/cli/main.js'), 'serve', '--config', file, '--port', port] }
}

export default [
  { name: 'direct (no gateway)', floor: true, start: () => null, ...onMessages },
  {
    name: 'pass-through floor',
    floor: true,
    start: ({ port, upstream }) => ({ args: [at('./_floor-server.mjs'), port, upstream, 'pass'] }),
    ...onMessages,
  },
  {
    name: 'translating floor',
    floor: true,
    start: ({ port, upstream }) => ({ args: [at('./_floor-server.mjs'), port, upstream, 'translate'] }),
    ...onChat,
  },
  {
    name: 'toolwire',
    start: toolwire,
    against: 'translating floor',
    ...onChat,
    path: () => '/v1/chat/completions',
    model: (slug) => slug,
  },
  {
    name: 'toolwire, same wire',
    start: toolwire,
    against: 'pass-through floor',
    ...onMessages,
    path: () => '/v1/messages',
    model: (slug) => slug,
  },
  {
    name: 'portkey',
    start: ({ port }) => ({
      args: [
        at('../gateway-peer/node_modules/@portkey-ai/gateway/build/start-server.js'),
        `--port=${port}`,
        '--headless',
      ],
      env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    }),
    against: 'translating floor',
    ...onChat,
    path: () => '/v1/chat/completions',
    headers: (slug, upstream) => ({
      ...plain,
      'x-portkey-provider': 'anthropic',
      'x-portkey-custom-host': `${upstream}/${slug}/v1`,
    }),
  },
]
