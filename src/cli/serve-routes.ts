// What a gateway serves when nobody wrote it a config: the providers whose keys are set, a running Ollama, else the offline engine.
import type { Wire } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import type { GatewayOptions, GatewayRoute, Target } from '../gateway/options.js'
import { ollamaHost } from '../model/factories.js'
import { listModels } from '../model/listing.js'
import type { Model } from '../model/model.js'
import { chooseModel, defaultWire, keyVariables, type Lister } from './models.js'
import { startOfflineProvider } from './offline-provider.js'
import type { Environment } from './terminal.js'

export interface FoundRoutes {
  readonly options: GatewayOptions
  /** What is served and why, for people. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

interface Found {
  readonly match: string
  readonly target: Target | Model
  readonly why: string
}

/** Names of models that are a provider's own, by the variable that holds its key. */
const providers: readonly { variable: string; match: string; wire: Wire; profile?: string }[] = [
  { variable: 'ANTHROPIC_API_KEY', match: 'claude-*', wire: 'anthropic' },
  { variable: 'OPENAI_API_KEY', match: 'gpt-*', wire: 'openai-responses' },
  { variable: 'GEMINI_API_KEY', match: 'gemini-*', wire: 'gemini' },
  { variable: 'XAI_API_KEY', match: 'grok-*', wire: 'openai-chat', profile: 'xai' },
]

/** Any name that no provider knows goes to the model that `toolwire run` would take: clients bring names of their own. */
export async function foundRoutes(env: Environment, list: Lister = listModels): Promise<FoundRoutes> {
  const set = providers
    .filter(({ variable }) => env[variable])
    .map(({ variable, match, ...target }): Found => ({ match, target, why: `${variable} is set` }))
  const found = [...set, ...(await ollamaRoutes(list))]
  if (found.length === 0) return offlineRoutes()
  const { usual, trouble } = await usualRoute(env, list)
  const routes = [...found, ...usual]
  return {
    options: { routes: routes.map(({ match, target }) => ({ match, targets: [target] })) },
    lines: [...routes.map(({ match, why }) => `${match} (${why})`), ...trouble],
    close: async () => {},
  }
}

async function ollamaRoutes(list: Lister): Promise<readonly Found[]> {
  try {
    const models = await list({ wire: 'ollama', baseUrl: ollamaHost(), timeoutMs: 300, retries: 0 })
    const targetOf = (model: string): Target => ({ wire: 'ollama', baseUrl: ollamaHost(), model })
    return models.map(({ id }) => ({ match: id, target: targetOf(id), why: 'Ollama has it' }))
  } catch {
    return [] // none is running, or it is something else
  }
}

/** Without it only names that are known are served; the gateway starts all the same. */
async function usualRoute(
  env: Environment,
  list: Lister,
): Promise<{ readonly usual: readonly Found[]; readonly trouble: readonly string[] }> {
  try {
    const { choice } = await chooseModel({}, env, list)
    if (choice.type === 'offline') return { usual: [], trouble: [] }
    const { vendor, model, factory } = choice
    return {
      usual: [{ match: '*', target: factory(model), why: `every other name is ${vendor}:${model}` }],
      trouble: [],
    }
  } catch (error) {
    if (!ToolwireError.is(error)) throw error
    return { usual: [], trouble: [`other names are not served: ${error.message}`] }
  }
}

async function offlineRoutes(): Promise<FoundRoutes> {
  const { url, close } = await startOfflineProvider(defaultWire)
  const target: Target = { wire: defaultWire, baseUrl: url, apiKey: 'offline', model: 'offline' }
  const routes: readonly GatewayRoute[] = [
    { match: 'offline', targets: [target] },
    { match: '*', targets: [target] },
  ]
  const why = `none of ${keyVariables.join(', ')} is set and no Ollama is running`
  return { options: { routes }, lines: [`* → the offline engine, which is no language model (${why})`], close }
}
