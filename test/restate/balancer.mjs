// One address for several workers, as a service of a cluster has: connections go to the next one that lives.
import { connect, createServer } from 'node:net'

export async function startBalancer(ports) {
  let open = [...ports]
  const sockets = new Map()
  let next = 0
  const route = (client, left) => {
    if (left === 0) return client.destroy()
    next += 1
    const port = open[next % open.length]
    const worker = connect(port, '127.0.0.1')
    const end = () => {
      client.destroy()
      worker.destroy()
      sockets.delete(client)
    }
    worker.once('error', () => route(client, left - 1)) // nobody is there
    worker.once('connect', () => {
      sockets.set(client, { port, end })
      worker.removeAllListeners('error').on('error', end).on('close', end)
      client.on('error', end).on('close', end).pipe(worker).pipe(client)
    })
  }
  const server = createServer((client) => route(client, open.length))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    /** Cuts a worker off, which lives on and does not know why. */
    cut(port) {
      open = open.filter((other) => other !== port)
      for (const entry of sockets.values()) if (entry.port === port) entry.end()
    },
    async stop() {
      for (const { end } of sockets.values()) end()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
