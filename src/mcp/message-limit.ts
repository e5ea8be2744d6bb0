// How much one message of a server may be: it is held in memory whole. The same over both transports.
import { ToolwireError } from '../errors/error.js'

export const defaultMaxMessageBytes = 16_777_216

/** The error for a message that is longer. */
export function createTooLongError(maxBytes: number): ToolwireError {
  return new ToolwireError(
    'limit_exceeded',
    `sent a message of more than ${maxBytes} bytes; if that is right, raise maxMessageBytes in its spec`,
    { detail: { limit: 'maxMessageBytes', bytes: maxBytes } },
  )
}

/**
 * Returns the response with a body that fails when one of its messages exceeds the limit. `onExceeded` is called for streams only.
 */
export function limitResponse(
  response: Response,
  maxBytes: number,
  onExceeded: (error: ToolwireError) => void,
): Response {
  if (response.body === null) return response
  const isStream = (response.headers.get('content-type') ?? '').includes('text/event-stream')
  const count = isStream ? countEvent() : countAll()
  const limited = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (count(chunk) <= maxBytes) {
        controller.enqueue(chunk)
        return
      }
      const error = createTooLongError(maxBytes)
      if (isStream) onExceeded(error)
      controller.error(error)
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(limited), { status, statusText, headers })
}

type Count = (chunk: Uint8Array) => number

function countAll(): Count {
  let total = 0
  return (chunk) => {
    total += chunk.length
    return total
  }
}

const lineFeed = 10
const carriageReturn = 13

/** The bytes since the last empty line, which ends an event; the most there were at once in the chunk. */
function countEvent(): Count {
  let eventBytes = 0
  let lineBytes = 0
  let isAfterReturn = false
  return (chunk) => {
    let most = 0
    for (const byte of chunk) {
      const isPair = isAfterReturn && byte === lineFeed // one line end, also where it was cut in two
      isAfterReturn = byte === carriageReturn
      if (isPair) continue
      if (byte === lineFeed || byte === carriageReturn) {
        if (lineBytes === 0) eventBytes = 0
        lineBytes = 0
        continue
      }
      lineBytes += 1
      eventBytes += 1
      if (eventBytes > most) most = eventBytes
    }
    return most
  }
}
