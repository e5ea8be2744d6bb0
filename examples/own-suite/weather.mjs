// The program under test: what you have written, with the model handed in.
import { run, tool } from 'toolwire'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather for a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `18 °C in ${city}`,
})

/** An answer about the weather, or why there is none. */
export async function askAboutWeather(model, question) {
  const { stop, text, calls } = await run({ model, tools: [weather], prompt: question, maxTurns: 3 })
  return stop.reason === 'answer' ? { text, calls } : { problem: stop.error?.message ?? stop.reason }
}
