// CPU of two functions side by side: interleaved rounds, no forced collection. Ratios are medians with their spread; `us` and
// `floorUs` are those of the fastest round, which other work on the machine disturbed the least.

export function cpuRatio(subject, floor, { rounds, batch, warmup = 5 }) {
  for (let warm = 0; warm < warmup; warm += 1) {
    cpu(subject, batch)
    cpu(floor, batch)
  }
  const ours = []
  const theirs = []
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0
    const a = first ? cpu(subject, batch) : undefined
    const b = cpu(floor, batch)
    const mine = a ?? cpu(subject, batch)
    ours.push(mine)
    theirs.push(b)
    ratios.push(mine / b)
  }
  return {
    us: Math.min(...ours),
    floorUs: Math.min(...theirs),
    ratio: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
  }
}

/** Microseconds of CPU per call. */
export function cpu(fn, batch) {
  const start = process.cpuUsage()
  for (let index = 0; index < batch; index += 1) fn()
  const used = process.cpuUsage(start)
  return (used.user + used.system) / batch
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
