// What goes wrong, and where it is seen: a busy provider, a failing tool, a dead provider, a run that cannot go on.
import assert from 'node:assert/strict'
import { fallback, openai, run, ToolExecutionError, tool } from 'toolwire'
import { providerServer } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

let attempts = 0
const order = tool({
  name: 'place_order',
  description: 'Orders a number of pieces',
  input: { type: 'object', properties: { pieces: { type: 'integer', minimum: 1 } }, required: ['pieces'] },
  execute: ({ pieces }) => {
    attempts += 1
    // The model reads these very words and can do better. Any other error would be redacted.
    if (pieces > 10) throw new ToolExecutionError('unknown', 'there are only 10 pieces', { details: { left: '10' } })
    return `ordered ${pieces}`
  },
})

// The server is busy for the first two requests; then it plays its script.
const busy = { status: 429, headers: { 'retry-after': '0' } }
const server = await providerServer({
  script: [
    { calls: [{ name: 'place_order', args: { pieces: 12 } }] },
    { calls: [{ name: 'place_order', args: { pieces: 10 } }] },
    'I ordered the last 10.',
  ],
  misbehave: (_request, index) => (index < 2 ? busy : undefined),
})
const retries = []
const onRetry = ({ error, waitMs }) => retries.push(`${error.code}, again in ${Math.round(waitMs)} ms`)
const busyModel = openai('busy', { baseUrl: server.url, apiKey: 'none', onRetry })
const deadModel = openai('dead', { baseUrl: 'http://127.0.0.1:9', apiKey: 'none', retries: 0 })
const changed = []
const model = fallback([deadModel, modelOr(busyModel)], {
  onFallback: (from, to, error) => changed.push(`${from.name} → ${to.name}: ${error.code}`),
})

const result = await run({ model, tools: [order], prompt: 'Order 12 pieces, or as many as there are.' })
for (const line of [...changed, ...retries]) console.log(line)
for (const message of result.messages) {
  if (message.role === 'tool') for (const { content } of message.results) console.log(content[0].text)
}
console.log(result.text)
assert.equal(changed[0].endsWith('network'), true)
if (isOffline) {
  assert.deepEqual(retries, ['rate_limited, again in 0 ms', 'rate_limited, again in 0 ms'])
  assert.equal(attempts, 2)
}

// A run does not throw once it has started: it says how it stopped, and what was said can be sent again.
const failed = await run({ model: deadModel, messages: result.messages, prompt: 'Thank you.' })
assert.equal(failed.stop.reason, 'error')
assert.equal(failed.messages.length, result.messages.length + 1)
await server.close()
console.log(`${failed.stop.reason}: ${failed.stop.error.code}, may be tried again: ${failed.stop.error.retryable}`)
