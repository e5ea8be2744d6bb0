// A suite of your own. The first run talks to the provider and writes the tape; from then on the tape answers, byte for byte: commit
// it, and the tests need neither key nor network. Remove it to record anew.
import { join } from 'node:path'
import { anthropic } from 'toolwire'
import { cassette } from 'toolwire/testing'
import { expect, test } from 'vitest'
import { askAboutWeather } from './weather.mjs'

const { TAPES = import.meta.dirname, PROVIDER: baseUrl } = process.env

function recordedModel(name) {
  return anthropic('claude-sonnet-5-5', { baseUrl, transport: cassette(join(TAPES, `${name}.jsonl`)) })
}

test('a question about the weather is answered with the tool', async () => {
  const answer = await askAboutWeather(recordedModel('rome'), 'Weather in Rome?')
  expect(answer.calls).toBe(1)
  expect(answer.text).toContain('18 °C')
})

test('a provider that is down is told, not thrown', async () => {
  const down = async () => new Response('{"type":"error","error":{"message":"too busy"}}', { status: 503 })
  const answer = await askAboutWeather(
    anthropic('any', { fetch: down, apiKey: 'none', retries: 0 }),
    'Weather in Rome?',
  )
  expect(answer.problem).toContain('too busy')
})
