// Interleaved rounds: every contender in turn, in rotating order, each ratio taken against the floor of the same round and wire.
import { median, stats } from './pool.mjs'
import { takesPart } from './scenarios.mjs'

/** A contender seen to be slow is run once, by one call; beyond this at half the size it is not run at all. */
const longestMs = 45_000
const slowMs = 250
let runs = 0

/** Measures one case. Gives `[contender, measurements]` of everybody who took part. */
export async function measureCase(scenario, item, workers, base) {
  const entries = workers
    .filter((worker) => !worker.dead && takesPart(worker.contender, scenario, item))
    .map((worker) => ({
      worker,
      wall: [],
      cpu: [],
      wallRatios: [],
      cpuRatios: [],
      rounds: item.rounds,
      calls: item.calls,
    }))
  for (const entry of entries) {
    runs += 1
    entry.slug = item.slug.replace('$ID', `${entry.worker.contender.wire}${process.pid}x${runs}`)
  }
  for (const entry of entries) await warm(entry, item, base)
  for (let round = 0; round < item.rounds; round += 1) await playRound(round, entries, item, base)
  return entries.map((entry) => {
    if (item.growth && entry.wall.length > 0) entry.worker.lastMs = median(entry.wall)
    return [entry.worker.contender, summaryOf(entry, entries, item)]
  })
}

/** A peer whose ordinary stream parses the arguments at every fragment has the view `always`; the floor never has one. */
function actionOf({ floor, partial }, { action }) {
  return action === 'partialStream' && (floor || partial === 'always') ? 'chatStream' : action
}

function send({ worker, slug }, item, base, calls) {
  const { contender } = worker
  const schema = contender.floor ? 'json' : item.schema
  return worker.send({
    command: 'run',
    base,
    slug,
    action: actionOf(contender, item),
    tools: item.tools,
    schema,
    calls,
  })
}

async function warm(entry, item, base) {
  const last = item.growth ? (entry.worker.lastMs ?? 0) : 0
  if (last * 4 > longestMs) {
    entry.error = `skipped: ${(last / 1000).toFixed(1)} s at half this size`
    entry.worker.lastMs = last * 4
  } else if (last > slowMs || (item.growth && (await warmed(entry, item, base, 1)) > slowMs)) {
    entry.rounds = 1
    entry.calls = 1
  } else if (item.warm > 0) await warmed(entry, item, base, item.warm)
}

/** Runs so many calls that do not count; the time of one. */
async function warmed(entry, item, base, calls) {
  const reply = await send(entry, item, base, calls)
  if (reply.ok) return reply.wall
  entry.error = reply.error
  return Number.POSITIVE_INFINITY
}

async function playRound(round, entries, item, base) {
  const replies = new Map()
  for (let turn = 0; turn < entries.length; turn += 1) {
    const entry = entries[(turn + round) % entries.length]
    if (entry.error !== undefined || round >= entry.rounds) continue
    const reply = await send(entry, item, base, entry.calls)
    if (reply.ok) replies.set(entry, reply)
    else entry.error = reply.error
  }
  for (const [entry, reply] of replies) {
    entry.wall.push(reply.wall)
    entry.cpu.push(reply.cpu)
    const floor = replies.get(floorOf(entry, entries))
    if (floor === undefined) continue
    entry.wallRatios.push(reply.wall / floor.wall)
    entry.cpuRatios.push(reply.cpu / floor.cpu)
  }
}

function floorOf(entry, entries) {
  const { wire } = entry.worker.contender
  return entries.find(({ worker }) => worker.contender.floor && worker.contender.wire === wire)
}

function summaryOf(entry, entries, item) {
  if (entry.error !== undefined) return { error: entry.error }
  const floor = floorOf(entry, entries)
  return {
    per: item.units,
    wallMs: stats(entry.wall),
    cpuUs: stats(entry.cpu),
    cpuMinRatio: floor === undefined ? undefined : Math.min(...entry.cpu) / Math.min(...floor.cpu),
    ratioWall: stats(entry.wallRatios),
    ratioCpu: stats(entry.cpuRatios),
  }
}
