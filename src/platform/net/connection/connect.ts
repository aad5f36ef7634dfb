import { isIP, connect as openTcp, type Socket } from 'node:net'
import { createSecureContext, connect as openTls, type SecureContext, TLSSocket } from 'node:tls'
import type { Instant } from '../../../shared/time.ts'
import { connectFailure, type Failure, tlsFailure } from '../failure.ts'
import type { Step } from './deadline.ts'

/** How long one address is tried alone before the next one joins in, ms. */
const stagger = 300

/**
 * Opens a connection to the first of these addresses that accepts one. They must be IP literals: no name is looked up here.
 * Those that may not be tried now are left out.
 */
export const openSocket =
  (addresses: readonly string[], port: number, mayTry: (address: string) => boolean): Step<Socket> =>
  (settle) => {
    const tried = new Set<Socket>()
    const failures: Failure[] = []
    let next = 0
    let over = false
    let timer: NodeJS.Timeout | undefined
    const closeRest = () => {
      over = true
      clearTimeout(timer)
      for (const socket of tried) socket.destroy()
    }
    const attempt = () => {
      clearTimeout(timer)
      while (next < addresses.length && !mayTry(addresses[next]!)) next += 1
      const turn = next++
      const host = addresses[turn]
      if (host === undefined) {
        if (tried.size === 0) settle(failures.find((failure) => failure !== undefined)!)
        return
      }
      const socket = openTcp({ host, port, noDelay: true })
      tried.add(socket)
      socket.once('connect', () => {
        if (over) return
        tried.delete(socket)
        closeRest()
        settle(socket)
      })
      // Never removed: a connection that breaks after it was given up must not end the process.
      socket.on('error', (error) => {
        tried.delete(socket)
        if (over) return
        failures[turn] = connectFailure(error)
        if (next < addresses.length) attempt()
        else if (tried.size === 0) settle(failures[0] ?? failures[turn]!)
      })
      if (next < addresses.length) timer = setTimeout(attempt, stagger)
    }
    attempt()
    return closeRest
  }

let shared: SecureContext | undefined

/** Starts TLS on an open connection, for the host the URL names. */
export const secure =
  (socket: Socket, host: string): Step<TLSSocket> =>
  (settle) => {
    // All connections share one context: building one parses certificates for milliseconds.
    shared ??= createSecureContext()
    const name = host.replace(/\.$/, '')
    const safe = openTls({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      secureContext: shared,
      ALPNProtocols: ['http/1.1'],
    })
    safe.once('secureConnect', () => settle(safe))
    safe.on('error', (error) => settle(tlsFailure(error)))
    return () => safe.destroy()
  }

/** Until when the other side's certificate is valid; nothing of a connection without one. */
export function certificateOf(socket: Socket): { certifiedUntil?: Instant } {
  const certifiedUntil =
    socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.validToDate.getTime() : undefined
  return certifiedUntil === undefined ? {} : { certifiedUntil }
}
