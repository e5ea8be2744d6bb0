// Stands where a client would go to any other host: lets nobody through but to the loopback, and remembers who was asked for.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'

export async function startProxy() {
  const asked = new Set()
  const server = createServer((request, response) => {
    asked.add(new URL(request.url, 'http://unknown').hostname)
    response.writeHead(403).end()
  })
  server.on('connect', (request, socket) => {
    const [host, port] = request.url.split(':')
    socket.on('error', () => {}) // it left
    if (host === '127.0.0.1') return relay(socket, Number(port)) // not every client reads NO_PROXY
    asked.add(host)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    env: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      https_proxy: url,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    /** The hosts asked for since the last time. */
    newHosts() {
      const hosts = [...asked]
      asked.clear()
      return hosts
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function relay(socket, port) {
  const onward = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(onward).pipe(socket)
  })
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
}
