// node sizes.mjs: the bytes each contender sends: for one chat with 20 tools, and for a loop of 50 rounds (all of it, and its largest body).
import { files, loadFile } from './lib/contenders.mjs'
import { startServer } from './lib/pool.mjs'
import { makeTools } from './lib/tools.mjs'

console.warn = console.info = () => {}
const server = await startServer()

/** Makes a contender send; the slugs under which the upstream counted it. */
async function send(contender, wire, number) {
  const slugs = { wire, name: contender.name, loop: `loop-50-s${number}`, chat: `chat4-${number}` }
  const made = (slug, tools) => contender.create(wire, { root: server.base + slug, tools: makeTools(tools) })
  await (await made(slugs.loop, 4)).toolLoop('hello', 50)
  if (contender.only === undefined) await (await made(slugs.chat, 20)).chat('hello')
  return slugs
}

function printRow([wire, name, ...figures]) {
  console.log(wire.padEnd(10), name.padEnd(24), ...figures.map((figure) => String(figure).padStart(14)))
}

const rows = []
for (const file of files()) {
  for (const contender of await loadFile(file)) {
    for (const wire of contender.wires) {
      try {
        rows.push(await send(contender, wire, rows.length))
      } catch (error) {
        console.log(contender.name, wire, error.message)
      }
    }
  }
}
const { sent } = await (await fetch(`${server.base}stats/`)).json()
printRow(['wire', 'contender', 'chat body B', 'loop requests', 'loop total kB', 'largest kB'])
for (const { wire, name, loop, chat } of rows.toSorted((a, b) => a.wire.localeCompare(b.wire))) {
  const [requests, bytes, largest] = sent[loop]
  const kilobytes = [bytes / 1024, largest / 1024].map((size) => size.toFixed(1))
  printRow([wire, name, sent[chat]?.[2] ?? '-', requests, ...kilobytes])
}
server.stop()
process.exit()
