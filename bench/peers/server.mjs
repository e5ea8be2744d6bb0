// The upstream: a loopback server that speaks four wires on raw sockets. Every byte is rendered once and sent again from memory, so
// that its own cost stays out of the figures. The scenario is the first segment of the path, so clients need no hook.
import net from 'node:net'
import { jsonResponse, replyFor, streamResponse, streamSlices, wireOf } from './lib/wires.mjs'

const rendered = new Map()
/** How far each loop of calls is, by its scenario. */
const steps = new Map()
/** The sockets of a crowd that is not complete yet. */
const crowds = new Map()
/** Scenario → requests, bytes of their bodies, largest body: whether everybody sends the whole history. */
const received = new Map()
let requests = 0

function once(key, make) {
  if (!rendered.has(key)) rendered.set(key, make())
  return rendered.get(key)
}

function count(slug, body) {
  requests += 1
  const [number, bytes, largest] = received.get(slug) ?? [0, 0, 0]
  received.set(slug, [number + 1, bytes + body.length, Math.max(largest, body.length)])
}

function isStreamed(wire, path, body) {
  if (wire === 'gemini') return path.includes('stream')
  return wire === 'ollama' ? !/"stream":\s*false/.test(body.toString('latin1')) : body.includes('"stream":true')
}

function respond(socket, path, body) {
  const slug = path.slice(1, path.indexOf('/', 1))
  const wire = wireOf(path)
  count(slug, body)
  if (wire === undefined || wire === null) {
    socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}')
    return
  }
  const [kind, size] = slug.split('-')
  if (kind === 'conc' || kind === 'paced') {
    joinCrowd(socket, slug, wire)
    return
  }
  const step = kind === 'loop' ? nextStep(slug, Number(size)) : 0
  const stream = isStreamed(wire, path, body)
  const name = kind === 'loop' ? `${kind}-${size}` : slug
  const make = () =>
    stream ? streamResponse(wire, replyFor(slug, step), slug.endsWith('-c')) : jsonResponse(wire, replyFor(slug, step))
  socket.write(once(`${name}|${wire}|${stream}|${step}`, make))
}

function nextStep(slug, rounds) {
  const step = steps.get(slug) ?? 0
  steps.set(slug, step >= rounds ? 0 : step + 1)
  return step
}

/** A crowd is answered when all of it has asked, or after a while. */
function joinCrowd(socket, slug, wire) {
  const [kind, size] = slug.split('-')
  const key = `${slug}|${wire}`
  const slices = once(key, () => streamSlices(wire, replyFor(slug), kind === 'paced' ? 5 : 10))
  if (!crowds.has(key)) crowds.set(key, { sockets: [], timer: setTimeout(() => release(key, kind, slices), 8000) })
  const { sockets } = crowds.get(key)
  sockets.push(socket)
  if (sockets.length >= Number(size)) release(key, kind, slices)
}

function release(key, kind, slices) {
  const crowd = crowds.get(key)
  if (crowd === undefined) return
  crowds.delete(key)
  clearTimeout(crowd.timer)
  if (kind === 'paced') sendPaced(crowd.sockets, slices)
  else sendAtOnce(crowd.sockets, slices)
}

/** Five events to each socket every 100 ms, the sockets spread over ten phases of 10 ms. */
function sendPaced(sockets, slices) {
  const sent = sockets.map(() => 0)
  let tick = 0
  let open = sockets.length
  const timer = setInterval(() => {
    for (let index = tick % 10; index < sockets.length; index += 10) {
      if (sent[index] === slices.length) continue
      sockets[index].write(slices[sent[index]])
      sent[index] += 1
      if (sent[index] === slices.length) open -= 1
    }
    tick += 1
    if (open === 0) clearInterval(timer)
  }, 10)
}

function sendAtOnce(sockets, slices) {
  let next = 0
  const tick = () => {
    for (const socket of sockets) socket.write(slices[next])
    next += 1
    if (next < slices.length) setImmediate(tick)
  }
  tick()
}

function tellStats(socket) {
  const body = JSON.stringify({ requests, sent: Object.fromEntries(received) })
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(head + body)
}

/** The head of a request: its path and how its body ends. Undefined while it is not whole. */
function headOf(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const text = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return {
    path: text.split(' ', 2)[1],
    length: Number(length ?? 0),
    isChunked: length === undefined && /transfer-encoding: *chunked/i.test(text),
    isExpecting: /expect: 100/i.test(text),
    bodyAt: end + 4,
  }
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let bytes = Buffer.alloc(0)
  let head
  socket.on('error', () => {})
  socket.on('data', (piece) => {
    bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece])
    while (bytes.length > 0 || head !== undefined) {
      if (head === undefined) {
        head = headOf(bytes)
        if (head === undefined) return
        bytes = bytes.subarray(head.bodyAt)
        if (head.isExpecting) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      }
      const end = head.isChunked ? bytes.indexOf('0\r\n\r\n') : head.length
      if (end < 0 || bytes.length < end) return
      const body = bytes.subarray(0, end)
      bytes = bytes.subarray(head.isChunked ? end + 5 : end)
      const { path } = head
      head = undefined
      if (path === '/stats/') tellStats(socket)
      else respond(socket, path, body)
    }
  })
})
server.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = server.address()
  if (process.send) process.send({ port })
  else console.log(port)
})
process.on('disconnect', () => process.exit(0))
