// `toolwire probe` as a user runs it: a table, a JSON object, and clear words when there is nothing to ask.
import { expect, onTestFinished, test } from 'vitest'
import { type Wire, wires } from '../../src/conversation/messages.js'
import { offlineEngine } from '../../src/offline/engine.js'
import { type ProviderServerOptions, providerServer } from '../../src/testing/index.js'
import { toolwire } from './command.js'

async function probe(wire: Wire, args: readonly string[] = [], options: ProviderServerOptions = {}) {
  const server = await providerServer({ script: offlineEngine(), models: ['first', 'second'], ...options })
  onTestFinished(() => server.close())
  return { ...(await toolwire(['probe', server.url, '--wire', wire, ...args])), server }
}

test.each(wires)('%s: a table with one line for each feature, by the first model that is listed', async (wire) => {
  const { code, stdout, stderr, server } = await probe(wire)
  expect(code).toBe(0)
  expect(stdout.split('\n')[0]).toMatch(new RegExp(`^first at ${server.url}, on the ${wire} wire, by \\d+ calls$`))
  expect(stdout).toMatch(/^tools +yes +it called get_weather\(/m)
  expect(stdout.trim().split('\n').slice(2)).toHaveLength(13)
  for (const line of stdout.trim().split('\n').slice(2)) expect(line).toMatch(/^\w[\w ]+ {2,}(yes|no|unknown) +\S/)
  expect(stderr).toContain('1 of 11: streaming')
})

test('--json gives what a model factory takes', async () => {
  const { code, stdout } = await probe('openai-chat', ['--json', '--model', 'second'])
  expect(code).toBe(0)
  const result = JSON.parse(stdout) as { capabilities: object; findings: object[] }
  expect(result).toMatchObject({ wire: 'openai-chat', profile: 'openai', model: 'second' })
  expect(result.capabilities).toMatchObject({ tools: 'yes', streaming: 'yes' })
  expect(result.findings).toHaveLength(13)
})

test('a key goes only where it was sent: the one named, and none from the environment', async () => {
  const server = await providerServer({ script: offlineEngine() })
  onTestFinished(() => server.close())
  const env = { OPENAI_API_KEY: 'sk-of-openai', MY_KEY: 'sk-of-mine' }
  const args = ['probe', server.url, '--wire', 'openai-chat', '--model', 'm']
  await toolwire(args, { env })
  expect(JSON.stringify(server.requests)).not.toContain('sk-of-openai')
  const { stdout, stderr } = await toolwire([...args, '--key-env', 'MY_KEY'], { env })
  expect(server.requests.at(-1)?.raw.headers.authorization).toBe('Bearer sk-of-mine')
  expect(stdout + stderr).not.toContain('sk-of-mine')
})

test.each<[string, readonly string[], number, RegExp]>([
  ['nobody there', ['http://127.0.0.1:9', '--wire', 'ollama', '--model', 'm'], 1, /connection to http:\/\/127.0.0.1:9/],
  ['no address', ['localhost', '--wire', 'ollama'], 2, /no http or https address/],
  ['no wire', ['http://127.0.0.1:9'], 2, /--wire/],
  ['no such profile', ['http://127.0.0.1:9', '--wire', 'gemini', '--profile', 'x'], 2, /no profile "x"/],
  ['a key that is not set', ['http://127.0.0.1:9', '--wire', 'gemini', '--key-env', 'NO_KEY'], 2, /NO_KEY is not set/],
  [
    'the vendor without a key',
    ['https://api.openai.com', '--wire', 'openai-chat'],
    1,
    /no key for openai; set OPENAI_API_KEY/,
  ],
])('%s', async (_, args, expected, words) => {
  const { code, stdout, stderr } = await toolwire(['probe', ...args])
  expect(stdout).toBe('')
  expect(stderr).toMatch(words)
  expect(code).toBe(expected)
})

test('a wire that the server does not speak', async () => {
  const { code, stderr } = await probe('openai-chat', ['--model', 'm'], { misbehave: { status: 404 } })
  expect(code).toBe(1)
  expect(stderr).toMatch(/gives no answer on this wire/)
})
