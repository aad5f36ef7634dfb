import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { systemClock } from '../../src/platform/clock.ts'
import { machineResolve } from '../../src/platform/net/names.ts'
import { seconds } from '../../src/shared/time.ts'
import { hostAt } from '../stage/hosts.ts'

/** The address that all names under `shared.example` have. */
const sharedAddress = '8.255.0.1'
/** How long the program asks name servers that don't answer: in three tries, or in one. */
const silence = { patient: seconds(8), brief: seconds(1) }

/** A name for each entry, from which `indexOf` reads the entry again: `app.1.0.7.own.example`. */
export const nameAt = (index: number, zone: string): string => `app${hostAt(index).slice('127'.length)}.${zone}.example`

/** The address that a name says, the shared one, or silence: under `silent.example`, and under zones such as `silent7.example`. */
async function askNameServers(host: string, { tries }: { tries: number }): Promise<readonly string[]> {
  if (host.endsWith('.shared.example')) return [sharedAddress]
  if (!/\.silent\d*\.example$/.test(host)) return [`8.${host.split('.').slice(1, 4).join('.')}`]
  await after(tries > 1 ? silence.patient : silence.brief)
  throw Object.assign(new Error('No name server answered.'), { code: 'ETIMEOUT' })
}

/** Names as the program finds them, by these name servers. */
export const resolve = machineResolve(systemClock.elapsed, { hostsFile: '/nowhere', ask: askNameServers })

/** Public addresses can't be reached from a benchmark, so from this process 8.0.0.0/8 leads to 127.0.0.0/8. */
export function leadToLoopback(): void {
  const connect = net.connect
  Object.assign(net, {
    connect: ({ host, ...options }: net.TcpNetConnectOpts, listener?: () => void) =>
      connect({ ...options, ...(host && { host: host.replace(/^8\./, '127.') }) }, listener),
  })
  syncBuiltinESMExports()
}
