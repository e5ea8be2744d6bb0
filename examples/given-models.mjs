// The models named by `--model vendor:id` (more than once for several); the examples are offline without it. Keys come from the environment.
import { anthropic, gemini, local, ollama, openai, openaiResponses, xai } from 'toolwire'

const factories = new Map(
  Object.entries({ anthropic, gemini, local, ollama, openai, 'openai-responses': openaiResponses, xai }),
)

export const isOffline = !process.argv.includes('--model')

/** One model for each `--model`, with these options. */
export function givenModels(options = {}) {
  return process.argv.flatMap((word, index) => {
    if (word !== '--model') return []
    const [vendor = '', ...rest] = (process.argv[index + 1] ?? '').split(':')
    const factory = factories.get(vendor)
    if (factory === undefined) throw new Error(`--model ${vendor}: there are ${[...factories.keys()].join(', ')}`)
    return [factory(rest.join(':'), options)]
  })
}

/** The first model that was named, or the one for offline. */
export function modelOr(offline) {
  return givenModels()[0] ?? offline
}
