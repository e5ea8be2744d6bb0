// What Node reads of the package, and when: the built door loads its parts (scripts/parts.mjs) at their first use.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as source from '../../src/index.js'
import { type ProviderServer, providerServer } from '../../src/testing/index.js'
import { root } from '../layers/source.js'

let server: ProviderServer
beforeAll(async () => {
  const call = { calls: [{ name: 'get_weather', args: { city: 'Boston' } }] }
  server = await providerServer({ script: [call, 'It is 18 °C.', call, 'It is 18 °C.'] })
})
afterAll(() => server.close())

/** What a program prints as JSON, in a process of its own. `loaded()` lists the parts that were read so far. */
async function printed(program: string): Promise<unknown> {
  const text = `
    import { createRequire } from 'node:module'
    const { cache } = createRequire(${JSON.stringify(join(root, 'here.js'))})
    const loaded = () => Object.keys(cache).map((path) => path.replace(/^.*[\\\\/](.*)\\.cjs$/, '$1')).sort()
    ${program}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { cwd: root })
  let out = ''
  let errors = ''
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (errors += data))
  await new Promise((resolve) => child.on('close', resolve))
  expect(errors).toBe('')
  return JSON.parse(out)
}

test('the main door reads the core alone', async () => {
  expect(await printed(`await import('toolwire'); console.log(JSON.stringify(loaded()))`)).toEqual(['core'])
})

test('a run reads the loop, the way of a call and its own wire; checks only for a JSON Schema', async () => {
  const program = `
    import { anthropic, openai, run, tool } from 'toolwire'
    const weather = (input) => tool({ name: 'get_weather', description: 'Current weather', input, execute: () => 18 })
    const options = { baseUrl: ${JSON.stringify(server.url)}, apiKey: 'k' }
    const anything = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) } } }
    const first = await run({ model: openai('m', options), tools: [weather(anything)], prompt: 'Weather?' })
    const afterFirst = loaded()
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const second = await run({ model: anthropic('m', options), tools: [weather(schema)], prompt: 'Weather?' })
    const afterSecond = loaded().filter((part) => !afterFirst.includes(part))
    console.log(JSON.stringify({ stops: [first.stop, second.stop], afterFirst, afterSecond }))`
  expect(await printed(program)).toEqual({
    stops: [{ reason: 'answer' }, { reason: 'answer' }],
    afterFirst: ['call', 'core', 'loop', 'openai-chat'],
    afterSecond: ['anthropic', 'checks'],
  })
})

test('the built door has the names of the source, each of the same kind', async () => {
  const kindOf = (value: unknown): unknown =>
    typeof value === 'object' || typeof value === 'function'
      ? `${typeof value}: ${Object.keys(value ?? {}).join(' ')}`
      : value
  const kinds = Object.fromEntries(Object.entries(source).map(([name, value]) => [name, kindOf(value)]))
  const program = `
    import * as door from 'toolwire'
    const kindOf = ${String(kindOf)}
    console.log(JSON.stringify(Object.fromEntries(Object.entries(door).map(([name, value]) => [name, kindOf(value)]))))`
  expect(await printed(program)).toEqual(kinds)
})

test('what stands for a function before it is there calls it', async () => {
  const program = `
    import { chatAdapter, codecs, dialectNames, generate, predict, run, signature, tool, ToolwireError } from 'toolwire'
    const failure = (attempt) => { try { attempt() } catch (error) { return error instanceof ToolwireError && error.code } }
    const built = signature.build('Answers').input('question').output('answer')
    console.log(JSON.stringify({
      wires: Object.keys(codecs),
      name: codecs.gemini.wire,
      adapter: [chatAdapter.name, typeof chatAdapter.format],
      signature: String(signature('question -> answer')),
      dialects: dialectNames.length,
      failures: [failure(() => run.stream({})), failure(() => generate.stream({})), failure(() => tool({})), failure(() => predict('no arrow'))],
      built: typeof built,
    }))`
  expect(await printed(program)).toEqual({
    wires: ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini'],
    name: 'gemini',
    adapter: ['chat', 'function'],
    signature: 'question: string -> answer: string',
    dialects: 8,
    failures: ['misuse', 'misuse', 'invalid_tool_spec', 'misuse'],
    built: 'object',
  })
})
