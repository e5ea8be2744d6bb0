// The HTTP answer of a visit: headers that belong to every one, bytes at the client's pace, and the record when they are gone.
import { type ErrorCode, ToolwireError } from '../errors/error.js'
import { type Answer, type Arrival, isWhole, type Piece, type Pieces } from './arrival.js'
import type { Written } from './call.js'
import { failureOf } from './failure.js'
import type { Visit } from './visit.js'

/** `over` is called once the last byte is gone, or the client. */
export function answerOf(visit: Visit, { status, headers: own, body }: Written, over: () => void): Answer {
  const headers: Record<string, string> = {}
  for (const name in own) headers[name] = own[name] ?? ''
  headers['x-toolwire-request-id'] = visit.requestId
  const losses = lossHeader(visit.progress.losses)
  if (losses !== undefined) headers['x-toolwire-losses'] = losses
  allowOrigin(headers, visit.origin)
  if (!isWhole(body)) return { status, headers, body: told(body[Symbol.asyncIterator](), visit, over) }
  over()
  return { status, headers, body }
}

/** The pieces; their end, failure or loss of interest is told. No generator: one that was not begun cannot be left. */
function told(pieces: AsyncIterator<Piece>, visit: Visit, over: () => void): Pieces {
  const failed = (error: unknown): never => {
    noteBreak(visit, failureOf(error).code)
    over()
    throw error
  }
  const taken = (next: IteratorResult<Piece>): IteratorResult<Piece, undefined> => {
    if (next.done !== true) return next
    over()
    return ended
  }
  return {
    next: () => pieces.next().then(taken, failed),
    async return() {
      noteBreak(visit, 'aborted')
      over()
      await pieces.return?.()
      return ended
    },
  }
}

/** Where a gateway that was stopped broke it off, nobody else is blamed. */
function noteBreak({ progress, arrival: { signal } }: Visit, code: ErrorCode): void {
  if (progress.error !== undefined) return
  const stop = signal.aborted && ToolwireError.is(signal.reason) ? signal.reason : undefined
  progress.error = stop?.code ?? code
  progress.message = stop?.message
}

const ended = { done: true, value: undefined } as const

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

/** A page that may ask is told so; another cannot even read its refusal. */
function allowOrigin(headers: Record<string, string>, origin: string | undefined): void {
  if (origin === undefined) return
  headers['access-control-allow-origin'] = origin
  headers['access-control-expose-headers'] = 'x-toolwire-request-id, x-toolwire-losses, retry-after'
  headers.vary = 'origin'
}

export function preflight(asked: Arrival['headers']): Written {
  const headers = asked['access-control-request-headers'] ?? 'authorization, content-type'
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
