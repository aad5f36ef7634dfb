import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
