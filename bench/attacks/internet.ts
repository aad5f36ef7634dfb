import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { systemClock } from '../../src/platform/clock.ts'
import { machineResolve } from '../../src/platform/net/names.ts'
import { seconds } from '../../src/shared/time.ts'
import { hostAt } from '../stage/hosts.ts'

const sharedAddress = '8.255.0.1'
/** How long the server waits for name servers that don't answer: with three tries, or with one. */
const silence = { patient: seconds(8), brief: seconds(1) }

/** A name for each entry, such as `app.1.0.7.own.example`, from which `indexOf` reads the index. */
export const nameAt = (index: number, zone: string): string => `app${hostAt(index).slice('127'.length)}.${zone}.example`

/** Returns the address in a name, or the shared one. Times out under zones such as `silent.example`. */
async function askNameServers(host: string, { tries }: { tries: number }): Promise<readonly string[]> {
  if (host.endsWith('.shared.example')) return [sharedAddress]
  if (!/\.silent\d*\.example$/.test(host)) return [`8.${host.split('.').slice(1, 4).join('.')}`]
  await after(tries > 1 ? silence.patient : silence.brief)
  throw Object.assign(new Error('No name server answered.'), { code: 'ETIMEOUT' })
}

export const resolve = machineResolve(systemClock.elapsed, { hostsFile: '/nowhere', ask: askNameServers })

/** Redirects connections of this process from 8.0.0.0/8 to 127.0.0.0/8: a benchmark can't reach public addresses. */
export function redirectToLoopback(): void {
  const connect = net.connect
  Object.assign(net, {
    connect: ({ host, ...options }: net.TcpNetConnectOpts, listener?: () => void) =>
      connect({ ...options, ...(host && { host: host.replace(/^8\./, '127.') }) }, listener),
  })
  syncBuiltinESMExports()
}
