import { connect, createServer, type Socket } from 'node:net'
import type { BrowserContext } from '@playwright/test'
import { freePort } from '../free-port.ts'

/** Whether tests run under load (`npm run test:stress`), which changes the order of events. */
export const isStressed = process.env.TOOLBOX_STRESS !== undefined

/** A delay in ms, mostly short and sometimes long, so that responses arrive out of order. */
const anyDelay = () => Math.random() ** 4 * 400

/** Forwards data from one socket to another in order, delaying each chunk. */
function forwardDelayed(from: Socket, to: Socket) {
  let last = Promise.resolve()
  const later = (act: () => void) => {
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, anyDelay()))).then(act)
  }
  from.on('data', (piece) => later(() => to.write(piece)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
}

/** A proxy with slow, uneven connections: it listens on one port and forwards to the server on another. */
export async function startSlowProxy() {
  const [port, inner] = [await freePort(), await freePort()]
  const open = new Set<Socket>()
  const way = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: inner, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    forwardDelayed(client, server)
    forwardDelayed(server, client)
  })
  await new Promise<void>((resolve) => way.listen(port, '127.0.0.1', resolve))
  const url = `http://localhost:${port}`
  return {
    url,
    env: { PORT: String(inner), BASE_URL: url },
    close: () => {
      for (const socket of open) socket.destroy()
      way.close()
    },
  }
}

/**
 * Throttles the CPU of this context's pages in a few tests only, since throttling keeps a core busy even while pages
 * wait. Returns a function that ends it. One process renders all pages of the context, so the throttle is set on its
 * permanent page: a session on the tested page would reset its emulated media.
 */
export async function slowDown(context: BrowserContext): Promise<() => Promise<void>> {
  const [lasting] = context.pages()
  if (!lasting || Math.random() > 1 / 12) return async () => {}
  const session = await context.newCDPSession(lasting)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return () => session.detach()
}
