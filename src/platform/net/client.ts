import type { Socket } from 'node:net'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import { joinPieces } from '../body.ts'
import { inRanges, isBlockedPort, portOf } from './address.ts'
import { certificateOf, openSocket, secure } from './connection/connect.ts'
import { type Deadline, deadline } from './connection/deadline.ts'
import { answerHasBody, messageOf, readBody, send } from './connection/exchange.ts'
import {
  bodyOver,
  type Failure,
  internal,
  isFailure,
  malformed,
  noSuchHost,
  privateAddress,
  stopped,
  tooManyRedirects,
} from './failure.ts'
import { machineResolve, type Resolve } from './names/names.ts'
import type { Outbound, OutboundAnswer, OutboundRequest, Visitor } from './outbound.ts'
import { hostOf, improperPart, needsLookUp, reach, toldEvery } from './reach.ts'
import { cookieJar, redirected, redirectOf } from './redirect.ts'
import { freeHop, type Hop, limitedHop } from './visits/hop.ts'
import { visitPlaces } from './visits/places.ts'

const refuseTimeout: Milliseconds = 2_000
/** How long a visit waits for a place; on a redirect longer, since all of it would be done again. */
const longestWait = { atFirst: seconds(1), onRedirect: seconds(5) }
const nothing = new Uint8Array()

export type OutboundSettings = {
  /** Private ranges that may be visited, on any port. */
  allowPrivateCidrs: readonly string[]
  /** URLs the operator configured; their origins may have any address. */
  exempt: readonly string[]
  /** How names become addresses; by default as the machine does it. */
  resolve?: Resolve
  now: () => Instant
  /** Called with the host and port of every answer, redirects included. */
  onAnswer?: (host: string) => void
  version: string
  baseUrl: string
}

/** The only client for addresses that people enter: it visits public ones, and those the operator allows. */
export function outbound(settings: OutboundSettings): Outbound {
  const { now, allowPrivateCidrs, exempt, resolve = machineResolve(settings.now) } = settings
  const addressesOf = reach({ allowPrivateCidrs, exempt, resolve, now })
  const userAgent = `ToolBox/${settings.version.split('.', 2).join('.')} (+${settings.baseUrl})`
  const places = visitPlaces(now)
  const inFlight = new Set<Deadline>()
  let closed = false

  const since = (began: Instant, limit: Deadline, unit = 1): Milliseconds =>
    Math.max(0, Math.round((now() - began - limit.untimedFor()) / unit) * unit)

  const exemptOrigins = new Set(exempt.map((url) => new URL(url).origin))
  const isAllowed = inRanges(allowPrivateCidrs)
  const isExempt = (url: URL, address: string) => exemptOrigins.has(url.origin) || isAllowed(address)

  function hopTo(url: URL, visitor: Visitor | undefined, limit: Deadline, followed: number): Hop {
    if (!visitor) return freeHop
    const isFirst = followed === 0
    const wait = isFirst ? longestWait.atFirst : longestWait.onRedirect
    const patience = { wait, hasWaited: !isFirst || visitor.hasWaited === true }
    return limitedHop(places, { url, visitor, isExempt, limit, patience })
  }

  async function connect(
    url: URL,
    { visitor, exempt }: OutboundRequest,
    limit: Deadline,
    hop: Hop,
  ): Promise<Socket | Failure> {
    const addresses = await addressesOf(url, limit, visitor?.ownerId ?? '', exempt)
    if (isFailure(addresses)) return addresses
    const crowded = await hop.enter(addresses[0]!)
    if (crowded) return crowded
    const socket = await limit.step(openSocket(addresses, portOf(url), hop.mayTry))
    if (isFailure(socket) || url.protocol === 'http:') return socket
    const safe = await limit.step(secure(socket, hostOf(url)))
    if (isFailure(safe)) socket.destroy()
    return safe
  }

  async function visit(start: string, options: OutboundRequest, limit: Deadline, began: Instant) {
    const { redirects = 0, maxBytes = 0, partialBody = false } = options
    let url = new URL(start)
    let certified: { certifiedUntil?: Instant } = {}
    let message = messageOf(options, userAgent)
    const cookies = cookieJar(now)
    for (let followed = 0; ; followed += 1) {
      const hop = hopTo(url, options.visitor, limit, followed)
      const socket = await connect(url, options, limit, hop)
      if (isFailure(socket)) {
        hop.leave()
        return socket
      }
      if (options.tellsCertificate && followed === 0) certified = certificateOf(socket)
      try {
        const answer = await limit.step(send(socket, url, message))
        if (isFailure(answer)) return answer
        settings.onAnswer?.(url.host)
        const { status, headers } = answer
        const next = redirects > 0 ? redirectOf(status, headers.location, url) : undefined
        if (next === undefined) {
          const duration = since(began, limit)
          const pieces = joinPieces()
          const wanted = maxBytes > 0 && answerHasBody(message.method, status)
          const read = wanted ? await limit.step(readBody(answer, pieces, maxBytes)) : nothing
          if (isFailure(read) && !partialBody) return read
          const isBroken = isFailure(read) && read.note !== bodyOver(maxBytes).note
          return {
            answered: true as const,
            status,
            headers,
            body: wanted ? pieces.whole().subarray(0, maxBytes) : nothing,
            ...(isBroken && { brokenOff: read }),
            url: url.href,
            duration,
            ...certified,
          }
        }
        if (next === 'malformed') return malformed
        if (followed >= redirects) return tooManyRedirects
        cookies.keep(url, answer.setCookies)
        message = { ...redirected(message, status, url, next), cookie: cookies.headerFor(next) }
        url = next
      } finally {
        // No connection is kept; whatever was not read is dropped.
        socket.destroy()
        hop.leave()
      }
    }
  }

  return {
    async refuse(text, ownerId) {
      const url = URL.parse(text)
      if (!url) return 'Enter a full URL, such as https://app.example.com/health.'
      if (improperPart(url)) return 'Enter an http:// or https:// URL without a username and password.'
      const port = portOf(url)
      // Whatever address a name has, only its port may be refused now: the visit decides about the rest.
      if (needsLookUp(url) && !isBlockedPort(port)) return undefined
      const limit = deadline(refuseTimeout, undefined, now)
      const found = await addressesOf(url, limit, ownerId).finally(limit.clear)
      if (!isFailure(found)) return undefined
      if (found === privateAddress)
        return 'This address is private, and ToolBox only visits public ones. The operator of this server can allow it with ALLOW_PRIVATE_CIDRS.'
      return isBlockedPort(port) ? `Port ${port} is not allowed.` : undefined
    },

    async request(url, options): Promise<OutboundAnswer> {
      const began = now()
      if (closed) return { answered: false, ...stopped, duration: 0 }
      const limit = deadline(options.timeout, options.signal, now)
      inFlight.add(limit)
      try {
        const outcome = await visit(url, options, limit, began)
        if (!isFailure(outcome)) return outcome
        return { answered: false, ...outcome, duration: since(began, limit, outcome === noSuchHost ? toldEvery : 1) }
      } catch (error) {
        return { answered: false, ...internal(error), duration: since(began, limit) }
      } finally {
        inFlight.delete(limit)
        limit.clear()
      }
    },

    async close() {
      closed = true
      for (const limit of inFlight) limit.stop()
    },
  }
}
