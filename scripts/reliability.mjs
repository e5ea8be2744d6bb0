// `npm run reliability`: what the calls promise under stress, measured on the built package and printed as a table.
// The server is a thread of its own, so that the sockets and timers of this one are the client's.
import { createServer } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const mebibyte = 1024 * 1024
const chunk = (text) =>
  `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}\n\n`

if (isMainThread) await main()
else serve()

/** Never answers, begins and falls silent, sends without end, or says that it is overloaded, by the model that is asked for. */
function serve() {
  let sent = 0
  const answers = {
    silent: () => {},
    begun: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('begun')),
    busy: (response) => response.writeHead(429, { 'retry-after': '30' }).end('{"error":{"message":"busy"}}'),
    endless: (response) => {
      const text = chunk('x'.repeat(16 * 1024))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const push = () => {
        for (let more = true; more && sent < 512 * mebibyte; sent += text.length) more = response.write(text)
      }
      response.on('drain', push)
      push()
    },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    answers[JSON.parse(body).model](response)
  })
  const raw = createRawServer(() => {})
  server.on('clientError', () => {})
  parentPort.on('message', (message) => {
    if (message === 'reset') sent = 0
    server.getConnections((_, open) => parentPort.postMessage({ sent, open }))
  })
  server.listen(0, '127.0.0.1', () =>
    raw.listen(0, '127.0.0.1', () =>
      parentPort.postMessage({ url: `http://127.0.0.1:${server.address().port}`, rawPort: raw.address().port }),
    ),
  )
}

async function main() {
  const { codecs, openai, profileOf, run, tool } = await import('toolwire')
  const { scriptedModel } = await import('toolwire/testing')
  const worker = new Worker(new URL(import.meta.url))
  const told = () => new Promise((resolve) => worker.once('message', resolve))
  const ask = (message) => {
    const answer = told()
    worker.postMessage(message)
    return answer
  }
  const { url, rawPort } = await told()
  const rows = []
  const add = (what, figure, bar, holds) => rows.push({ what, figure, bar, holds })
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]
  const transports = { node: {}, fetch: { fetch: (...args) => fetch(...args) } }
  const model = (id, options, baseUrl = url) => openai(id, { baseUrl, apiKey: 'k', ...options })
  const hang = tool({
    name: 'hang',
    description: 'Never comes to an end',
    input: { type: 'object', properties: {} },
    execute: () => new Promise(() => {}),
  })

  /** Begins a call, aborts it when `begun`, and says how long it took to settle. */
  const abortOnce = async (start, begun) => {
    const controller = new AbortController()
    if (begun === undefined) controller.abort()
    const work = Promise.resolve(start(controller.signal)).then(
      (result) => result.stop?.reason,
      (error) => error.code,
    )
    await begun?.()
    const from = performance.now()
    controller.abort()
    const outcome = await work
    if (outcome !== 'aborted') throw new Error(`an aborted call ended as ${outcome}`)
    return performance.now() - from
  }
  const soon = () => wait(15)
  const stagesOf = (options) => ({
    'before it connects': [(signal) => model('silent', options).complete({ messages }, { signal }), undefined],
    'while it connects': [
      (signal) => model('silent', options, `https://127.0.0.1:${rawPort}`).complete({ messages }, { signal }),
      soon,
    ],
    'waiting for headers': [(signal) => model('silent', options).complete({ messages }, { signal }), soon],
    'in the body': [(signal) => model('begun', options).stream({ messages }, { signal }), soon],
    'waiting to try again': [(signal) => model('busy', options).complete({ messages }, { signal }), soon],
    'in a tool': [
      (signal) => run({ model: scriptedModel([{ calls: [{ name: 'hang' }] }]), tools: [hang], prompt: 'Hi', signal }),
      soon,
    ],
  })

  for (const [name, options] of Object.entries(transports)) {
    for (const [stage, [start, begun]] of Object.entries(stagesOf(options))) {
      const times = []
      for (let count = 0; count < 20; count += 1) times.push(await abortOnce(start, begun))
      const longest = Math.max(...times)
      add(`${name}: abort ${stage}, longest of 20`, `${longest.toFixed(1)} ms`, '≤ 50 ms', longest <= 50)
    }
  }

  /** What keeps this thread's loop alive besides `known`. */
  const resources = (known = []) => {
    const left = process.getActiveResourcesInfo()
    for (const kind of known) if (left.includes(kind)) left.splice(left.indexOf(kind), 1)
    return left
  }
  /** Waits until nothing is left; a platform's fetch keeps idle and half-open connections for some seconds of its own. */
  const settled = async (known) => {
    const from = performance.now()
    for (;;) {
      await wait(250)
      const { open } = await ask('count')
      const left = resources(known).length
      const seconds = (performance.now() - from) / 1000
      if (left + open === 0 || seconds > 20) return { left, open, seconds }
    }
  }
  const aborts = Number(process.env.ABORTS ?? 10_000)
  for (const [name, options] of Object.entries(transports)) {
    await wait(1000)
    const before = resources()
    const stages = Object.values(stagesOf(options))
    for (let done = 0; done < aborts; done += 100) {
      const batch = Array.from({ length: 100 }, (_, index) => {
        const [start, begun] = stages[(done + index) % stages.length]
        return abortOnce(start, begun === undefined ? undefined : () => wait((done + index) % 20))
      })
      await Promise.all(batch)
    }
    const { left, open, seconds } = await settled(before)
    const figure = `${left} here, ${open} at the server (after ${seconds.toFixed(1)} s)`
    add(`${name}: sockets and timers after ${aborts.toLocaleString('en')} aborts`, figure, '0', left + open === 0)
  }

  for (const [name, options] of Object.entries(transports)) {
    await ask('reset')
    const events = model('endless', options).stream({ messages })[Symbol.asyncIterator]()
    for (let event = await events.next(); event.value.type !== 'text_delta'; ) event = await events.next()
    await wait(10_000)
    const { sent } = await ask('count')
    await events.return()
    const pushed = `${(sent / mebibyte).toFixed(2)} MiB`
    add(`${name}: pushed to a consumer that is silent for 10 s`, pushed, '≤ 6 MiB', sent <= 6 * mebibyte)
  }

  measureDecoding(codecs, profileOf, add)
  await worker.terminate()
  for (const { what, figure, bar, holds } of rows) {
    console.log(`${holds ? '✓' : '✗'} ${what.padEnd(58)} ${figure.padEnd(40)} ${bar}`)
  }
  process.exit(rows.every(({ holds }) => holds) ? 0 : 1)
}

/** Linear in what comes, and capped: fragments of arguments, a line without an end, an answer without an end. */
function measureDecoding(codecs, profileOf, add) {
  const codec = codecs['openai-chat']
  const env = { profile: profileOf(codec), createdSeconds: 0, deltas: true }
  const open = () => codec.stream.decode({ wire: 'openai-chat', model: 'm', stream: true }, env)
  const bytes = (text) => new TextEncoder().encode(text)
  const choice = (delta) => `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta }] })}\n\n`
  const fragments = (count) => {
    const call = (part) => choice({ tool_calls: [{ index: 0, ...part }] })
    const head = call({ id: 'call_1', function: { name: 'write', arguments: '{"text":"' } })
    const tail = `${call({ function: { arguments: '"}' } })}data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`
    const piece = bytes(call({ function: { arguments: 'x'.repeat(20) } }))
    const machine = open()
    const from = performance.now()
    machine.push(bytes(head))
    for (let index = 0; index < count; index += 1) machine.push(piece)
    const events = [...machine.push(bytes(tail)), ...machine.end()]
    const call1 = events.find((event) => event.type === 'tool_call')?.call
    if (call1?.arguments.length !== count * 20 + 11) throw new Error('the call did not arrive whole')
    return performance.now() - from
  }
  fragments(20_000)
  const median = (count) => [1, 2, 3].map(() => fragments(count)).toSorted((a, b) => a - b)[1]
  const [half, full] = [median(100_000), median(200_000)]
  add('200,000 fragments of one call', `${(full / 1000).toFixed(2)} s`, '≤ 2 s', full <= 2000)
  add('twice the fragments', `${(full / half).toFixed(2)} times the time`, '≤ 2.3 times', full <= 2.3 * half)
  for (const [what, piece] of [
    ['a line without an end', bytes('x'.repeat(64 * 1024))],
    ['an answer without an end', bytes(choice({ content: 'x'.repeat(64 * 1024) }))],
  ]) {
    const machine = open()
    let taken = 0
    let error
    while (error === undefined && taken < 256 * mebibyte) {
      taken += piece.length
      error = machine.push(piece).find((event) => event.type === 'error')?.error
    }
    const figure = `${error?.code} after ${(taken / mebibyte).toFixed(1)} MiB`
    add(what, figure, 'limit_exceeded', error?.code === 'limit_exceeded')
  }
}
