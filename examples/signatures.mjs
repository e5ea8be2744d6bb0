// Signatures: typed inputs and outputs, calls as an output, and an answer that is corrected. Scripted models play it unless `--model`
// names another; then only what the types promise is checked.
import assert from 'node:assert/strict'
import { chainOfThought, configure, executeToolCalls, jsonAdapter, predict, signature, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const says = (...turns) => modelOr(scriptedModel(turns))

// One output of a class, one number: the types of both come from the text.
const review = signature(
  '"Judge a review." review: string -> mood: class "good, bad, mixed", score: number(min 0, max 1)',
)
const judge = predict(review, {
  model: says('[[ ## mood ## ]]\ngood\n\n[[ ## score ## ]]\n0.9\n\n[[ ## completed ## ]]'),
  demos: [{ review: 'Broken after a day.', mood: 'bad', score: 0.1 }],
})
const judged = await judge({ review: 'Works like a charm.' })
assert.equal(judged.outputs.mood, 'good')
if (isOffline) assert.equal(judged.outputs.score, 0.9)
console.log('judged   ', judged.outputs)

// An answer that does not fit is asked for again, with what was wrong. As JSON this time, and with the reasoning first.
configure({ adapter: jsonAdapter })
const count = chainOfThought('text -> words: integer', {
  model: says('{"reasoning":"two words","words":"two"}', '{"reasoning":"two words","words":2}'),
})
const counted = await count({ text: 'Hello world' })
assert.equal(counted.outputs.words, 2)
if (isOffline) assert.equal(counted.modelCalls, 2)
for (const { error } of counted.retries) console.log('corrected', error.message)
configure({ adapter: undefined })

// Tools are an input, calls an output. Nothing is run before the program says so; then the turn goes on as history.
const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `18 °C in ${city}`,
})
const ask = predict('history: history, question?: string, tools: tools -> answer: string, calls?: tool_calls', {
  model: says(
    { calls: [{ name: 'get_weather', args: { city: 'Boston' } }] },
    '[[ ## answer ## ]]\nIt is 18 °C in Boston.',
  ),
})
const first = await ask({ history: [], question: 'Weather in Boston?', tools: [weather] })
assert.equal(first.kind, 'calls')
console.log('calls    ', first.calls[0].name, first.calls[0].args)
const results = await executeToolCalls(first.toolCalls, [weather])
const second = await ask({ history: [{ ...first.turn, results }], tools: [weather] })
assert.match(second.outputs.answer, /18/)
console.log('answer   ', second.outputs.answer)

// Text fields as they grow.
const story = predict('topic -> story', {
  model: says('[[ ## story ## ]]\nOnce upon a time there was a wire.'),
})
let told = ''
for await (const event of story.stream({ topic: 'wires' })) if (event.type === 'field_delta') told += event.text
assert.notEqual(told, '')
if (isOffline) assert.equal(told, 'Once upon a time there was a wire.')
console.log('streamed ', told)

console.log('all as expected')
