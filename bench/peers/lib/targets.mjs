// What toolwire is to cost, beside what it did cost and the cheapest of its peers. Ratios are to `raw-fetch` in the same round,
// those of G to zod.

const ratio = (value) => value?.ratioCpu?.median
const targets = [
  { name: 'A, one call', scenario: 'A', most: 0.65, of: (value) => ratio(value.chat) },
  { name: 'A, zod tools', scenario: 'AZ', most: 0.7, of: (value) => ratio(value['chat-zod']) },
  { name: 'B, text deltas', scenario: 'B', most: 1.2, of: (value) => ratio(value['2000']) },
  { name: 'B, coalesced', scenario: 'BC', most: 1.2, of: (value) => ratio(value['2000-coalesced']) },
  { name: 'C, 200 kB of arguments', scenario: 'C', most: 1.2, of: (value) => ratio(value['200k']) },
  { name: 'C, growth 100k→400k (exponent)', scenario: 'C', most: 1.05, of: exponentOf, isOwn: true },
  { name: 'C with a view, 200 kB', scenario: 'CP', most: 3, of: (value) => ratio(value['200k']) },
  { name: 'C with a view, growth (exponent)', scenario: 'CP', most: 1.05, of: exponentOf, isOwn: true },
  { name: 'D, 10 rounds', scenario: 'D', of: (value) => ratio(value['10']) },
  { name: 'D, 50 rounds', scenario: 'D', most: 0.75, of: (value) => ratio(value['50']) },
  { name: 'D, 200 rounds', scenario: 'D', most: 0.55, of: (value) => ratio(value['200']) },
  { name: 'E, 1,000 streams', scenario: 'E', most: 0.75, of: crowdRatio },
  { name: 'E, peak MB', scenario: 'E', most: 150, of: (value) => value.peakMB?.median },
  { name: 'E paced', scenario: 'EP', most: 0.75, of: crowdRatio },
]

function exponentOf(value) {
  const small = value['100k']?.cpuUs?.median
  const large = value['400k']?.cpuUs?.median
  return small && large ? Math.log(large / small) / Math.log(4) : undefined
}

function crowdRatio(value, floor) {
  return value.cpuUs && floor?.cpuUs ? value.cpuUs.median / floor.cpuUs.median : undefined
}

const schemaTargets = [
  { name: 'G, converting a zod tool', contender: 'toolwire (zod)', most: 1.05, part: 'convertRatio' },
  { name: 'G, converting it again', contender: 'toolwire (zod), the same again', most: 0.05, part: 'convertRatio' },
  { name: 'G, checking, zod tool', contender: 'toolwire (zod)', most: 1.1, part: 'validateRatio' },
  { name: 'G, checking, JSON Schema tool', contender: 'toolwire (JSON Schema)', most: 0.75, part: 'validateRatio' },
]

/** Beside the cheapest of those who are not zod, not a compiler of schemas alone, and not toolwire. */
function schemaRows(found = {}) {
  return schemaTargets.flatMap(({ name, contender, most, part }) => {
    const value = found[contender]?.[part]?.median
    if (value === undefined) return []
    const best = Object.entries(found)
      .filter(([peer, measured]) => !peer.startsWith('toolwire') && !peer.includes('(floor') && measured[part])
      .map(([peer, measured]) => ({ contender: peer, value: measured[part].median }))
      .sort((a, b) => a.value - b.value)[0]
    return [{ name, wire: '-', most, value, best }]
  })
}

/** One row per target and wire that was measured. */
export function targetRows(results) {
  return [...callRows(results), ...schemaRows(results.G)]
}

function callRows(results) {
  return targets.flatMap(({ name, scenario, most, of, isOwn }) => {
    const found = results[scenario] ?? {}
    const measured = Object.entries(found).map(([key, value]) => {
      const [contender, wire] = key.split('/')
      return { contender, wire, value: of(value, found[`raw-fetch/${wire}`]) }
    })
    const own = measured.filter(({ contender, value }) => contender === 'toolwire' && value !== undefined)
    return own.map(({ wire, value }) => {
      const isPeer = (one) => one.wire === wire && one.contender !== 'toolwire' && !one.contender.startsWith('raw-')
      const best = measured
        .filter((one) => isPeer(one) && Number.isFinite(one.value))
        .sort((a, b) => a.value - b.value)[0]
      return { name, wire, most, value, best: isOwn ? undefined : best }
    })
  })
}
