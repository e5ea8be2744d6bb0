// An agent with typed outputs, on all five wires: the same tasks over HTTP against a server that plays a model; then a question for each
// `--model`.
import assert from 'node:assert/strict'
import { compatible, react, ToolwireError, tool, wires } from 'toolwire'
import { providerServer } from 'toolwire/testing'
import { givenModels } from './given-models.mjs'

const prices = { apple: 3, pear: 4 }
const price = tool({
  name: 'get_price',
  description: 'The price of one fruit, in cents',
  input: { type: 'object', properties: { fruit: { type: 'string' } }, required: ['fruit'] },
  execute: ({ fruit }) => {
    if (prices[fruit] === undefined) throw new Error(`no price for ${fruit}`)
    return prices[fruit]
  },
})
const add = tool({
  name: 'add',
  description: 'Adds two whole numbers',
  input: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
  execute: ({ a, b }) => a + b,
})
const agent = react('question -> answer: string, cents: integer(min 0)', { tools: [price, add] })

const calls = (...made) => ({ calls: made.map(([name, args]) => ({ name, args })) })
const submit = (answer, cents) => calls(['submit', { answer, cents }])
const overflow = { error: new ToolwireError('context_too_long', 'the prompt is too long') }

const tasks = [
  {
    name: 'parallel calls',
    script: [
      calls(['get_price', { fruit: 'apple' }], ['get_price', { fruit: 'pear' }]),
      calls(['add', { a: 3, b: 4 }]),
      submit('7 cents', 7),
    ],
    expected: { cents: 7, modelCalls: 3, calls: 4 },
  },
  {
    name: 'a failing and an unknown tool',
    script: [calls(['get_price', { fruit: 'plum' }], ['get_weight', { fruit: 'plum' }]), submit('nobody knows', 0)],
    expected: { cents: 0, modelCalls: 2, calls: 3 },
  },
  {
    name: 'outputs that do not fit at first',
    script: [submit('minus one', -1), submit('three', 3)],
    expected: { cents: 3, modelCalls: 2, calls: 2 },
  },
  {
    name: 'a context that overflows',
    script: [calls(['get_price', { fruit: 'apple' }]), overflow, submit('3 cents', 3)],
    expected: { cents: 3, modelCalls: 3, calls: 2, dropped: 1 },
  },
]

for (const wire of wires) {
  for (const { name, script, expected } of tasks) {
    const server = await providerServer({ script, strict: true })
    const model = compatible({ wire, model: 'played', baseUrl: server.url, apiKey: 'none', retries: 0 })
    const result = await agent({ question: 'What does it cost?' }, { model })
    await server.close()
    assert.equal(result.kind, 'answer')
    const { modelCalls, calls: made, dropped } = result
    assert.deepEqual({ cents: result.outputs.cents, modelCalls, calls: made, dropped }, { dropped: 0, ...expected })
    console.log(
      `${wire.padEnd(17)} ${name}: ${result.outputs.answer} (${modelCalls} model calls, ${result.stop.reason})`,
    )
  }
}
for (const model of givenModels()) {
  const result = await agent({ question: 'What do an apple and a pear cost together?' }, { model })
  assert.equal(result.kind, 'answer', result.stop.error?.message)
  assert.equal(result.outputs.cents, 7)
  console.log(`${model.name}: ${result.outputs.answer} (${result.modelCalls} model calls, ${result.stop.reason})`)
}
console.log(`all tasks solved on ${wires.length} wires`)
