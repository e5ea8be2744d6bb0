// A server at an address, over the SDK's transport. Redirects stay within the origin, as headers may hold keys.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ToolwireError } from '../errors/error.js'
import { ExactIntegers } from './exact-integers.js'
import { defaultMaxMessageBytes, limitResponse } from './message-limit.js'
import type { HttpServerSpec } from './server-spec.js'

/** A stream that breaks is taken up again where the server can; after these attempts the server counts as gone. */
const reconnectionOptions = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 2000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
}

export interface HttpTransport {
  readonly transport: Transport
  /** Tells the server that the session is over; a server that cannot be told is no error. */
  end(): Promise<void>
}

/** `onExceeded` is called when a stream of the server holds a message that is too long: calls that wait on it get no answer. */
export function httpTransport(
  { url, headers = {}, maxMessageBytes = defaultMaxMessageBytes }: HttpServerSpec,
  onExceeded: (error: ToolwireError) => void,
): HttpTransport {
  const integers = new ExactIntegers()
  const exactFetch = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const { body } = init ?? {}
    const exact = typeof body === 'string' ? { ...init, body: integers.unmark(body) } : init
    return limitResponse(await fetch(address, exact), maxMessageBytes, onExceeded)
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: exactFetch,
    reconnectionOptions,
  })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(integers.mark(message), options)
  const end = async (): Promise<void> => {
    const told = transport.terminateSession().catch(() => {})
    // A server that is gone or hangs must not hold up a program that leaves.
    await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 1000).unref())])
  }
  return { transport: transport as Transport, end }
}
