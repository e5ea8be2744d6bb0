// What is sent, whole or in pieces. A body in pieces is never joined on the way to a socket: most of it was sent before.

/** Text and bytes in a row. The bytes may be remembered for the next request: they are read, never written to. */
export type Body = Uint8Array | string | readonly (Uint8Array | string)[]

const encoder = new TextEncoder()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The pieces of a body, in order. */
export function bodyPieces(body: Body): readonly (Uint8Array | string)[] {
  return typeof body === 'string' || body instanceof Uint8Array ? [body] : body
}

/** A body as one array of bytes. */
export function bodyBytes(body: Body): Uint8Array {
  const pieces = bodyPieces(body).map((piece) => (typeof piece === 'string' ? utf8(piece) : piece))
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  let length = 0
  for (const piece of pieces) length += piece.length
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    bytes.set(piece, offset)
    offset += piece.length
  }
  return bytes
}

/** A body as text. A character may not be cut in two by the end of a piece that is text. */
export function bodyText(body: Body): string {
  if (typeof body === 'string') return body
  const pieces = bodyPieces(body)
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return new TextDecoder().decode(bodyBytes(body))
}
