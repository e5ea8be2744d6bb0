// Bytes in, frames out. A framer belongs to one answer, and however the bytes are cut the frames are the same.

export interface Framer<T> {
  /** The frames that these bytes complete. Over a cap: limit_exceeded. */
  push(bytes: Uint8Array): readonly T[]
  /** What the end completes: a last line without newline, an event without blank line, an unfinished rest. */
  end(): readonly T[]
}
