// Each gateway: start({port, upstream}) -> [file, args, env] | null; url/headers for a slug; wire the client speaks; file null = direct.
import { fileURLToPath } from 'node:url'

const at = (p) => fileURLToPath(new URL(p, import.meta.url))
const J = { 'content-type': 'application/json', authorization: 'Bearer x', 'x-api-key': 'x' }
export default [
  {
    name: 'direct (no gateway)',
    start: () => null,
    path: (slug) => `/${slug}/v1/messages`,
    headers: () => J,
    wire: 'anthropic',
  },
  {
    name: 'pass-through floor',
    start: ({ port, upstream }) => [at('./_floor-server.mjs'), [port, upstream, 'pass']],
    path: (slug) => `/${slug}/v1/messages`,
    headers: () => J,
    wire: 'anthropic',
  },
  {
    name: 'translating floor',
    start: ({ port, upstream }) => [at('./_floor-server.mjs'), [port, upstream, 'translate']],
    path: (slug) => `/${slug}/v1/chat/completions`,
    headers: () => J,
    wire: 'openai',
  },
  {
    name: 'portkey',
    start: ({ port }) => [
      at('../gateway-peer/node_modules/@portkey-ai/gateway/build/start-server.js'),
      [`--port=${port}`, '--headless'],
      { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    ],
    path: () => '/v1/chat/completions',
    headers: (slug, upstream) => ({
      ...J,
      'x-portkey-provider': 'anthropic',
      'x-portkey-custom-host': `${upstream}/${slug}/v1`,
    }),
    wire: 'openai',
  },
]
