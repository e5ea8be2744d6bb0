// Bodies that come compressed, though nobody asked for it. The trap: a body may be compressed more than once, and each time a little
// input makes much output, so the output of each step is limited.
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ToolwireError } from '../errors/error.js'

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }
const maxCodings = 3

/**
 * Undoes the codings of a body, the last one first. Undefined when there are none. Throws `malformed_response` for one that is
 * unknown, and for too many.
 */
export function decodersFor(encoding: string | undefined, maxBytes: number): readonly Transform[] | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const codings = names.filter((name) => name !== '' && name !== 'identity')
  if (codings.length === 0) return undefined
  const isKnown = codings.length <= maxCodings && codings.every((name) => Object.hasOwn(decoders, name))
  if (!isKnown) throw unknownCoding(encoding ?? '')
  return codings
    .toReversed()
    .flatMap((name, index) => [
      decoders[name as keyof typeof decoders](),
      ...(index < codings.length - 1 ? [limitOutput(maxBytes)] : []),
    ])
}

/** Connects the steps behind the source; an error of one ends those behind it. */
export function decodeThrough(source: Readable, steps: readonly Transform[]): Readable {
  return steps.reduce<Readable>((before, step) => {
    before.on('error', (error) => step.destroy(error))
    return before.pipe(step)
  }, source)
}

function unknownCoding(encoding: string): ToolwireError {
  const message = `the answer has the content-encoding "${encoding.slice(0, 80)}", which cannot be decoded; expected at most ${maxCodings} of ${Object.keys(decoders).join(', ')}`
  return new ToolwireError('malformed_response', message)
}

/** Fails once more than that came out of the step before; the output of the last step is counted by its reader. */
function limitOutput(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(piece: Uint8Array, _: BufferEncoding, done: TransformCallback) {
      bytes += piece.length
      if (bytes <= maxBytes) done(null, piece)
      else
        done(
          new ToolwireError(
            'limit_exceeded',
            `the answer is larger than ${maxBytes} bytes before it is decoded completely`,
          ),
        )
    },
  })
}
