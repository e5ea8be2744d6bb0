// A request as it arrives: its address checked, its body read within its caps.
import { ToolwireError } from '../errors/error.js'
import { bodyBytes } from '../frames/body.js'
import type { HttpRequest } from '../wire/codec.js'
import type { Arrival } from './arrival.js'
import { refused } from './failure.js'

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses requests that a web page made under a name of its own, or from an origin that was not allowed; gives the origin of a
 * page that may ask.
 */
export function senderCheck(
  hosts: readonly string[],
  origins: readonly string[],
): (headers: Arrival['headers']) => string | undefined {
  const allowed = new Set([...loopback, ...hosts.filter((host) => host !== '*').map(allowedHost)])
  const isOpen = hosts.includes('*')
  const pages = new Set(origins.map(allowedOrigin))
  let known: string | undefined // most requests have the host of the one before
  return ({ host = '', origin }) => {
    if (host !== known) {
      const name = hostName(host)
      if (!isOpen && !allowed.has(name)) {
        throw new ToolwireError('permission', `this gateway does not answer to the host "${name}"; add it to "hosts"`)
      }
      known = host
    }
    if (origin !== undefined && !pages.has(origin)) {
      const message = `web pages of ${origin} may not use this gateway; add the origin to "origins"`
      throw new ToolwireError('permission', message)
    }
    return origin
  }
}

const hostForm = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

function hostName(host: string): string {
  const name = hostForm.exec(host)?.[1]
  if (name === undefined) throw refused(400, 'invalid_request', 'the host of the request cannot be read')
  return name.toLowerCase()
}

/** A host as clients write it; the port is left out, as it is of theirs. */
function allowedHost(host: string): string {
  const address = `http://${host.split(':').length > 2 && !host.startsWith('[') ? `[${host}]` : host}`
  const name = /[\s/@?#\\]/.test(host) || !URL.canParse(address) ? '' : new URL(address).hostname
  if (hostForm.test(name)) return name
  const message = `"hosts" has "${host}", which no request is addressed to; write a name or an address, such as api.example.com, or * for all`
  throw new ToolwireError('misuse', message)
}

/** An origin as browsers write it. */
function allowedOrigin(origin: string): string {
  if (origin === 'null') return origin // pages from a file, and frames in a sandbox
  const { protocol, host, pathname, href } = URL.canParse(origin) ? new URL(origin) : noAddress
  const isPlain = host !== '' && !host.includes('*') && /^\/?$/.test(pathname) && !/[@?#]/.test(href)
  if (isPlain) return `${protocol}//${host}`
  const message = `"origins" has "${origin}", which is the origin of no page; write it such as https://app.example, each one by itself`
  throw new ToolwireError('misuse', message)
}

const noAddress = { protocol: '', host: '', pathname: '', href: '' }

export interface BodyCaps {
  readonly bytes: number
  readonly timeoutMs: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The request with its whole body. A body that is too long, too slow, compressed or no UTF-8 is refused while it arrives. */
export async function receive(arrival: Arrival, caps: BodyCaps): Promise<HttpRequest> {
  const { method, path, query, headers } = arrival
  const coding = headers['content-encoding'] ?? ''
  if (coding !== '' && coding.toLowerCase() !== 'identity') throw coded(coding)
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

function coded(coding: string): ToolwireError {
  const message = `this gateway takes no compressed bodies, and this one is (content-encoding: ${coding.slice(0, 40)}); send it as it is`
  return refused(415, 'invalid_request', message)
}
