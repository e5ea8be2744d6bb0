// Plays rows with one library, each on a server of its own, and sends what was seen of each to run.mjs, which started it.
import { setTimeout as wait } from 'node:timers/promises'
import { providerServer } from '../../dist/node/testing/index.js'
import { toolsFor } from './tools.mjs'

const limitMs = 4000
const [library, rows] = process.argv.slice(2)
const { play, answer = 'done' } = await import(`./libraries/${library}.mjs`)

let stray
process.on('unhandledRejection', (error) => {
  stray ??= String(error)
})

/** What a library did: how the run ended, what its handlers were given, and what the server was sent. */
async function observe({ id, first, wrong }) {
  stray = undefined
  const server = await providerServer({
    strict: true,
    script: (_, index) => (index === 0 ? first : answer),
    misbehave: (_, index) => (index === 0 ? wrong : {}),
  })
  const ran = []
  const started = performance.now()
  const ending = play({ url: server.url, tools: toolsFor(ran), prompt: 'go' }).then(
    ({ text, says }) => ({ end: 'answer', text, says }),
    (error) => ({ end: 'error', text: String(error?.message ?? error) }),
  )
  const ended = await Promise.race([ending, wait(limitMs, { end: 'hangs', text: '' })])
  const tookMs = Math.round(performance.now() - started)
  await wait(5) // a rejection that nobody handles shows a turn later
  const requests = server.requests.map(({ raw, refusal }) => ({ body: raw.body, refusal }))
  await server.close()
  return { id, ...ended, tookMs, ran, requests, stray }
}

for (const row of JSON.parse(rows)) process.send(await observe(row))
process.disconnect()
process.exit() // a tool that never ends, or a client's connections, would keep the process
