// One question, one tool, one answer, on a scripted model: no key and no network. Run it with `npm start`.
import { run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { modelOr } from './given-models.mjs'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async ({ city }) => ({ city, celsius: 18, sky: 'clear' }),
})

// Stands in for anthropic('claude-…') or any other model: it says these turns, one after the other.
const model = modelOr(
  scriptedModel([
    { text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Boston' } }] },
    'It is 18 °C and clear in Boston.',
  ]),
)

const result = await run({ model, tools: [weather], prompt: 'Weather in Boston?' })

for (const message of result.messages) for (const line of linesOf(message)) console.log(line)
console.log(`\n${result.stop.reason} after ${result.turns} turns and ${result.calls} call`)

/** A message as lines to read. */
function linesOf(message) {
  const who = message.role.padEnd(9)
  if (message.role === 'tool') {
    return message.results.map((item) => `${who} ${item.name} → ${item.content.map((part) => part.text).join('')}`)
  }
  return message.content.map((part) =>
    part.type === 'tool_call' ? `${who} calls ${part.name}(${part.arguments})` : `${who} ${part.text}`,
  )
}
