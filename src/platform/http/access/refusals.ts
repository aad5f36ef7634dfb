import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { dropForwardedPorts } from './headers.ts'

const refusals = new Set([401, 403, 429])
const longestPath = 200

/** Whether a proxy at this address, so many hops away, may say who it passed on. */
export type Trust = (address: string, hop: number) => boolean

/** Whom to believe in `X-Forwarded-For`: a hop count means that many of the nearest proxies, whatever their addresses. */
export function trustOf({ trustProxy }: Pick<Config, 'trustProxy'>): Trust | false {
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  return trustProxy === false ? false : proxyAddress.compile(trustProxy.flatMap(acceptable))
}

/** The library refuses a range of all addresses, but takes its halves. */
function acceptable(range: string): string[] {
  if (!range.endsWith('/0')) return [range]
  return range.includes(':') ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1']
}

/** The client's address of a request that Fastify doesn't see. */
export function addressOf(request: IncomingMessage, trust: Trust | false): string {
  if (trust === false) return request.socket.remoteAddress ?? ''
  dropForwardedPorts(request)
  return proxyAddress(request, trust)
}

export type Refused = (answer: { status: number; address: string; method: string; url: string }) => void

/** Logs each 401, 403 and 429 in one line that fail2ban can read; the filter in docs/security.md depends on its form. */
export const refusalLog =
  (log: Logger): Refused =>
  ({ status, address, method, url }) => {
    if (!refusals.has(status)) return
    const path = url.split('?', 1)[0]?.slice(0, longestPath)
    log.warn({ status, address, method, path }, 'refused')
  }
