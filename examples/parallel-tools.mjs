// Three calls in one turn: they run side by side, and their results are told in the order of the calls.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

let running = 0
let most = 0
const finished = []
const population = tool({
  name: 'get_population',
  description: 'The population of a city, in millions',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async ({ city }) => {
    running += 1
    most = Math.max(most, running)
    await sleep(city === 'Tokyo' ? 60 : 20) // the first asked is the last done
    running -= 1
    finished.push(city)
    return { Tokyo: 37, Delhi: 33, Lima: 11 }[city] ?? 'not known'
  },
})
const cities = ['Tokyo', 'Delhi', 'Lima']
const model = modelOr(
  scriptedModel([
    { calls: cities.map((city) => ({ name: 'get_population', args: { city } })) },
    'Tokyo is the largest.',
  ]),
)

// `concurrency: 1` would run them one after the other; `parallelToolCalls: false` asks the model for one at a time.
const result = await run({ model, tools: [population], prompt: `Which is larger: ${cities.join(', ')}?` })

const results = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
for (const { name, content } of results) console.log(name, content.map((part) => part.text).join(''))
assert.equal(results.length, result.calls)
if (isOffline) {
  assert.equal(most, 3)
  assert.equal(finished.at(-1), 'Tokyo')
  assert.deepEqual(
    results.map(({ content }) => content[0].text),
    ['37', '33', '11'],
  )
}
console.log(`${result.text} (${most} at once)`)
