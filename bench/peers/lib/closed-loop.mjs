// Clients of a gateway in a closed loop: each asks again when its answer is whole. The first answer is read, all are measured against it.
import { WIRES } from '../contenders/_floor.mjs'
import { median, quantile } from './pool.mjs'
import { makeTools } from './tools.mjs'

const tools = makeTools(20)

/** What `clients` got in `ms` milliseconds or with so many calls, and what it cost the gateway. Throws when an answer is wrong. */
export async function load(
  { entry, pool, cpuUs },
  { slug, stream, clients },
  upstream,
  { ms, calls = Number.POSITIVE_INFINITY },
) {
  const call = {
    method: 'POST',
    path: entry.path(slug, stream),
    headers: entry.headers(slug, upstream),
    body: bodyFor(entry, slug, stream),
  }
  const verified = await verifiedLength(pool, call, entry.wire, stream)
  const times = []
  const firsts = []
  const before = cpuUs?.()
  const began = performance.now()
  const client = async () => {
    while (performance.now() < began + ms && times.length < calls) {
      const asked = performance.now()
      const { statusCode, body } = await pool.request(call)
      let first
      let length = 0
      for await (const piece of body) {
        first ??= performance.now() - asked
        length += piece.length
      }
      if (statusCode !== 200 || length < verified * 0.95) throw new Error(`status ${statusCode}, ${length} bytes`)
      firsts.push(first)
      times.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return {
    rps: (times.length / (performance.now() - began)) * 1_000,
    p50: median(times),
    p99: quantile(times, 0.99),
    first: median(firsts),
    cpuUs: cpuUs === undefined ? undefined : (cpuUs() - before) / times.length,
  }
}

function bodyFor({ wire, model }, slug, stream) {
  const { body, user, tools: declared } = WIRES[wire]
  const request = body([user('hello')], stream ? undefined : declared(tools), stream)
  return JSON.stringify({
    ...request,
    ...(wire === 'openai' ? { max_tokens: 4096 } : {}),
    ...(model === undefined ? {} : { model: model(slug) }),
  })
}

/** The length of an answer that says what it should: four calls, or two hundred pieces of text. */
async function verifiedLength(pool, call, wire, stream) {
  const { body } = await pool.request(call)
  const text = await body.text()
  if (stream) {
    let pieces = 0
    const { line } = WIRES[wire].fold()
    for (const one of text.split('\n')) line(one, () => (pieces += 1))
    if (pieces !== 200) throw new Error(`${pieces} pieces of text instead of 200`)
  } else if (WIRES[wire].parse(JSON.parse(text)).toolCalls.length !== 4) throw new Error('not four calls')
  return text.length
}
