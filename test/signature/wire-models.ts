// A model on every wire, in both modes, against a strict provider server that plays a script.
import { type Wire, wires } from '../../src/conversation/messages.js'
import { compatible } from '../../src/model/factories.js'
import type { Model } from '../../src/model/model.js'
import type { Plan } from '../../src/signature/adapter.js'
import { type ProviderServer, providerServer, type Turn } from '../../src/testing/index.js'
import type { ProviderScript } from '../../src/testing/provider-script.js'

export type Mode = Plan['mode']
export const modes: readonly Mode[] = ['native', 'prompted']
/** Every wire in every mode. */
export const wiresAndModes: readonly (readonly [Wire, Mode])[] = wires.flatMap((wire) =>
  modes.map((mode) => [wire, mode] as const),
)

export interface Bench extends AsyncDisposable {
  readonly model: Model
  readonly server: ProviderServer
}

/** In prompted mode the model is known not to have tools; nothing else is said about it. */
export async function bench(wire: Wire, mode: Mode, script: ProviderScript): Promise<Bench> {
  const server = await providerServer({ script, strict: true })
  const capabilities = mode === 'prompted' ? { tools: 'no' as const } : {}
  const model = compatible({ wire, model: 'm', baseUrl: server.url, apiKey: 'key', retries: 0, capabilities })
  return { model, server, [Symbol.asyncDispose]: () => server.close() }
}

/** Calls as a model gives them in a mode: as such, or as the text of a field. */
export function callTurn(mode: Mode, field: string, calls: readonly { name: string; args: object | string }[]): Turn {
  if (mode === 'native') return { calls: calls.map(({ name, args }) => ({ name, args: args as never })) }
  return `[[ ## ${field} ## ]]\n${JSON.stringify(calls)}\n\n[[ ## completed ## ]]`
}
