import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { afterAll, beforeAll } from 'vitest'

/** Redirects connections to 8.8.8.* to loopback while a file's tests run, since tests can't reach public addresses. */
export function redirectPublicAddresses() {
  const { connect } = net
  const replace = (by: typeof connect) => {
    net.connect = by
    syncBuiltinESMExports()
  }
  beforeAll(() =>
    replace(((options: net.NetConnectOpts | number, ...more: never[]) => {
      const isPublic = typeof options === 'object' && 'host' in options && options.host?.startsWith('8.8.8.')
      return connect((isPublic ? { ...options, host: '127.0.0.1' } : options) as net.NetConnectOpts, ...more)
    }) as typeof connect),
  )
  afterAll(() => replace(connect))
}
