// `npm run gateway:load [-- --quick] [-- --only=isolation,memory,slow,limits]`: what the gateway promises under load, measured on `toolwire serve`.
// Gateway, provider and clients are processes of their own. Exits with 1 when a promise is broken, with 2 when it cannot be measured here.
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  openFileLimit,
  routesTo,
  settled,
  startClients,
  startGateway,
  startProvider,
  startRedis,
} from './gateway-load/processes.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'isolation,memory,slow,limits' },
  },
})
const size = values.quick
  ? { clients: 200, calls: 3, streams: 1_000, listeners: 200, rounds: 2 }
  : { clients: 1_000, calls: 5, streams: 5_000, listeners: 1_000, rounds: 14 }
const kibPerStream = 200
const slowRatio = 1.1
/** The spans of a round, with the slow client and without, each of so many seconds. */
const spans = 4
const spanSeconds = 5
const gapMs = 500
/** From the first client on until all listen, and until what their coming left behind is gone. */
const settledMs = 2_000
/** A stream is two sockets of the gateway; it also has files of its own. */
const neededFiles = size.streams * 2 + 200

if (openFileLimit() < neededFiles) {
  console.error(
    `a process may open ${openFileLimit()} files here and ${neededFiles} are needed: run "ulimit -n ${neededFiles}" first, or ask for less with --quick`,
  )
  process.exit(2)
}
const broken = []
const hold = (isKept, promise) => {
  console.log(`${isKept ? 'holds ' : 'BROKEN'}  ${promise}`)
  if (!isKept) broken.push(promise)
}
const progress = (what) => (count) => console.log(`        ${what}: ${count}`)

const parts = { isolation, memory, slow, limits }
for (const name of values.only.split(',')) {
  const provider = await startProvider()
  const gateway = await startGateway(provider.url, { limits: { concurrency: size.streams + 100 } })
  const clients = startClients()
  try {
    await parts[name]({ provider, gateway, clients })
  } finally {
    for (const one of [clients, gateway, provider]) one.stop()
  }
}
process.exit(broken.length === 0 ? 0 : 1)

/** Clients of all wires onto all wires, three in ten leaving at any time: nobody reads another's words, nothing stays open. */
async function isolation({ provider, gateway, clients }) {
  const { clients: count, calls } = size
  console.log(`${count} clients with ${calls} calls each, all wires onto all wires, 30 % leave`)
  const job = { urls: [gateway.url], clients: count, calls, pieces: 20, gapMs: 5, leaving: 0.3, leavesWithinMs: 400 }
  clients.send(job)
  const { whole, left, foreign, wrong, failures } = await clients.result(progress('calls over'))
  for (const failure of failures) console.log(`        ${failure}`)
  hold(foreign === 0, `${foreign} foreign marks in ${whole} whole answers and ${left} that were left`)
  hold(wrong === 0, `${wrong} answers that were not left and yet not whole`)
  const { active, open } = await settled(provider.facts, (facts) => facts.active === 0 && facts.open === 0, 20_000)
  hold(active === 0 && open === 0, `upstream: ${active} calls and ${open} connections stayed open`)
  const sockets = await settled(gateway.sockets, (found) => found === 0, 20_000)
  hold(sockets === 0, `the gateway has ${sockets} sockets left`)
}

/** As many streams at once as can be: memory for each, and none that grows while it lasts. */
async function memory({ provider, gateway, clients }) {
  const { streams } = size
  console.log(`${streams} streams at once`)
  const job = { urls: [gateway.url], stream: true, pieces: 20 }
  clients.send({ ...job, clients: 100, calls: 10, gapMs: 0 })
  await clients.result()
  const before = gateway.rssKiB()
  clients.send({ ...job, clients: streams, calls: 1, gapMs: 500, gather: streams, rampMs: streams })
  const answered = clients.result(progress('streams over'))
  const samples = []
  let isOver = false
  answered
    .finally(() => {
      isOver = true
    })
    .catch(() => {}) // told where it is awaited
  while (!isOver) {
    const { active, waiting } = await provider.facts()
    samples.push({ active, rss: gateway.rssKiB() })
    if (samples.length % 10 === 0)
      console.log(`        ${active} open, ${waiting} of them waiting, ${samples.at(-1).rss} KiB`)
    await wait(200)
  }
  const { whole, wrong, failures } = await answered
  for (const failure of failures) console.log(`        ${failure}`)
  const full = samples.filter(({ active }) => active >= streams * 0.99).map(({ rss }) => rss)
  const each = (Math.max(...samples.map(({ rss }) => rss)) - before) / streams
  hold(whole === streams && wrong === 0, `${whole} of ${streams} streams were whole`)
  hold(full.length > 0, `all of them were open at once for ${(full.length * 0.2).toFixed(0)} s`)
  hold(
    each <= kibPerStream,
    `${each.toFixed(0)} KiB for each stream at the peak, ${kibPerStream} at most (${before} KiB before)`,
  )
}

/**
 * One client that hardly reads, among many: the others must not notice. It comes while they listen and stays for every second span of
 * time, translated and on its own wire by turns. Its provider is a process of its own, or it would hold up what the others wait for; in
 * the spans between it reads from that provider directly, so that what the two of them take of this machine is in both. What counts is
 * the p99 of a second, as it mostly is: a stall of the machine itself spoils a second, and with it the p99 of many.
 */
async function slow({ provider, clients }) {
  const { listeners, rounds } = size
  console.log(`${listeners} clients and one that hardly reads, through the gateway and past it, ${rounds} rounds`)
  const hose = await startProvider()
  const routes = [...routesTo(provider.url, 'to'), ...routesTo(hose.url, 'slow-to')]
  const gateway = await startGateway(provider.url, { routes, limits: { concurrency: listeners + 100 } })
  const found = { 'to-anthropic': { through: [], past: [] }, 'to-openai-chat': { through: [], past: [] } }
  try {
    for (let index = -1; index < rounds; index += 1) {
      const model = Object.keys(found)[index & 1]
      const { through, past } = await listened({ gateway, hose, clients, model: `slow-${model}` })
      if (index < 0) continue // nothing is warm yet
      found[model].through.push(...through)
      found[model].past.push(...past)
      console.log(
        `        ${model}: p99 ${usual(through).toFixed(2)} ms, with it past the gateway ${usual(past).toFixed(2)} ms`,
      )
    }
  } finally {
    for (const one of [gateway, hose]) one.stop()
  }
  for (const [model, { through, past }] of Object.entries(found)) {
    const ratio = usual(through) / usual(past)
    const figures = `${ratio.toFixed(2)} times (${usual(through).toFixed(2)} of ${usual(past).toFixed(2)} ms, ${past.length} seconds)`
    hold(
      ratio <= slowRatio,
      `p99 of the others is ${figures} what it is without the slow client ${model}, ${slowRatio} at most`,
    )
  }
}

/** The p99 that half of the seconds have at most, in ms. */
function usual(seconds) {
  return (
    at(
      seconds.map((timesUs) => at(timesUs, 0.99)),
      0.5,
    ) / 1000
  )
}

/** One round: how long each piece of the others took, second by second, with the slow client and with it past the gateway. */
async function listened({ gateway, hose, clients, model }) {
  const pieces = (spans * spanSeconds * 1_000 + settledMs) / gapMs + 2
  const job = { clients: size.listeners, calls: 1, stream: true, pieces, gapMs, rampMs: gapMs, isTimed: true }
  clients.send({ ...job, urls: [gateway.url] })
  const answered = clients.result()
  await wait(settledMs)
  const begins = []
  for (let index = 0; index < spans; index += 1) {
    begins.push((performance.timeOrigin + performance.now()) * 1000)
    const leave = readSlowly(isDisturbed(index) ? gateway.url : hose.url, model)
    await wait(spanSeconds * 1_000)
    leave()
  }
  const { timings, wrong } = await answered
  if (wrong > 0) hold(false, `${wrong} answers were not whole`)
  const secondsOf = (begin) =>
    Array.from({ length: spanSeconds }, (_, second) => {
      const from = begin + second * 1_000_000
      return timings.filter(([sentUs]) => sentUs >= from && sentUs < from + 1_000_000).map(([, tookUs]) => tookUs)
    })
  const within = (isWanted) => begins.filter((_, index) => isWanted(index)).flatMap(secondsOf)
  return { through: within(isDisturbed), past: within((index) => !isDisturbed(index)) }
}

/** With, without, without, with: what changes in the course of a round favours neither. */
function isDisturbed(index) {
  return index % 4 === 0 || index % 4 === 3
}

function at(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** A client that reads 16 KiB every 100 ms of an answer that comes as fast as it is taken. Ends by the function returned. */
function readSlowly(url, model) {
  const text = '[markslow pieces=1 gap=0 gather=0 bytes=268435456]'
  const outgoing = request(`${url}/v1/chat/completions`, { method: 'POST' })
  outgoing.on('error', () => {}) // it is ended here
  let timer
  outgoing.on('response', (incoming) => {
    incoming.on('error', () => {})
    timer = setInterval(() => incoming.read(16 * 1024), 100)
  })
  outgoing.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: text }] }))
  return () => {
    clearInterval(timer)
    outgoing.destroy()
  }
}

/** Two gateways count in one Redis: the provider, whom both ask, sees no more than the limit. */
async function limits({ provider, clients }) {
  const redis = await startRedis()
  if (redis === undefined) return console.log('skipped: limits in Redis, there is no redis-server here')
  const keys = [
    { name: 'requests', key: 'key-for-requests', requestsPerMinute: 300 },
    { name: 'calls', key: 'key-for-calls', concurrency: 20 },
  ]
  const gateways = [
    await startGateway(provider.url, { keys, redis: redis.url }),
    await startGateway(provider.url, { keys, redis: redis.url }),
  ]
  const job = { urls: gateways.map(({ url }) => url), clients: size.clients / 4, calls: 10, pieces: 3, isLimited: true }
  console.log(`two gateways and one Redis, ${job.clients * job.calls} calls against each limit`)
  try {
    await provider.facts()
    clients.send({ ...job, key: 'key-for-requests', gapMs: 1 })
    const requests = await clients.result(progress('calls over'))
    const { count } = await provider.facts()
    hold(
      count === 300 && requests.whole === 300,
      `${count} calls of a key with 300 a minute reached the provider, ${requests.refused} were refused`,
    )
    clients.send({ ...job, key: 'key-for-calls', gapMs: 5 })
    const calls = await clients.result(progress('calls over'))
    const { most } = await provider.facts()
    hold(
      most <= 20 && calls.refused > 0,
      `${most} calls at once of a key with 20 at once; ${calls.whole} answered, ${calls.refused} refused`,
    )
    hold(requests.wrong + calls.wrong === 0, `${requests.wrong + calls.wrong} answers were neither whole nor a refusal`)
  } finally {
    for (const one of [...gateways, redis]) one.stop()
  }
}
