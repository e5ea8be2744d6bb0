// Growth as a ratio, in processor time of this process: neither the speed of the machine nor its load decides.

/** Twice the work may cost this much more. Linear is 2; a quadratic step that shows at all is well beyond it. */
export const linear = 2.3

/** Beyond this no disturbance explains it. */
const hopeless = 3
const rounds = 5
/** A ratio that is right needs no more rounds; one that is a little wrong is looked at again before it is believed. */
const attempts = 5

/**
 * The cost of `2 * size` over that of `size`. Each is the least of several rounds, taken in turns: whatever disturbs a round can
 * only add to it. The small work is done twice in a round, so that both sides leave as much to collect.
 */
export async function growthOf(size: number, workOf: (size: number) => () => unknown): Promise<number> {
  const small = workOf(size)
  const large = workOf(2 * size)
  let leastOfTwo = Number.POSITIVE_INFINITY
  let leastOfOne = Number.POSITIVE_INFINITY
  let ratio = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    for (let round = 0; round < rounds; round += 1) {
      leastOfTwo = Math.min(leastOfTwo, await processorTime([small, small]))
      leastOfOne = Math.min(leastOfOne, await processorTime([large]))
    }
    ratio = (2 * leastOfOne) / leastOfTwo
    if (ratio <= linear || ratio > hopeless) break
  }
  return ratio
}

async function processorTime(works: readonly (() => unknown)[]): Promise<number> {
  const before = process.cpuUsage()
  for (const work of works) await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
