// The offline engine as a provider: a server on this machine that a real codec speaks to over HTTP, on any wire.
import type { Wire } from '../conversation/messages.js'
import { anthropic, gemini, type ModelFactory, ollama, openai, openaiResponses } from '../model/factories.js'
import type { Model } from '../model/model.js'

const factories: Readonly<Record<Wire, ModelFactory>> = {
  'openai-chat': openai,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
  gemini,
}

export interface OfflineProvider {
  readonly model: Model
  readonly url: string
  close(): Promise<void>
}

/** Starts the server; whoever starts it closes it. */
export async function startOfflineProvider(wire: Wire): Promise<OfflineProvider> {
  const [{ providerServer }, { offlineEngine }] = await Promise.all([
    import('../testing/provider-server.js'),
    import('../offline/engine.js'),
  ])
  const { url, close } = await providerServer({ script: offlineEngine(), strict: true, models: ['offline'] })
  return { model: factories[wire]('offline', { baseUrl: url, apiKey: 'offline' }), url, close }
}
