// Loopback upstream speaking the four wires. Raw node:net, every byte pre-rendered and cached.
import net from 'node:net'
import { jsonResponse, replyFor, streamResponse, streamSlices, wireOf } from './lib/wires.mjs'

const cache = new Map()
const counters = new Map()
const waiting = new Map()
let requests = 0
const sent = new Map() // slug -> [requests, total body bytes, largest body]: lets a run check that everybody sends the whole history
const CRLF2 = Buffer.from('\r\n\r\n')
const memo = (k, f) => {
  if (!cache.has(k)) cache.set(k, f())
  return cache.get(k)
}

function respond(sock, path, body) {
  requests++
  const slug = path.slice(1, path.indexOf('/', 1))
  const wire = wireOf(path)
  const c = sent.get(slug)
  if (c) {
    c[0]++
    c[1] += body.length
    if (body.length > c[2]) c[2] = body.length
  } else sent.set(slug, [1, body.length, body.length])
  if (!wire) {
    sock.write('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}')
    return
  }
  const stream =
    wire === 'gemini'
      ? path.includes('stream')
      : wire === 'ollama'
        ? !/"stream":\s*false/.test(body.toString('latin1'))
        : body.includes('"stream":true')
  if (slug.startsWith('conc-') || slug.startsWith('paced-')) {
    const n = Number(slug.split('-')[1])
    const key = slug + wire
    const slices = memo(`S${key}`, () => streamSlices(wire, replyFor(slug), slug.startsWith('paced-') ? 5 : 10))
    let w = waiting.get(key)
    if (!w) {
      w = { socks: [] }
      waiting.set(key, w)
      w.timer = setTimeout(() => release(key, slices), 8000)
    }
    w.socks.push(sock)
    if (w.socks.length >= n) release(key, slices)
    return
  }
  let step = 0
  if (slug.startsWith('loop-')) {
    const r = Number(slug.split('-')[1])
    step = counters.get(slug) ?? 0
    counters.set(slug, step >= r ? 0 : step + 1)
  }
  sock.write(
    memo(`${slug.startsWith('loop-') ? slug.split('-').slice(0, 2).join('-') : slug}|${wire}|${stream}|${step}`, () =>
      stream
        ? streamResponse(wire, replyFor(slug, step), slug.endsWith('-c'))
        : jsonResponse(wire, replyFor(slug, step)),
    ),
  )
}
function release(key, slices) {
  const w = waiting.get(key)
  if (!w) return
  waiting.delete(key)
  clearTimeout(w.timer)
  if (key.startsWith('paced-')) {
    // 5 events per socket every 100 ms, sockets spread over ten 10 ms phases
    const next = w.socks.map(() => 0)
    let t = 0,
      left = w.socks.length
    const timer = setInterval(() => {
      for (let j = t % 10; j < w.socks.length; j += 10)
        if (next[j] < slices.length) {
          w.socks[j].write(slices[next[j]++])
          if (next[j] === slices.length) left--
        }
      t++
      if (!left) clearInterval(timer)
    }, 10)
    return
  }
  let i = 0
  const tick = () => {
    for (const s of w.socks) s.write(slices[i])
    if (++i < slices.length) setImmediate(tick)
  }
  tick()
}

const server = net.createServer({ noDelay: true }, (sock) => {
  let buf = null,
    need = -1,
    path = '',
    isChunked = false
  sock.on('error', () => {})
  sock.on('data', (d) => {
    buf = buf ? Buffer.concat([buf, d]) : d
    for (;;) {
      if (need < 0) {
        const h = buf.indexOf(CRLF2)
        if (h < 0) return
        const head = buf.toString('latin1', 0, h)
        path = head.slice(head.indexOf(' ') + 1, head.indexOf(' ', head.indexOf(' ') + 1))
        const m = /\r\ncontent-length: *(\d+)/i.exec(head)
        isChunked = !m && /transfer-encoding: *chunked/i.test(head)
        need = m ? Number(m[1]) : 0
        buf = buf.subarray(h + 4)
        if (/expect: 100/i.test(head)) sock.write('HTTP/1.1 100 Continue\r\n\r\n')
      }
      let body
      if (isChunked) {
        const e = buf.indexOf('0\r\n\r\n')
        if (e < 0) return
        body = buf.subarray(0, e)
        buf = buf.subarray(e + 5)
      } else {
        if (buf.length < need) return
        body = buf.subarray(0, need)
        buf = buf.subarray(need)
      }
      need = -1
      if (path === '/stats/') {
        const b = JSON.stringify({ requests, sent: Object.fromEntries(sent) })
        sock.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${b.length}\r\n\r\n${b}`)
      } else respond(sock, path, body)
      if (!buf.length) {
        buf = null
        return
      }
    }
  })
})
server.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = server.address()
  if (process.send) process.send({ port })
  else console.log(port)
})
process.on('disconnect', () => process.exit(0))
