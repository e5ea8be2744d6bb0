// The gateway's config file: what it says is what is served, and what is wrong with it is told with its place.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { ToolwireError } from '../../src/errors/error.js'
import { configSchema, createGateway, readConfig, type Target } from '../../src/gateway/index.js'
import { root } from '../layers/source.js'

const environment = (name: string): string | undefined => (name === 'UPSTREAM_KEY' ? 'upstream-secret' : undefined)

function complaint(config: object | string): string {
  try {
    readConfig(typeof config === 'string' ? config : JSON.stringify(config), environment)
  } catch (error) {
    if (ToolwireError.is(error) && error.code === 'misuse') return error.message
    throw error
  }
  throw new Error('it was taken')
}

test('the published schema is the one the reader uses', () => {
  const published = JSON.parse(readFileSync(join(root, 'schema/toolwire.config.json'), 'utf8')) as unknown
  expect(published).toEqual(configSchema)
})

describe('every config of the pages', () => {
  const page = readFileSync(join(root, 'docs/gateway.md'), 'utf8')
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes('"routes"'))
  const published = new Ajv2020({ strict: false }).compile(configSchema)
  const values = (name: string): string => (name === 'REDIS_URL' ? 'redis://127.0.0.1' : `value of ${name}`)

  test('there are some', () => expect(examples.length).toBeGreaterThan(0))
  test.each(examples)('is one for editors and for the gateway: %s', (text) => {
    published(JSON.parse(text))
    expect(published.errors).toBeNull()
    expect(() => createGateway(readConfig(text, values))).not.toThrow()
  })

  test('a text that is bound to something may be a reference there, and is still looked at when that is filled in', () => {
    const redis = (value: string): object => ({
      routes: [{ match: '*', targets: [{ wire: 'anthropic' }] }],
      redis: value,
    })
    const taken = [`\${R}`, 'redis://a', `redis://\${R}`].map((value) => published(redis(value)))
    expect([...taken, published(redis('http://a'))]).toEqual([true, true, true, false])
    expect(() => readConfig(JSON.stringify(redis(`\${R}`)), () => 'http://a')).toThrow(/\/redis /)
  })
})

test('the line break at the end of a variable belongs to the file it was read from', () => {
  const targets = [{ wire: 'anthropic', apiKey: `\${KEY}` }]
  const [first] = readConfig(JSON.stringify({ routes: [{ match: '*', targets }] }), () => 'secret\r\n').routes
  expect(first?.targets).toMatchObject([{ apiKey: 'secret' }])
})

test.each<[string, Partial<Target>, RegExp]>([
  ['an address without http', { baseUrl: 'localhost:11434' }, /target 2: its baseUrl is no address/],
  ['no address', { baseUrl: '' }, /target 2: its baseUrl is no address/],
  ['an address with a blank', { baseUrl: 'http://127.0.0.1 ' }, /target 2: its baseUrl is no address/],
  ['a vendor without an address of its own', { wire: 'openai-chat', profile: 'azure' }, /target 2: .*needs a baseUrl/],
  ['an unknown vendor', { profile: 'nobody' }, /target 2: .*nobody/],
  ['a name that no header has', { headers: { 'x team': 'a' } }, /target 2: the header "x team" holds/],
  ['a header of two lines', { headers: { 'X-Team': 'secret-word\nx' } }, /target 2: the header "X-Team" holds/],
  ['a key of two lines', { apiKey: 'secret-word\nx' }, /target 2: apiKey holds/],
  ['a key in typographic quotes', { apiKey: '\u201csecret-word\u201d' }, /target 2: apiKey holds/],
  ['no time at all', { headersTimeoutMs: 0 }, /target 2: headersTimeoutMs must be/],
])('a target with %s is refused with its place, without its key', (_, wrong, pattern) => {
  const routes = [{ match: 'm*', targets: [target, { ...target, ...wrong }] as Target[] }]
  expect(() => createGateway({ routes })).toThrow(pattern)
  expect(() => createGateway({ routes })).toThrow(/^route 1 \("m\*"\), /)
  expect(() => createGateway({ routes })).not.toThrow(/secret-word/)
})

test('references to the environment are filled in, wherever they stand', () => {
  const text = JSON.stringify({
    $schema: './node_modules/toolwire/schema/toolwire.config.json',
    routes: [
      {
        match: 'fast*',
        targets: [{ wire: 'anthropic', apiKey: `\${UPSTREAM_KEY}`, headers: { 'x-team': `a-\${UPSTREAM_KEY}-b` } }],
      },
    ],
  })
  expect(readConfig(text, environment).routes).toEqual([
    {
      match: 'fast*',
      targets: [{ wire: 'anthropic', apiKey: 'upstream-secret', headers: { 'x-team': 'a-upstream-secret-b' } }],
    },
  ])
})

const target = { wire: 'anthropic' }
const route = { match: '*', targets: [target] }

test.each<[string, object | string, RegExp]>([
  ['text that is no JSON', '{"routes": [', /^the config is no JSON/],
  ['a list', [], /the config /],
  ['nothing', {}, /routes/],
  ['no route', { routes: [] }, /\/routes /],
  ['a route without targets', { routes: [{ match: '*' }] }, /\/routes\/0\/targets is required/],
  ['an unknown wire', { routes: [{ match: '*', targets: [{ wire: 'soap' }] }] }, /\/routes\/0\/targets\/0\/wire /],
  ['a weight of nothing', { routes: [{ match: '*', targets: [{ ...target, weight: 0 }] }] }, /\/targets\/0\/weight /],
  ['an unknown word', { routes: [route], rutes: [] }, /rutes/],
  ['a word in the wrong place', { routes: [{ ...route, key: 'x' }] }, /\/routes\/0.*key/],
  ['a short client key', { routes: [route], keys: [{ name: 'a', key: 'short' }] }, /\/keys\/0\/key /],
  ['a limit that is no number', { routes: [route], limits: { bodyBytes: '1' } }, /\/limits\/bodyBytes /],
  [
    'a variable that is not set',
    { routes: [{ match: '*', targets: [{ ...target, apiKey: `\${NOT_SET}` }] }] },
    /\$\{NOT_SET\} at \/routes\/0\/targets\/0\/apiKey/,
  ],
])('%s is told with its place', (_, config, pattern) => {
  expect(complaint(config)).toMatch(pattern)
})

test('all that is wrong is told at once', () => {
  const message = complaint({ routes: [{ match: '', targets: [] }], strict: 'yes' })
  expect(message).toMatch(/\/routes\/0\/match .*\/routes\/0\/targets .*\/strict /)
})

test('what is wrong with a config never shows a key it refers to', () => {
  const message = complaint({ routes: [{ match: '*', targets: [{ wire: `\${UPSTREAM_KEY}` }] }] })
  expect(message).not.toContain('upstream-secret')
})

test('a key named like a part of every object stays a plain key', () => {
  const text = '{"routes":[{"match":"*","targets":[{"wire":"anthropic","headers":{"__proto__":"x"}}]}]}'
  const [first] = readConfig(text, environment).routes
  const headers = first?.targets[0] !== undefined && 'headers' in first.targets[0] ? first.targets[0].headers : {}
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})
