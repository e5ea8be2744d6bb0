// Scenario E: many streams at once in a fresh process each, as fast as they come (E) or at a human pace (EP).
import { stats, Worker } from './pool.mjs'

const deltas = 200

export function crowds(quick) {
  return {
    E: { kind: 'conc', wires: ['openai', 'anthropic'], streams: quick ? 300 : 1000, repetitions: quick ? 1 : 3 },
    EP: { kind: 'paced', wires: ['openai'], streams: 400, repetitions: quick ? 1 : 3 },
  }
}

/** Gives `[contender, measurements]` of everybody. */
export async function measureCrowd({ kind, streams, repetitions }, contenders, base) {
  const replies = new Map(contenders.map((contender) => [contender, []]))
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(turn + repetition) % contenders.length]
      const known = replies.get(contender)
      if (known.every((reply) => reply.ok))
        known.push(await alone(contender, base, `${kind}-${streams}-${deltas}`, streams))
    }
  }
  return contenders.map((contender) => [contender, summaryOf(replies.get(contender), streams)])
}

async function alone(contender, base, slug, streams) {
  const worker = new Worker(contender)
  await worker.ready
  const reply = await worker.send({ command: 'crowd', base, slug, tools: 'none', streams }, 120_000)
  worker.stop()
  return reply
}

function summaryOf(replies, streams) {
  const bad = replies.find((reply) => !reply.ok || reply.failed > 0)
  if (bad !== undefined) return { error: bad.error ?? 'failed', failed: bad.failed }
  const of = (pick) => stats(replies.map(pick))
  return {
    n: streams,
    deltas,
    wallMs: of((reply) => reply.wall),
    cpuUs: of((reply) => reply.cpu),
    peakMB: of((reply) => reply.peak / 1048576),
    growthMB: of((reply) => (reply.peak - reply.before) / 1048576),
    p50: of((reply) => reply.p50),
    p99: of((reply) => reply.p99),
    maxDelay: of((reply) => reply.max),
  }
}
