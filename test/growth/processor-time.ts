// Growth as a ratio, in processor time of this process: neither the speed of the machine nor its load decides.

/** Twice the work may cost this much more. Linear is 2; a quadratic step that shows at all is well beyond it. */
export const linear = 2.3

/** The same over two doublings, of which half of the disturbance is left. */
export const linearPerDoubling = 2.2

/** A ratio up to this needs no more rounds. One above it is mostly a round that was disturbed, so it is measured again. */
const settled = 2.1
const leastRounds = 2
const mostRounds = 12

/** A small round that was lucky makes all that follow look bad: then it is measured anew. What grows faster shows every time. */
const mostAttempts = 5

/** No disturbance makes linear work look like this twice. */
const hopeless = 2.8

/** Something that takes longer than this for its rounds is not a matter of noise. */
const mostMicroseconds = 1_500_000

/** Works that take less are repeated, since so short times are mostly noise. */
const leastMicroseconds = 2_000

/** What takes less is copied faster while it fits into a cache of the processor: then more of it is measured. */
const leastMilliseconds = 2

/** What each size costs in milliseconds, and how much more per doubling. */
export interface Growth {
  readonly ratio: number
  readonly milliseconds: readonly number[]
}

type Works = readonly (readonly [factor: number, work: () => unknown])[]

/**
 * The growth over sizes that are `factors` of the given one, per doubling from the first to the last. Each time is the least of
 * several rounds, taken in turns: whatever disturbs a round can only add to it. The smaller works are repeated, so that all leave as
 * much to collect. Above `limit` it is measured again, with more of it up to `most` where that takes hardly any time.
 */
export async function growthOver(
  size: number,
  workOf: (size: number) => () => unknown,
  {
    factors = [1, 4],
    limit = linearPerDoubling,
    most = Number.POSITIVE_INFINITY,
  }: { factors?: readonly number[]; limit?: number; most?: number | undefined } = {},
): Promise<Growth> {
  const works = factors.map((factor) => [factor, workOf(factor * size)] as const)
  for (const [, work] of works.toReversed()) await work() // code is compiled here: it would be counted for the small work only
  const once = await processorTime(works[0]?.[1] ?? (() => {}), 1)
  const repeats = Math.max(1, Math.ceil(leastMicroseconds / Math.max(once, 1)))
  let growth = await measure(works, repeats)
  for (
    let attempt = 1;
    attempt < mostAttempts && growth.ratio > limit && (attempt < 2 || growth.ratio < hopeless);
    attempt += 1
  ) {
    growth = better(growth, await measure(works, repeats))
  }
  const isTooFast = (growth.milliseconds.at(-1) ?? 0) < leastMilliseconds
  const isMorePossible = 4 * size * (factors.at(-1) ?? 1) <= most
  if (growth.ratio <= limit || !isTooFast || !isMorePossible) return growth
  return growthOver(4 * size, workOf, { factors, limit, most })
}

/** The cost of `2 * size` over that of `size`. */
export async function growthOf(size: number, workOf: (size: number) => () => unknown): Promise<number> {
  return (await growthOver(size, workOf, { factors: [1, 2], limit: linear })).ratio
}

async function measure(works: Works, repeats: number): Promise<Growth> {
  const largest = works.at(-1)?.[0] ?? 1
  const doublings = Math.log2(largest / (works[0]?.[0] ?? 1))
  const least = works.map(() => Number.POSITIVE_INFINITY)
  let ratio = Number.POSITIVE_INFINITY
  let spent = 0
  for (let round = 0; round < leastRounds || (round < mostRounds && ratio > settled); round += 1) {
    if (round >= leastRounds && spent > mostMicroseconds) break
    for (const [index, [factor, work]] of works.entries()) {
      const times = (repeats * largest) / factor
      const time = await processorTime(work, times)
      spent += time
      least[index] = Math.min(least[index] ?? time, time / times)
    }
    ratio = ((least.at(-1) ?? 1) / (least[0] ?? 1)) ** (1 / doublings)
  }
  return { ratio, milliseconds: least.map((time) => time / 1000) }
}

function better(a: Growth, b: Growth): Growth {
  return a.ratio < b.ratio ? a : b
}

/** In microseconds. */
export async function processorTime(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time += 1) await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
