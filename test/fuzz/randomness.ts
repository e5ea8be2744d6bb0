// A small seeded generator (mulberry32): the same seed gives the same run everywhere.

export interface Randomness {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

export function randomness(seed: number): Randomness {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick(list) {
      const found = list[below(list.length)]
      if (found === undefined) throw new RangeError('nothing to pick from')
      return found
    },
  }
}
