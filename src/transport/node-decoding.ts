// Bodies that come compressed, though nobody asked for it.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** What undoes the coding of a body; nothing where there is none, or one that is not known. */
export function decoderFor(encoding: string | undefined): Transform | undefined {
  const make = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  return Object.hasOwn(make, name) ? make[name as keyof typeof make]() : undefined
}
