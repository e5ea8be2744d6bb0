// H: a gateway, OpenAI Chat in and Anthropic out, beside hand-written proxies and Portkey; and toolwire with one wire in and out.
// A closed loop of clients in this process; the processor time of each gateway is read from /proc. Rounds are interleaved, and short:
// the machine is another from second to second, and a ratio is only as good as what both sides had in common.
// A further contender: EXTRA_GATEWAY names a module that exports entries of the shape in gateways/index.mjs.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import gateways from './gateways/index.mjs'
import { start, stop } from './gateways/process.mjs'
import { load } from './lib/closed-loop.mjs'
import { startServer, stats } from './lib/pool.mjs'

const cases = [
  { label: 'non-stream c=1', slug: 'chat4', stream: false, clients: 1 },
  { label: 'non-stream c=16', slug: 'chat4', stream: false, clients: 16 },
  { label: 'stream200 c=1', slug: 'text-200', stream: true, clients: 1 },
  { label: 'stream200 c=16', slug: 'text-200', stream: true, clients: 16 },
]
const direct = 'direct (no gateway)'

export default async function gateway({ quick, isWanted = () => true }) {
  const server = await startServer()
  const upstream = server.base.slice(0, -1)
  const running = []
  for (const entry of [...gateways, ...(await further())].filter((entry) => entry.floor || isWanted(entry)))
    running.push(await start(entry, upstream))
  const plan = quick
    ? { warm: { ms: 6_000, calls: 1_500 }, rounds: 12, ms: 300 }
    : { warm: { ms: 15_000, calls: 5_000 }, rounds: 32, ms: 300 }
  const found = {}
  for (const item of cases) {
    console.error(`H ${item.label}`)
    found[item.label] = summary(await measure(running, item, upstream, plan))
  }
  found.peakRssMB = Object.fromEntries(
    running.filter(({ child }) => child).map((one) => [one.entry.name, one.peakMB()]),
  )
  for (const one of running) stop(one)
  server.stop()
  return found
}

async function further() {
  const file = process.env.EXTRA_GATEWAY
  return file === undefined ? [] : [(await import(pathToFileURL(resolve(file)).href)).default].flat()
}

/** The rounds of every gateway, in rotating order; one that fails is left out from there on. */
async function measure(running, item, upstream, { warm, rounds, ms }) {
  const measured = new Map(running.map((one) => [one, { rounds: [] }]))
  const once = async (one, until) => {
    try {
      return await load(one, item, upstream, until)
    } catch (error) {
      measured.get(one).error = error.message
      return undefined
    }
  }
  for (const one of running) await once(one, warm)
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < running.length; index += 1) {
      const one = running[(index + round) % running.length]
      if (measured.get(one).error === undefined) measured.get(one).rounds[round] = await once(one, { ms })
    }
  }
  return measured
}

/** Medians with their spread; ratios are to the floor, or to no gateway at all, in the same round. */
function summary(measured) {
  const roundsOf = (name) => [...measured].find(([{ entry }]) => entry.name === name)?.[1].rounds ?? []
  const entries = [...measured].map(([{ entry }, { rounds, error }]) => {
    if (error !== undefined) return [entry.name, { error }]
    const floor = roundsOf(entry.against)
    const straight = roundsOf(direct)
    const of = (value) => stats(rounds.map(value))
    const isProcess = rounds.every(({ cpuUs }) => cpuUs !== undefined)
    return [
      entry.name,
      {
        rps: of(({ rps }) => rps),
        p50: of(({ p50 }) => p50),
        p99: of(({ p99 }) => p99),
        addedFirstMs: of(({ first }, index) => first - straight[index].first),
        cpuUs: isProcess ? of(({ cpuUs }) => cpuUs) : null,
        ratioCpu: isProcess && floor.length > 0 ? of(({ cpuUs }, index) => cpuUs / floor[index].cpuUs) : null,
      },
    ]
  })
  return Object.fromEntries(entries)
}
