// Growth as a ratio, in processor time of this process: neither the speed of the machine nor its load decides.

/** Twice the work may cost this much more. Linear is 2; a quadratic step that shows at all is well beyond it. */
export const linear = 2.3

/** The same for shapes that are measured at three sizes. */
export const linearPerDoubling = 2.2

/** A ratio up to this needs no more rounds. One above it is mostly a round that was disturbed, so it is measured again. */
const settled = 2.1
const leastRounds = 2
const mostRounds = 16

/** A small round that was lucky makes all that follow look bad: then it is measured anew. What grows faster shows every time. */
const mostAttempts = 3

/** Works that take less are repeated, since so short times are mostly noise. */
const leastMicroseconds = 3_000

/** What `size`, twice and four times as much cost, in milliseconds, and the larger of both ratios. */
export interface Growth {
  readonly ratio: number
  readonly milliseconds: readonly number[]
}

/**
 * The growth over two doublings. Each time is the least of several rounds, taken in turns: whatever disturbs a round can only add
 * to it. The smaller works are repeated, so that all sides leave as much to collect. `limit` is what is worth another attempt.
 */
export async function growthOver(
  size: number,
  workOf: (size: number) => () => unknown,
  limit = linearPerDoubling,
): Promise<Growth> {
  const works = [workOf(size), workOf(2 * size), workOf(4 * size)] as const
  for (const work of works) await work() // code is compiled here: it would be counted for the small work only
  const once = Math.min(await processorTime(works[0], 1), await processorTime(works[0], 1))
  const repeats = Math.max(1, Math.ceil(leastMicroseconds / Math.max(once, 1)))
  let growth = await measure(works, repeats)
  for (let attempt = 1; attempt < mostAttempts && growth.ratio > limit; attempt += 1) {
    growth = better(growth, await measure(works, repeats))
  }
  return growth
}

/** The cost of `2 * size` over that of `size`. */
export async function growthOf(size: number, workOf: (size: number) => () => unknown): Promise<number> {
  return (await growthOver(size, workOf, linear)).ratio
}

async function measure(works: readonly (() => unknown)[], repeats: number): Promise<Growth> {
  const least = works.map(() => Number.POSITIVE_INFINITY)
  let ratio = Number.POSITIVE_INFINITY
  for (let round = 0; round < leastRounds || (round < mostRounds && ratio > settled); round += 1) {
    for (const [index, work] of works.entries()) {
      const times = repeats * 2 ** (works.length - 1 - index)
      least[index] = Math.min(least[index] ?? 0, (await processorTime(work, times)) / times)
    }
    ratio = Math.max(...least.slice(1).map((time, index) => time / (least[index] ?? time)))
  }
  return { ratio, milliseconds: least.map((time) => time / 1000) }
}

function better(a: Growth, b: Growth): Growth {
  return a.ratio < b.ratio ? a : b
}

/** In microseconds. */
async function processorTime(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time += 1) await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
