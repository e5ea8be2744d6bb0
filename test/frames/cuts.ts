// Feeds bytes to a framer in pieces, so that tests can say where the cuts are.
import type { Framer } from '../../src/frames/framer.js'

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** All frames of the bytes cut at the given positions (in any order, repeats give empty pieces). */
export function framesOf<T>(framer: Framer<T>, bytes: Uint8Array, cuts: readonly number[] = []): T[] {
  const frames: T[] = []
  let from = 0
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    for (const frame of framer.push(bytes.subarray(from, cut))) frames.push(frame)
    from = cut
  }
  return [...frames, ...framer.end()]
}

/** Every pair of cuts of the bytes. */
export function* cutPairs(bytes: Uint8Array): Generator<readonly [number, number]> {
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) yield [first, second]
  }
}
