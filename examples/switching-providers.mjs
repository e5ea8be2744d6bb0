// One conversation with tools through all five wires and home again, against a server as strict as the real ones.
// With --model, given several times, through these instead.
import assert from 'node:assert/strict'
import { compatible, run, tool, wires } from 'toolwire'
import { providerServer } from 'toolwire/testing'
import { givenModels, isOffline } from './given-models.mjs'

const dice = tool({
  name: 'roll_dice',
  description: 'Rolls a number of dice and gives their sum',
  input: { type: 'object', properties: { dice: { type: 'integer', minimum: 1 } }, required: ['dice'] },
  execute: ({ dice }) => dice * 4,
})
// Every turn thinks, calls and answers; the thoughts are signed where the wire has signatures.
const server = await providerServer({
  strict: true,
  script: (_request, index) =>
    index % 2 === 0
      ? { reasoning: 'I should roll.', calls: [{ name: 'roll_dice', args: { dice: index / 2 + 1 } }] }
      : `You rolled ${(index + 1) * 2}.`,
})
const models = isOffline
  ? [...wires, wires[2]].map((wire) => compatible({ wire, model: 'played', baseUrl: server.url, apiKey: 'none' }))
  : givenModels()

let messages = []
const losses = new Set()
for (const [index, model] of models.entries()) {
  const result = await run({ model, tools: [dice], messages, prompt: `Roll ${index + 1} dice.` })
  assert.equal(result.stop.reason, 'answer', result.stop.error?.message)
  messages = result.messages
  for (const { code } of result.losses) losses.add(code)
  console.log(`${model.name.padEnd(26)} ${result.text}`)
}
await server.close()

console.log(`what did not cross: ${[...losses].join(', ') || 'nothing'}`)
// The server checks pairing, ids, names and signatures; it had nothing to refuse.
assert.deepEqual(
  server.requests.flatMap(({ refusal }) => refusal ?? []),
  [],
)
console.log(`${models.length} models, ${messages.length} messages, nothing refused`)
