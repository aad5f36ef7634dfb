import { isIP } from 'node:net'
import { gate, portOf } from './address.ts'
import type { Deadline } from './connection/deadline.ts'
import { blocked, dnsFailure, type Failure, isFailure, noSuchHost, privateAddress } from './failure.ts'
import { type Resolve, specialName } from './names/names.ts'

const maxAddresses = 6

/** Finds the addresses of a URL that may be connected to: IP literals, at least one. Names are looked up in the owner's turn; the origin `exempt` may have any address, too. */
type Reach = (url: URL, limit: Deadline, owner: string, exempt?: string) => Promise<readonly string[] | Failure>

/** A URL's host without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Why a URL may not be visited, whatever address it has. */
export function improperPart(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `scheme ${url.protocol.slice(0, -1)}`
  return url.username || url.password ? 'username in the URL' : undefined
}

/** Whether this URL's host has to be looked up. */
export const needsLookUp = (url: URL): boolean => isIP(hostOf(url)) === 0 && !specialName(hostOf(url))

/** Checks every address, whether it comes from a name or from the URL itself; origins in `exempt` may have any address. */
export function reach(allowPrivateCidrs: readonly string[], exempt: readonly string[], resolve: Resolve): Reach {
  const objection = gate(allowPrivateCidrs)
  const exemptOrigins = new Set(exempt.map((url) => new URL(url).origin))

  async function addressesOf(host: string, limit: Deadline, owner?: string): Promise<readonly string[] | Failure> {
    if (isIP(host) !== 0) return [host]
    const known = specialName(host)
    if (known) return known
    return limit.step<readonly string[]>((settle) => {
      let isOver = false
      const asker = owner === undefined ? undefined : { owner, isWanted: () => !isOver }
      resolve(host, asker).then(settle, (error) => settle(dnsFailure(error)))
      return () => {
        isOver = true
      }
    })
  }

  return async (url, limit, owner, alsoExempt) => {
    const improper = improperPart(url)
    if (improper) return blocked(improper)
    const isExempt = exemptOrigins.has(url.origin) || url.origin === alsoExempt
    // The operator's hosts wait for nobody.
    const found = await addressesOf(hostOf(url), limit, isExempt ? undefined : owner)
    if (isFailure(found)) return found
    if (found.length === 0) return noSuchHost
    const port = portOf(url)
    const objections = new Set<string>()
    const allowed = found.filter((address) => {
      const why = isExempt ? undefined : objection(address, port)
      if (why) objections.add(why)
      return isIP(address) !== 0 && !why
    })
    if (allowed.length === 0 && objections.has('port')) return blocked(`port ${port}`)
    // Nobody learns which names our own network has.
    if (allowed.length === 0) return needsLookUp(url) ? noSuchHost : privateAddress
    // IPv4 first, since many machines have IPv6 addresses but no IPv6 network.
    return allowed.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, maxAddresses)
  }
}
