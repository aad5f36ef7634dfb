import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that nobody listens on at this moment. It lies below those that systems give to outgoing
 * connections (32768 and up on Linux), since such a one could take it before whoever asked listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const probe = createServer()
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    await new Promise((closed) => probe.close(closed))
    return port
  }
}
