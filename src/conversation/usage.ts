// Tokens in disjoint buckets: input (not cached) + cacheRead + cacheWrite + output (not reasoning) + reasoning = total.

/** Tokens in disjoint buckets, so that sums never count twice. A bucket that was not told is absent, not zero. */
export interface Usage {
  readonly input?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly output?: number
  readonly reasoning?: number
  readonly total?: number
}

/**
 * Usage from the figures providers report, where input and output often include their parts. Figures that contradict each
 * other (more cached than read) never give a negative bucket. `total` is always the sum of the buckets when any is known.
 */
export function usageFrom(reported: {
  readonly inputWithCache?: number | undefined
  readonly outputWithReasoning?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
  readonly total?: number | undefined
}): Usage {
  const { inputWithCache, outputWithReasoning, cacheRead, cacheWrite, reasoning } = reported
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  if (inputWithCache !== undefined) usage.input = Math.max(0, inputWithCache - (cacheRead ?? 0) - (cacheWrite ?? 0))
  if (cacheRead !== undefined) usage.cacheRead = cacheRead
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite
  if (outputWithReasoning !== undefined) usage.output = Math.max(0, outputWithReasoning - (reasoning ?? 0))
  if (reasoning !== undefined) usage.reasoning = reasoning
  const known = sumOf(usage)
  if (known !== undefined) usage.total = known
  else if (reported.total !== undefined) usage.total = reported.total
  return usage
}

/** Everything that was read by the model: fresh input, cached input and what was written to the cache. */
export function inputTokens(usage: Usage): number | undefined {
  return sum(usage.input, usage.cacheRead, usage.cacheWrite)
}

/** Everything the model wrote: the answer and its reasoning. */
export function outputTokens(usage: Usage): number | undefined {
  return sum(usage.output, usage.reasoning)
}

/** Adds the usage of two calls, bucket by bucket. */
export function addUsage(a: Usage, b: Usage): Usage {
  const total: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const key of ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning', 'total'] as const) {
    const value = sum(a[key], b[key])
    if (value !== undefined) total[key] = value
  }
  return total
}

/** A later report laid over an earlier one of the same call, bucket by bucket. */
export function mergeUsage(before: Usage | undefined, later: Usage): Usage {
  const merged: Usage = Object.assign({}, before, later)
  const total = sumOf(merged)
  return total === undefined ? merged : Object.assign(merged, { total })
}

function sumOf(usage: Usage): number | undefined {
  return sum(usage.input, usage.cacheRead, usage.cacheWrite, usage.output, usage.reasoning)
}

function sum(...values: readonly (number | undefined)[]): number | undefined {
  let total: number | undefined
  for (const value of values) if (value !== undefined) total = (total ?? 0) + value
  return total
}
