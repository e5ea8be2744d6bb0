// A request as it arrives: its address checked, its body read within its caps.
import { ToolwireError } from '../errors/error.js'
import type { HttpRequest } from '../wire/codec.js'
import { refused } from './failure.js'

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Refuses requests that a web page made under a name of its own, or from an origin that was not allowed. */
export function checkSender(headers: Headers, url: URL, hosts: readonly string[], origins: readonly string[]): void {
  const host = headers.get('host') ?? url.host
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const allowed = [...loopback, ...hosts]
  if (!hosts.includes('*') && !allowed.includes(name)) {
    throw new ToolwireError('permission', `this gateway does not answer to the host "${name}"; add it to "hosts"`)
  }
  const origin = headers.get('origin')
  if (origin !== null && !origins.includes(origin)) {
    throw new ToolwireError(
      'permission',
      `web pages of ${origin} may not use this gateway; add the origin to "origins"`,
    )
  }
}

export interface BodyCaps {
  readonly bytes: number
  readonly timeoutMs: number
}

/** The request with its whole body. A body that is too long, too slow or no UTF-8 is refused while it arrives. */
export async function receive(request: Request, url: URL, caps: BodyCaps): Promise<HttpRequest> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > caps.bytes) throw tooLarge(caps.bytes)
  const bytes = await bodyOf(request, caps)
  try {
    const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const headers = Object.fromEntries(request.headers)
    return { method: request.method, path: url.pathname + url.search, headers, body }
  } catch (cause) {
    throw new ToolwireError('invalid_request', 'the request body is not UTF-8', { cause })
  }
}

async function bodyOf(request: Request, caps: BodyCaps): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `the request body did not arrive within ${caps.timeoutMs} ms`
    timer = setTimeout(() => reject(refused(408, 'timeout', message)), caps.timeoutMs)
  })
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return joined(chunks, length)
      length += value.length
      if (length > caps.bytes) throw tooLarge(caps.bytes)
      chunks.push(value)
    }
  } catch (error) {
    reader.cancel(error).catch(() => {}) // the sender is told by the answer
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function tooLarge(limit: number): ToolwireError {
  return refused(413, 'invalid_request', `the request body is larger than ${limit} bytes`)
}
