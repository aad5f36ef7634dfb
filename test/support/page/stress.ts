import { connect, createServer, type Socket } from 'node:net'
import type { BrowserContext } from '@playwright/test'
import { freePort } from '../free-port.ts'

/** Whether tests run under pressure (`npm run test:stress`), which changes the order in which things happen. */
export const isStressed = process.env.TOOLBOX_STRESS !== undefined

/** Milliseconds: most are few, some many, so that answers overtake each other. */
const anyDelay = () => Math.random() ** 4 * 400

/** Passes on what comes from one socket to the other, in its order, each piece some time later. */
function passOn(from: Socket, to: Socket) {
  let last = Promise.resolve()
  const later = (act: () => void) => {
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, anyDelay()))).then(act)
  }
  from.on('data', (piece) => later(() => to.write(piece)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
}

/** A port whose connections lead to the server on a second one by a slow and uneven way. */
export async function slowWay() {
  const [port, inner] = [await freePort(), await freePort()]
  const open = new Set<Socket>()
  const way = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: inner, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    passOn(client, server)
    passOn(server, client)
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
 * Has the pages of this context compute slowly in few tests, since that keeps a core busy even while they wait; the answer
 * ends it. One process draws them all, and a session at the tested page itself would forget its emulated media.
 */
export async function slowDown(context: BrowserContext): Promise<() => Promise<void>> {
  const [lasting] = context.pages()
  if (!lasting || Math.random() > 1 / 12) return async () => {}
  const session = await context.newCDPSession(lasting)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return () => session.detach()
}
