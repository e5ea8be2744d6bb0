// A loopback HTTP server for one test: starts on a free port, closes with everything still connected to it.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Loopback {
  readonly url: string
  readonly sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

export async function loopback(listener: RequestListener): Promise<Loopback> {
  const server: Server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
