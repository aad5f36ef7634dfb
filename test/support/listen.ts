import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Makes a server listen on loopback, by default on a free port. `close` also ends its open connections. */
export async function listen(server: Server, port = 0, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server.listen(port, host), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
