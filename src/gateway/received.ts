// A request as it arrives: its address checked, its body read within its caps.
import { ToolwireError } from '../errors/error.js'
import { bodyBytes } from '../frames/body.js'
import type { HttpRequest } from '../wire/codec.js'
import type { Arrival } from './arrival.js'
import { refused } from './failure.js'

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Refuses requests that a web page made under a name of its own, or from an origin that was not allowed. */
export function senderCheck(
  hosts: readonly string[],
  origins: readonly string[],
): (headers: Arrival['headers']) => void {
  const allowed = new Set([...loopback, ...hosts])
  const isOpen = hosts.includes('*')
  let known: string | undefined // most requests have the host of the one before
  return ({ host = '', origin }) => {
    if (host !== known) {
      const name = hostName(host)
      if (!isOpen && !allowed.has(name)) {
        throw new ToolwireError('permission', `this gateway does not answer to the host "${name}"; add it to "hosts"`)
      }
      known = host
    }
    if (origin !== undefined && !origins.includes(origin)) {
      const message = `web pages of ${origin} may not use this gateway; add the origin to "origins"`
      throw new ToolwireError('permission', message)
    }
  }
}

function hostName(host: string): string {
  const name = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.exec(host)?.[1]
  if (name === undefined) throw refused(400, 'invalid_request', 'the host of the request cannot be read')
  return name.toLowerCase()
}

export interface BodyCaps {
  readonly bytes: number
  readonly timeoutMs: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The request with its whole body. A body that is too long, too slow or no UTF-8 is refused while it arrives. */
export async function receive(arrival: Arrival, caps: BodyCaps): Promise<HttpRequest> {
  const { method, path, query, headers } = arrival
  if (Number(headers['content-length'] ?? 0) > caps.bytes) throw tooLarge(caps.bytes)
  const pieces: Uint8Array[] = []
  let length = 0
  const take = (piece: Uint8Array): void => {
    length += piece.length
    if (length > caps.bytes) throw tooLarge(caps.bytes)
    pieces.push(piece)
  }
  await arrival.read(take, caps.timeoutMs)
  try {
    const body = utf8.decode(bodyBytes(pieces))
    return { method, path: path + query, headers: headers as HttpRequest['headers'], body }
  } catch (cause) {
    throw new ToolwireError('invalid_request', 'the request body is not UTF-8', { cause })
  }
}

function tooLarge(limit: number): ToolwireError {
  return refused(413, 'invalid_request', `the request body is larger than ${limit} bytes`)
}
