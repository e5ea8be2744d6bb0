// The HTTP answer of a visit: headers that belong to every one, bytes at the client's pace, and the record when they are gone.
import type { Written } from './call.js'
import { failureOf } from './failure.js'
import type { Visit } from './visit.js'

export interface Ending {
  /** The client left. */
  leave(): void
  /** The last byte is gone, or the client; called once. */
  over(): void
}

export function answerOf(visit: Visit, { status, headers: own, body }: Written, ending: Ending): Response {
  const headers = new Headers(own)
  headers.set('x-toolwire-request-id', visit.requestId)
  const losses = lossHeader(visit.progress.losses)
  if (losses !== undefined) headers.set('x-toolwire-losses', losses)
  allowOrigin(headers, visit.request.headers)
  if (typeof body !== 'string') return new Response(streamOf(body, visit, ending), { status, headers })
  ending.over()
  return new Response(visit.request.method === 'HEAD' || body === '' ? null : body, { status, headers })
}

/** Pulled by the client: the upstream is read no faster than that. */
function streamOf(
  body: AsyncIterable<string | Uint8Array>,
  { progress }: Visit,
  { leave, over }: Ending,
): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await iterator.next()
          if (next.done === true) {
            over()
            controller.close()
          } else controller.enqueue(typeof next.value === 'string' ? encoder.encode(next.value) : next.value)
        } catch (error) {
          progress.error ??= failureOf(error).code
          over()
          controller.error(error) // the connection breaks: a cut answer must not look whole
        }
      },
      async cancel() {
        progress.error ??= 'aborted'
        leave()
        over()
        await iterator.return?.(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Codes and places, short enough for a header and of plain characters. */
function lossHeader(losses: readonly string[]): string | undefined {
  if (losses.length === 0) return undefined
  const shown = losses
    .slice(0, 20)
    .map((loss) => loss.slice(0, 100).replace(/[^\x20-\x7e]|[,%]/g, (char) => encodeURIComponent(char.toWellFormed())))
  return losses.length > shown.length
    ? `${shown.join(', ')}, and ${losses.length - shown.length} more`
    : shown.join(', ')
}

/** A page that may ask is told so; the check was made before. */
function allowOrigin(headers: Headers, asked: Headers): void {
  const origin = asked.get('origin')
  if (origin === null) return
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', 'x-toolwire-request-id, x-toolwire-losses, retry-after')
  headers.append('vary', 'origin')
}

export function preflight(asked: Headers): Written {
  const headers = asked.get('access-control-request-headers') ?? 'authorization, content-type'
  return {
    status: 204,
    headers: { 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': headers },
    body: '',
  }
}

export function jsonAnswer(body: object): Written {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

export function textAnswer(body: string): Written {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
