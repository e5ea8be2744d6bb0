// The body of an answer on Node, pulled piece by piece. Trap: Node's own async iterator of a stream costs more than reading it.
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ToolwireError } from '../errors/error.js'
import { networkError, placeOf } from './network-error.js'
import type { TransportRequest } from './transport.js'

/** The decoded pieces. What waits is given as one; nothing is read before it is asked for, or once the reader has left. */
export function bodyOf(
  incoming: IncomingMessage,
  { signal, url }: TransportRequest,
): AsyncIterableIterator<Uint8Array> {
  const source = decodedFrom(incoming)
  let waiting: Waiting | undefined
  let state: 'new' | 'open' | 'ended' | 'left' = 'new'
  let failure: { readonly error: unknown } | undefined
  /** Answers the reader who waits, if there is something to answer. */
  const rouse = (): void => {
    if (waiting === undefined) return
    const { resolve, reject } = waiting
    try {
      const next = take()
      if (next === undefined) return
      waiting = undefined
      resolve(next)
    } catch (error) {
      waiting = undefined
      reject(error)
    }
  }
  const end = (): void => {
    if (state !== 'left') state = 'ended'
    rouse()
  }
  const open = (): void => {
    state = source.readableEnded || source.destroyed ? 'ended' : 'open'
    source.on('readable', rouse)
    source.on('end', end)
    source.on('close', end)
  }
  // Listened to before there is a reader: the call may be aborted by then.
  source.on('error', (error) => {
    failure = { error }
    if (state === 'open') end()
  })
  const leave = (): void => {
    state = 'left'
    if (source !== incoming) source.destroy()
    incoming.destroy() // a no-op once the answer was read to its end; the socket is back in the pool then
  }
  const finish = (): IteratorResult<Uint8Array> => {
    const error = failure?.error ?? source.errored ?? (incoming.complete ? undefined : cutOff(url))
    leave()
    if (error !== undefined && error !== null) throw networkError(error, signal, url)
    return { done: true, value: undefined }
  }
  const take = (): IteratorResult<Uint8Array> | undefined => {
    if (state === 'left') return { done: true, value: undefined }
    const piece = source.destroyed ? null : (source.read() as Uint8Array | null)
    if (piece !== null) return { done: false, value: piece }
    return state === 'ended' ? finish() : undefined
  }
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (state === 'new') open()
        waiting = { resolve, reject }
        rouse()
      }),
    async return() {
      if (state !== 'left') leave()
      rouse()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

interface Waiting {
  resolve(next: IteratorResult<Uint8Array>): void
  reject(error: unknown): void
}

export function cutOff(url: string): ToolwireError {
  return new ToolwireError('network', `the connection to ${placeOf(url)} closed inside the answer`)
}

function decodedFrom(incoming: IncomingMessage): Readable {
  const decoder = decoderFor(incoming.headers['content-encoding'])
  if (decoder === undefined) return incoming
  incoming.on('error', (error) => decoder.destroy(error))
  return incoming.pipe(decoder)
}

/** What undoes the coding of a body; nothing where there is none, or one that is not known. */
export function decoderFor(encoding: string | undefined): Transform | undefined {
  const make = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  return Object.hasOwn(make, name) ? make[name as keyof typeof make]() : undefined
}
