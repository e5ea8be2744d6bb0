// The transport where there is no Node: the platform's fetch, read by pulling.
import { ToolwireError } from '../errors/error.js'
import { type Body, bodyBytes, bodyPieces } from '../frames/body.js'
import { networkError } from './network-error.js'
import type { Transport, TransportRequest, TransportResponse } from './transport.js'

/** A transport over a fetch function; a redirect is an answer like any other, so that no key follows it to another host. */
export function fetchTransport(fetchFunction: typeof fetch): Transport {
  return async ({ method, url, headers, body, signal }: TransportRequest): Promise<TransportResponse> => {
    // Cancelling the body alone leaves the socket open on some platforms; aborting the request closes it everywhere.
    const leaving = new AbortController()
    try {
      const init = { method, headers, redirect: 'manual', signal: AbortSignal.any([signal, leaving.signal]) } as const
      const response = await fetchFunction(url, body === undefined ? init : { ...init, body: whole(body) })
      const encoding = response.headers.get('content-encoding')
      if (encoding !== null && !isDecoded(encoding)) {
        leaving.abort()
        throw unknownCoding(encoding)
      }
      return {
        status: response.type === 'opaqueredirect' ? 302 : response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body === null ? empty() : pulled(response.body.getReader(), { leaving, signal, url }),
      }
    } catch (error) {
      throw networkError(error, signal, url)
    }
  }
}

const known: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd'])
/** Platforms give up on longer lists. */
const maxCodings = 3

/** Whether the platform decodes the body: it hands on what it does not know as it came. */
function isDecoded(encoding: string): boolean {
  const names = encoding.toLowerCase().split(',')
  if (names.length === 1 && /^\s*(?:identity)?\s*$/.test(names[0] ?? '')) return true
  return names.length <= maxCodings && names.every((name) => known.has(name.trim()))
}

function unknownCoding(encoding: string): ToolwireError {
  const message = `the answer has the content-encoding "${encoding.slice(0, 80)}", which cannot be decoded`
  return new ToolwireError('malformed_response', message)
}

/** One text stays text; pieces are joined, which fetch cannot do itself. */
function whole(body: Body): BodyInit {
  const [only, ...more] = bodyPieces(body)
  return (typeof only === 'string' && more.length === 0 ? only : bodyBytes(body)) as BodyInit
}

// Looked up at each call, so that a fetch installed later (by a test, by a framework) counts.
export const transport: Transport = (request) => fetchTransport((...args) => fetch(...args))(request)

async function* empty(): AsyncGenerator<Uint8Array> {}

async function* pulled(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  call: { readonly leaving: AbortController; readonly signal: AbortSignal; readonly url: string },
): AsyncGenerator<Uint8Array> {
  let finished = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      finished = done
      if (done) return
      yield value
    }
  } catch (error) {
    throw networkError(error, call.signal, call.url)
  } finally {
    if (!finished) call.leaving.abort()
  }
}
