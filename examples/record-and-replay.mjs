// A run is recorded once and played again from the tape, byte for byte, with the provider gone. In a suite of your own:
//   const model = anthropic('claude-…', { transport: cassette('test/tapes/weather.jsonl') })
// records when the file is not there and plays it when it is; commit the tape, and the test needs neither key nor network.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anthropic, run, tool } from 'toolwire'
import { cassette, providerServer } from 'toolwire/testing'
import { givenModels } from './given-models.mjs'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `18 °C in ${city}`,
})
const folder = mkdtempSync(join(tmpdir(), 'toolwire-tape-'))
const tape = join(folder, 'weather.jsonl')
const server = await providerServer({
  script: [{ calls: [{ name: 'get_weather', args: { city: 'Rome' } }] }, 'It is 18 °C in Rome.'],
})

async function ask(mode) {
  const transport = cassette(tape, { mode })
  const offline = { baseUrl: server.url, apiKey: 'sk-example-0123456789abcdef', transport }
  const model = givenModels({ transport })[0] ?? anthropic('any', offline)
  return run({ model, tools: [weather], prompt: 'Weather in Rome?' })
}

try {
  const recorded = await ask('record')
  await server.close()
  const played = await ask('replay')
  assert.equal(recorded.stop.reason, 'answer', recorded.stop.error?.message)
  assert.deepEqual(played.messages, recorded.messages)
  const text = readFileSync(tape, 'utf8')
  assert.equal(text.includes('sk-example'), false)
  console.log(played.text)
  console.log(`${text.trim().split('\n').length} lines of tape, no key on it, played without a provider`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
