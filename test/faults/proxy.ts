import { connect, createServer, type Socket } from 'node:net'

type Link = { client: Socket; server: Socket; frozen: boolean }

/** A TCP proxy in front of a local port, to simulate network faults. It listens on `host`. */
export async function tcpProxy({ port: target, host = '127.0.0.1' }: { port: number; host?: string }) {
  const links = new Set<Link>()
  let freezing = false

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    const link: Link = { client, server: far, frozen: freezing }
    links.add(link)
    forward(link, client, link.server)
    forward(link, link.server, client)
    client.on('close', () => {
      if (!link.frozen) link.server.destroy()
    })
    link.server.on('close', () => {
      if (link.frozen) return
      client.destroy()
      links.delete(link)
    })
  })
  const listen = (on: number) => new Promise<void>((listening) => server.listen(on, host, listening))
  await listen(0)
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0

  const end = (endSocket: (socket: Socket) => void) => {
    for (const link of links) {
      links.delete(link)
      for (const socket of [link.client, link.server]) endSocket(socket)
    }
  }
  const open = () => [...links].filter(({ frozen, client }) => !frozen && !client.destroyed)

  return {
    port,
    through(url: string): string {
      const changed = new URL(url)
      changed.host = `127.0.0.1:${port}`
      return changed.href
    },
    open: () => open().length,
    /** Half-opens this many connections permanently; without a count, all of them, and new ones until `heal`. */
    freeze(count?: number) {
      if (count === undefined) freezing = true
      for (const link of open().slice(0, count)) link.frozen = true
    },
    /** Resets all connections and stops listening until `heal`. */
    refuse() {
      server.close()
      end((socket) => socket.resetAndDestroy())
    },
    /** Resets all connections; new ones are forwarded again. */
    cut: () => end((socket) => socket.resetAndDestroy()),
    /** Forwards new connections again; frozen ones stay frozen. */
    async heal() {
      freezing = false
      if (!server.listening) await listen(port)
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      end((socket) => socket.destroy())
      await closed
    },
  }
}

/** Forwards data from one socket to the other; drops it while the connection is frozen. */
function forward(link: Link, from: Socket, to: Socket) {
  from.on('error', () => undefined)
  from.on('data', (bytes) => {
    if (link.frozen) return
    if (!to.write(bytes)) from.pause()
  })
  from.on('end', () => {
    if (!link.frozen) to.end()
  })
  to.on('drain', () => from.resume())
}
