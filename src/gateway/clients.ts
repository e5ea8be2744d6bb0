// Who asks: the key of a request, found in any wire's own place, compared by hash so that the time tells nothing.
import { ToolwireError } from '../errors/error.js'
import { digest } from '../json/digest.js'
import type { Arrival } from './arrival.js'
import type { ClientKey } from './options.js'
import { matches } from './pattern.js'

/** Finds the client of a request. Without keys there is one client who may all. */
export function clientsOf(keys: readonly ClientKey[]): (arrival: Arrival) => ClientKey | undefined {
  const known = new Map(keys.map((key) => [digest(key.key), key]))
  return (arrival) => {
    if (known.size === 0) return undefined
    const given = keyOf(arrival)
    const client = given === undefined ? undefined : known.get(digest(given))
    if (client !== undefined) return client
    const message =
      given === undefined
        ? 'this gateway needs a key; send it as your client sends the key of a provider'
        : 'the key is not known to this gateway'
    throw new ToolwireError('authentication', message)
  }
}

function keyOf({ headers, query }: Arrival): string | undefined {
  const bearer = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return (
    bearer ??
    headers['x-api-key'] ??
    headers['x-goog-api-key'] ??
    headers['api-key'] ??
    new URLSearchParams(query).get('key') ??
    undefined
  )
}

export function mayUse(client: ClientKey | undefined, model: string): boolean {
  return client?.models === undefined || client.models.some((pattern) => matches(pattern, model))
}
