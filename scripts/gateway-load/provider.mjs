// The provider of the load test, a process of its own: it speaks the five wires and says what the order in the prompt tells it to say.
// An order is `[mark… pieces=20 gap=10 gather=0 bytes=0]`: so many pieces, so many ms apart, each with the mark and the time it left;
// `gather` waits until so many calls are there; `bytes` sends so much as fast as it is taken.
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { codecs, fold, profileOf } from 'toolwire'

const order = /\[(mark\w+) pieces=(\d+) gap=(\d+) gather=(\d+) bytes=(\d+)\]/
const wireOf = (path) =>
  ({
    '/v1/chat/completions': 'openai-chat',
    '/v1/responses': 'openai-responses',
    '/v1/messages': 'anthropic',
    '/api/chat': 'ollama',
  })[path] ?? 'gemini'

let gathered = []
let active = 0
/** Calls since it was last asked, and the most at once. */
let count = 0
let most = 0

const server = createServer(async (request, response) => {
  active += 1
  count += 1
  most = Math.max(most, active)
  response.on('close', () => {
    active -= 1
  })
  request.on('error', () => {}) // the gateway left
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  const codec = codecs[wireOf(request.url)]
  const env = { profile: profileOf(codec), createdSeconds: 1, deltas: true }
  const { exchange } = codec.request.decode({ method: 'POST', path: request.url, headers: request.headers, body }, env)
  const [, mark, ...numbers] = order.exec(body)
  const [pieces, gapMs, gather, bytes] = numbers.map(Number)
  await gathering(gather)
  if (exchange.stream) await stream(response, codec.stream.encode(exchange, env), { mark, pieces, gapMs, bytes })
  else {
    const text = `${mark} `.repeat(pieces)
    const { http } = codec.response.encode(
      fold([started(mark), { type: 'text_delta', part: 0, text }, ...ended(pieces)]),
      exchange,
      env,
    )
    response.writeHead(http.status, http.headers).end(http.body)
  }
})

const started = (id) => ({ type: 'start', id, model: 'm' })
const ended = (output) => [
  { type: 'usage', usage: { input: 10, output } },
  { type: 'finish', reason: 'stop' },
]

/** Held back until as many calls are there. */
function gathering(count) {
  if (count === 0) return undefined
  return new Promise((resolve) => {
    gathered.push(resolve)
    if (gathered.length < count) return
    for (const go of gathered) go()
    gathered = []
  })
}

async function stream(response, encoder, { mark, pieces, gapMs, bytes }) {
  response.writeHead(200, encoder.headers)
  response.write(encoder.push(started(mark)))
  const say = (text) => response.write(encoder.push({ type: 'text_delta', part: 0, text }))
  // Written once: a provider has a machine of its own, and its work must not be taken from the gateway.
  const filler =
    bytes === 0
      ? Buffer.alloc(0)
      : Buffer.from(encoder.push({ type: 'text_delta', part: 0, text: 'x'.repeat(16 * 1024) }))
  const left = told(response, 'close')
  for (let sent = 0; sent < bytes && !response.destroyed; sent += filler.length)
    if (!response.write(filler)) await Promise.race([told(response, 'drain'), left])
  // Each at any time within its gap: streams that once spoke together would do so to their end.
  const beganAt = performance.now()
  for (let index = 0; index < pieces && !response.destroyed; index += 1) {
    if (gapMs > 0) await wait(beganAt + (index + Math.random()) * gapMs - performance.now())
    say(`${mark} at=${nowMicros()} `)
  }
  for (const event of ended(pieces)) response.write(encoder.push(event))
  response.end(encoder.end())
}

/** Processes of one machine share this clock. */
function nowMicros() {
  return Math.round((performance.timeOrigin + performance.now()) * 1000)
}

function told(emitter, name) {
  return new Promise((resolve) => emitter.once(name, resolve))
}

process.on('message', () => {
  server.getConnections((_, open) => {
    process.send({ active, open, waiting: gathered.length, count, most })
    count = 0
    most = active
  })
})
process.on('disconnect', () => process.exit(0))
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send({ port: server.address().port }))
