// Growth as a ratio, in processor time of this process: neither the speed of the machine nor its load decides.

/** Twice the work may cost this much more. Linear is 2; a quadratic step that shows at all is well beyond it. */
export const linear = 2.3

/** A ratio up to this needs no more rounds. One above it is mostly a round that was disturbed, so it is looked at again. */
const settled = 2.15
const leastRounds = 3
const mostRounds = 20

/** A small round that was lucky makes all that follow look bad: then it is measured anew. What grows faster shows every time. */
const mostAttempts = 3

/**
 * The cost of `2 * size` over that of `size`. Each is the least of several rounds, taken in turns: whatever disturbs a round can
 * only add to it. The small work is done twice in a round, so that both sides leave as much to collect.
 */
export async function growthOf(size: number, workOf: (size: number) => () => unknown): Promise<number> {
  const small = workOf(size)
  const large = workOf(2 * size)
  await processorTime([small, small, large]) // code is compiled here: it would be counted for the small work only
  let growth = await ratioOf(small, large)
  for (let attempt = 1; attempt < mostAttempts && growth >= linear; attempt += 1) growth = await ratioOf(small, large)
  return growth
}

async function ratioOf(small: () => unknown, large: () => unknown): Promise<number> {
  let leastOfTwo = Number.POSITIVE_INFINITY
  let leastOfOne = Number.POSITIVE_INFINITY
  let ratio = Number.POSITIVE_INFINITY
  for (let round = 0; round < leastRounds || (round < mostRounds && ratio > settled); round += 1) {
    leastOfTwo = Math.min(leastOfTwo, await processorTime([small, small]))
    leastOfOne = Math.min(leastOfOne, await processorTime([large]))
    ratio = (2 * leastOfOne) / leastOfTwo
  }
  return ratio
}

async function processorTime(works: readonly (() => unknown)[]): Promise<number> {
  const before = process.cpuUsage()
  for (const work of works) await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
