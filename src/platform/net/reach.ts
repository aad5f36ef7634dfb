import { isIP } from 'node:net'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { addressCheck, portOf } from './address.ts'
import type { Deadline } from './deadline.ts'
import { blocked, dnsFailure, type Failure, isFailure, noSuchHost, privateAddress } from './failure.ts'
import { type LookUpOwner, type Resolve, specialName } from './names.ts'

const maxAddresses = 6
/** Unknown names are reported at multiples of this, so that timing does not reveal the names of our own network. */
export const unknownNames = { reportedEvery: seconds(3) }

/** Finds the addresses that may be connected to: IP literals, at least one. The origin `exempt` may have any. */
type ResolveAddresses = (
  url: URL,
  limit: Deadline,
  owner: string,
  exempt?: string,
) => Promise<readonly string[] | Failure>

/** A URL's host without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Why a URL may not be visited, whatever address it has. */
export function improperPart(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `scheme ${url.protocol.slice(0, -1)}`
  return url.username || url.password ? 'username in the URL' : undefined
}

export const needsLookUp = (url: URL): boolean => isIP(hostOf(url)) === 0 && !specialName(hostOf(url))

type Settings = {
  allowPrivateCidrs: readonly string[]
  exempt: readonly string[]
  resolve: Resolve
  now: () => Milliseconds
}

/** Checks every address, whether from a name or from the URL itself; origins in `exempt` may have any address. */
export function addressResolver({ allowPrivateCidrs, exempt, resolve, now }: Settings): ResolveAddresses {
  const objection = addressCheck(allowPrivateCidrs)
  const exemptOrigins = new Set(exempt.map((url) => new URL(url).origin))

  async function addressesOf(host: string, limit: Deadline, by?: Omit<LookUpOwner, 'isWanted'>) {
    if (isIP(host) !== 0) return [host]
    const fixedAddresses = specialName(host)
    if (fixedAddresses) return fixedAddresses
    return limit.step<readonly string[]>((settle) => {
      let isOver = false
      const asker = by && { ...by, isWanted: () => !isOver }
      resolve(host, asker).then(settle, (error) => settle(dnsFailure(error)))
      return () => {
        isOver = true
      }
    })
  }

  function allowedOf(url: URL, found: readonly string[], isExempt: boolean): readonly string[] | Failure {
    if (found.length === 0) return noSuchHost
    const port = portOf(url)
    const objections = new Set<string>()
    const allowed = found.filter((address) => {
      const why = isExempt ? undefined : objection(address, port)
      if (why) objections.add(why)
      return isIP(address) !== 0 && !why
    })
    if (allowed.length === 0 && objections.has('port')) return blocked(`port ${port}`)
    // Don't reveal which names our own network has.
    if (allowed.length === 0) return needsLookUp(url) ? noSuchHost : privateAddress
    // IPv4 first, since many machines have IPv6 addresses but no IPv6 network.
    return allowed.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, maxAddresses)
  }

  return async (url, limit, owner, alsoExempt) => {
    const improper = improperPart(url)
    if (improper) return blocked(improper)
    const isExempt = exemptOrigins.has(url.origin) || url.origin === alsoExempt
    const began = now()
    const { reportedEvery } = unknownNames
    const untilReported = () => reportedEvery - ((now() - began) % reportedEvery)
    // The operator's hosts don't wait for owners' lookups.
    const found = await addressesOf(hostOf(url), limit, isExempt ? undefined : { owner, untilReported })
    const outcome = isFailure(found) ? found : allowedOf(url, found, isExempt)
    if (outcome !== noSuchHost || isExempt || !needsLookUp(url)) return outcome
    return limit.step<Failure>((settle) => {
      const timer = setTimeout(settle, untilReported(), noSuchHost)
      return () => clearTimeout(timer)
    })
  }
}
