// What a server itself says a model can do, where its wire has a route for that: asked for once per model, only when a request
// needs what is not known, and remembered. A server that does not say leaves it unknown.
import type { CompletionRequest } from '../conversation/request.js'
import { ToolwireError } from '../errors/error.js'
import type { HttpRequest } from '../wire/codec.js'
import { readShown, type ShownModel, showRequest } from '../wire/directory.js'
import { isCapabilityNeeded } from './capabilities.js'
import type { Capabilities, Support } from './model.js'
import { answered, type Endpoint, whole } from './sending.js'

export interface LearnedCapabilities {
  /** What is known of a model so far. */
  of(model: string): Capabilities
  /** The same, after asking the server when the request needs what is unknown. Never fails: the call itself will tell. */
  for(request: CompletionRequest, signal: AbortSignal): Capabilities | Promise<Capabilities>
}

const told = ['tools', 'images', 'reasoning'] as const
/** Asking what a model can do must not keep the call waiting. */
const longestMs = 5_000

export function learnedCapabilities(endpoint: Endpoint): LearnedCapabilities {
  const shown = new Map<string, ShownModel | undefined>()
  const asking = new Map<string, Promise<void>>()
  const ask = async (model: string, http: HttpRequest, signal: AbortSignal): Promise<void> => {
    try {
      shown.set(model, await show(endpoint, http, signal))
    } catch {
      // The server is out of reach or the call was aborted, which the call itself will tell.
    } finally {
      asking.delete(model)
    }
  }
  const of = (model: string): Capabilities => withShown(endpoint.capabilities, shown.get(model))
  return {
    of,
    for(request, signal) {
      const { model } = request
      const http = shown.has(model) ? undefined : showRequest(endpoint.codec.wire, model)
      const isOpen = (name: (typeof told)[number]): boolean =>
        endpoint.capabilities[name] === 'unknown' && isCapabilityNeeded(name, request)
      if (http === undefined || !told.some(isOpen)) return of(model)
      const asked = asking.get(model) ?? ask(model, http, signal)
      asking.set(model, asked)
      return asked.then(() => of(model))
    },
  }
}

/** Only what was unknown is filled in: the caller's own word wins. */
function withShown(capabilities: Capabilities, shown: ShownModel | undefined): Capabilities {
  if (shown === undefined) return capabilities
  const filled = told.map((name): readonly [string, Support] => {
    const known = capabilities[name]
    return [name, known === 'unknown' ? (shown[name] ? 'yes' : 'no') : known]
  })
  return { ...capabilities, ...Object.fromEntries(filled) }
}

/** An answer that tells nothing is remembered too; a failure to reach the server is not. */
async function show(endpoint: Endpoint, http: HttpRequest, signal: AbortSignal): Promise<ShownModel | undefined> {
  const { deadlines, retry } = endpoint
  const quick: Endpoint = {
    ...endpoint,
    deadlines: { ...deadlines, timeoutMs: Math.min(deadlines.timeoutMs, longestMs) },
    retry: { ...retry, retries: 0 },
  }
  try {
    return readShown((await whole(await answered(quick, http, signal))).body)
  } catch (error) {
    if (ToolwireError.is(error) && error.status !== undefined) return undefined
    throw error
  }
}
