// The gateway as a function from a web request to a web response.
import { type Arrival, type Handler, isWhole, type Pieces } from './arrival.js'
import { tooSlow } from './failure.js'

export function webGateway(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    if (request.signal.aborted) leave()
    request.signal.addEventListener('abort', leave, { once: true })
    const { status, headers, body } = await handle(arrivalOf(request, leaving.signal))
    if (!isWhole(body)) return new Response(streamOf(body, leave), { status, headers })
    const isEmpty = request.method === 'HEAD' || body.length === 0
    return new Response(isEmpty ? null : (body as BodyInit), { status, headers })
  }
}

function arrivalOf(request: Request, signal: AbortSignal): Arrival {
  const { pathname, search, host } = new URL(request.url)
  const headers = { host, ...Object.fromEntries(request.headers) }
  const { method, body } = request
  const read: Arrival['read'] = (take, timeoutMs) => readBody(body, take, timeoutMs)
  return { method, path: pathname, query: search, headers, read, signal }
}

async function readBody(body: Request['body'], take: (piece: Uint8Array) => void, timeoutMs: number): Promise<void> {
  const reader = body?.getReader()
  let isLate = false
  const leave = (): void => void reader?.cancel().catch(() => {}) // the sender is told by the answer
  const timer = setTimeout(() => {
    isLate = true
    leave()
  }, timeoutMs)
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) take(next.value)
  } catch (error) {
    leave()
    throw error
  } finally {
    clearTimeout(timer)
  }
  if (isLate) throw tooSlow(timeoutMs)
}

/** Pulled by the client: the upstream is read no faster than that. */
function streamOf(pieces: Pieces, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next() // a failure breaks the connection: a cut answer must not look whole
        if (done === true) controller.close()
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
      },
      async cancel() {
        leave()
        await pieces.return()
      },
    },
    { highWaterMark: 0 },
  )
}
