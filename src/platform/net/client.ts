import { isIP, type Socket } from 'node:net'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import { parseUrl } from '../../shared/urls/parse-url.ts'
import { growingBuffer } from '../body.ts'
import { inRanges, isBlockedPort, plainAddress, portOf } from './address.ts'
import { type Deadline, deadline } from './deadline.ts'
import {
  answerHasBody,
  certificateOf,
  type Message,
  messageOf,
  openSocket,
  readBody,
  send,
  startTls,
} from './exchange.ts'
import {
  bodyTooLarge,
  busy,
  type Failure,
  internal,
  isFailure,
  malformed,
  noSuchHost,
  privateAddress,
  stopped,
  tooManyRedirects,
} from './failure.ts'
import { machineResolve, type Resolve } from './names.ts'
import type { Outbound, OutboundAnswer, OutboundRequest, Visitor } from './outbound.ts'
import { addressResolver, hostOf, improperPart, needsLookUp, unknownNames } from './reach.ts'
import { type PermitScope, type VisitPermits, visitPermits, type WaitOptions } from './visit-limits.ts'

const refuseTimeout: Milliseconds = 2_000
/** How long a visit waits for a permit; longer on a redirect, because a retry repeats all earlier requests. */
const longestWait = { atFirst: seconds(1), onRedirect: seconds(5) }
const nothing = new Uint8Array()

export type OutboundSettings = {
  /** Private ranges that may be visited, on any port. */
  allowPrivateCidrs: readonly string[]
  /** URLs that the operator configured; their origins may have any address. */
  exempt: readonly string[]
  resolve?: Resolve
  /** Measures durations; never jumps. */
  elapsed: () => Milliseconds
  /** The time that servers' dates are compared with. */
  now: () => Instant
  /** Called with the host and port that sent a response, for redirects too. */
  onAnswer?: (host: string) => void
  version: string
  baseUrl: string
}

/** The only client for user-entered URLs: it visits public addresses, and private ones that the operator allows. */
export function outbound(settings: OutboundSettings): Outbound {
  const { elapsed, allowPrivateCidrs, exempt, resolve = machineResolve(settings.elapsed) } = settings
  const addressesOf = addressResolver({ allowPrivateCidrs, exempt, resolve, now: elapsed })
  const userAgent = `ToolBox/${settings.version.split('.', 2).join('.')} (+${settings.baseUrl})`
  const permits = visitPermits(elapsed)
  const inFlight = new Set<Deadline>()
  let closed = false

  const since = (began: Milliseconds, limit: Deadline, unit = 1): Milliseconds =>
    Math.max(0, Math.round((elapsed() - began - limit.untimedFor()) / unit) * unit)

  const exemptOrigins = new Set(exempt.map((url) => new URL(url).origin))
  const isAllowed = inRanges(allowPrivateCidrs)
  const isExempt = (url: URL, address: string) => exemptOrigins.has(url.origin) || isAllowed(address)

  function permitFor(url: URL, visitor: Visitor | undefined, limit: Deadline, followed: number): VisitPermit {
    if (!visitor) return unlimitedPermit
    const isFirst = followed === 0
    const wait = isFirst ? longestWait.atFirst : longestWait.onRedirect
    const waitOptions = { wait, hasWaited: !isFirst || visitor.hasWaited === true }
    return limitedPermit(permits, { url, visitor, isExempt, limit, waitOptions })
  }

  async function connect(
    url: URL,
    visitor: Visitor | undefined,
    limit: Deadline,
    permit: VisitPermit,
    exempt?: string,
  ): Promise<Socket | Failure> {
    const addresses = await addressesOf(url, limit, visitor?.ownerId ?? '', exempt)
    if (isFailure(addresses)) return addresses
    const denied = await permit.acquire(addresses[0]!)
    if (denied) return denied
    const socket = await limit.step(openSocket(addresses, portOf(url), permit.mayTry))
    if (isFailure(socket) || url.protocol === 'http:') return socket
    const tlsSocket = await limit.step(startTls(socket, hostOf(url)))
    if (isFailure(tlsSocket)) socket.destroy()
    return tlsSocket
  }

  async function visit(start: string, options: OutboundRequest, limit: Deadline, began: Milliseconds) {
    const { redirects = 0, maxBytes = 0, partialBody = false } = options
    let url = new URL(start)
    let certified: { certifiedUntil?: Instant } = {}
    let message = messageOf(options, userAgent)
    const cookies = cookieJar(settings.now)
    for (let followed = 0; ; followed += 1) {
      const permit = permitFor(url, options.visitor, limit, followed)
      const socket = await connect(url, options.visitor, limit, permit, options.exempt)
      if (isFailure(socket)) {
        permit.release()
        return socket
      }
      if (options.reportsCertificate && followed === 0) certified = certificateOf(socket)
      try {
        const answer = await limit.step(send(socket, url, message))
        if (isFailure(answer)) return answer
        settings.onAnswer?.(url.host)
        const { status, headers } = answer
        const next = redirects > 0 ? redirectOf(status, headers.location, url) : undefined
        if (next === undefined) {
          const duration = since(began, limit)
          const pieces = growingBuffer()
          const wanted = maxBytes > 0 && answerHasBody(message.method, status)
          const read = wanted ? await limit.step(readBody(answer, pieces, maxBytes)) : nothing
          if (isFailure(read) && !partialBody) return read
          const isBroken = isFailure(read) && read.note !== bodyTooLarge(maxBytes).note
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
        message = { ...redirectMessage(message, status, url, next), cookie: cookies.headerFor(next) }
        url = next
      } finally {
        // Connections are never reused; unread data is dropped.
        socket.destroy()
        permit.release()
      }
    }
  }

  /** Runs the work, which `close` can stop; an exception becomes an `internal` failure. */
  async function runWithin<T>(limit: Deadline, work: () => Promise<T>): Promise<T | Failure> {
    inFlight.add(limit)
    try {
      return closed ? stopped : await work()
    } catch (error) {
      return internal(error)
    } finally {
      inFlight.delete(limit)
      limit.clear()
    }
  }

  return {
    async refusalReason(text, ownerId) {
      const url = URL.parse(text)
      if (!url) return 'Enter a full URL, such as https://app.example.com/health.'
      if (improperPart(url)) return 'Enter an http:// or https:// URL without a username and password.'
      const port = portOf(url)
      // A name can be refused here only for its port: its addresses are checked on each visit.
      if (needsLookUp(url) && !isBlockedPort(port)) return undefined
      const limit = deadline(refuseTimeout, elapsed)
      const found = await addressesOf(url, limit, ownerId).finally(limit.clear)
      if (!isFailure(found)) return undefined
      if (found === privateAddress)
        return 'This address is private, and ToolBox only visits public ones. The operator of this server can allow it with ALLOW_PRIVATE_CIDRS.'
      return isBlockedPort(port) ? `Port ${port} is not allowed.` : undefined
    },

    async request(url, options): Promise<OutboundAnswer> {
      const began = elapsed()
      const limit = deadline(options.timeout, elapsed)
      const outcome = await runWithin(limit, () => visit(url, options, limit, began))
      if (!isFailure(outcome)) return outcome
      const duration = since(began, limit, outcome === noSuchHost ? unknownNames.reportedEvery : 1)
      return { answered: false, ...outcome, duration }
    },

    async hold(url, { visitor, timeout, protocol, time }) {
      const limit = deadline(timeout + time, elapsed)
      const outcome = await runWithin(limit, async () => {
        const target = new URL(url)
        const permit = permitFor(target, visitor, limit, 0)
        let socket: Socket | Failure | undefined
        try {
          // Rarely needed, so loaded on first use.
          const { holdWebSocket } = await import('./websocket.ts')
          socket = await connect(target, visitor, limit, permit)
          if (isFailure(socket)) return socket
          return await limit.step(holdWebSocket(socket, target, { protocol, time, userAgent }))
        } finally {
          if (socket && !isFailure(socket)) socket.destroy()
          permit.release()
        }
      })
      return isFailure(outcome) ? { held: false, ...outcome } : outcome
    },

    async close() {
      closed = true
      for (const limit of inFlight) limit.stop()
    },
  }
}

/** Permission for one connection of a visit, and for the further addresses that it tries. */
type VisitPermit = {
  /** Waits briefly for a permit to visit this address. */
  acquire(address: string): Promise<Failure | undefined>
  /** Takes a permit for this address too, if one is free now; returns whether there is one. */
  mayTry(address: string): boolean
  release(): void
}

/** The worker runs only a few of an owner's visits to one host at a time, so all of them can wait in line. */
const exemptWait: WaitOptions = { wait: seconds(10), hasWaited: true }

const unlimitedPermit: VisitPermit = { acquire: async () => undefined, mayTry: () => true, release() {} }

function limitedPermit(
  permits: VisitPermits,
  { url, visitor, isExempt, limit, waitOptions }: PermitOptions,
): VisitPermit {
  const acquired = new Map<string, () => void>()
  let first: string | undefined
  const scopeOf = (address: string): PermitScope =>
    isExempt(url, address)
      ? { name: `${url.hostname}:${portOf(url)}`, hasRate: false }
      : { name: `${visitor.ownerId} ${plainAddress(address)}`, hasRate: true }

  const mayTry = (address: string) => {
    if (address === first) return true
    const scope = scopeOf(address)
    const releaseOne = acquired.get(scope.name) ?? permits.tryAcquire(scope)
    if (releaseOne) acquired.set(scope.name, releaseOne)
    return releaseOne !== undefined
  }
  const wait = (scope: PermitScope, waitOptions: WaitOptions) =>
    limit.untimed<(() => void) | Milliseconds>((settle) => {
      let isOver = false
      const request = permits.acquire(scope, waitOptions)
      void request.acquired.then((outcome) => {
        if (isOver && typeof outcome !== 'number') outcome()
        else settle(outcome)
      })
      return () => {
        isOver = true
        request.giveUp()
      }
    })

  return {
    async acquire(address) {
      const scope = scopeOf(address)
      const scopeWait = scope.hasRate ? waitOptions : exemptWait
      const releaseOne = permits.acquireNow(scope, scopeWait) ?? (await wait(scope, scopeWait))
      if (typeof releaseOne === 'number') return busy(releaseOne)
      if (isFailure(releaseOne)) return releaseOne
      acquired.set(scope.name, releaseOne)
      first = address
      return undefined
    },
    mayTry,
    release() {
      for (const releaseOne of acquired.values()) releaseOne()
      acquired.clear()
    },
  }
}

type PermitOptions = {
  url: URL
  visitor: Visitor
  isExempt: (url: URL, address: string) => boolean
  limit: Deadline
  waitOptions: WaitOptions
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])
// Headers that another origin may receive: an allow-list, since any other header may contain a secret.
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

/** The target of a redirect: undefined if the response is not one, 'malformed' if the target is not a URL. */
export function redirectOf(status: number, location: string | undefined, from: URL): URL | 'malformed' | undefined {
  if (!redirectStatuses.has(status) || !location) return undefined
  // Headers are read as Latin-1: each such character is one byte, which browsers percent-encode unchanged.
  const encoded = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  return parseUrl(encoded, from.href) ?? 'malformed'
}

/** The request that follows a redirect, changed as browsers do, without private data if the origin differs. */
function redirectMessage(message: Message, status: number, from: URL, to: URL): Message {
  const sameOrigin = from.origin === to.origin
  const becomesGet =
    (status === 303 && message.method !== 'HEAD') || ((status === 301 || status === 302) && message.method === 'POST')
  const keepsBody = sameOrigin && !becomesGet
  const headers = Object.entries(message.headers).filter(([name]) =>
    sameOrigin ? keepsBody || !name.startsWith('content-') : harmless.has(name),
  )
  return {
    method: becomesGet ? 'GET' : message.method,
    headers: Object.fromEntries(headers),
    own: sameOrigin ? message.own : {},
    body: keepsBody ? message.body : undefined,
  }
}

const mostCookies = 50
const longestCookie = 4_096

type Cookie = { text: string; isGone: boolean; fits: (to: URL) => boolean }

/** Keeps a visit's cookies as browsers do (RFC 6265): without them, some sites redirect to themselves forever. */
export function cookieJar(now: () => Instant) {
  const cookies = new Map<string, Cookie>()
  return {
    keep(from: URL, lines: readonly string[]): void {
      for (const line of lines) {
        const [id, cookie] = parseSetCookie(line, from, now()) ?? []
        if (id === undefined || !cookie) continue
        if (cookie.isGone) cookies.delete(id)
        else if (cookies.has(id) || cookies.size < mostCookies) cookies.set(id, cookie)
      }
    },
    headerFor: (to: URL): string | undefined =>
      [...cookies.values()]
        .filter(({ fits }) => fits(to))
        .map(({ text }) => text)
        .join('; ') || undefined,
  }
}

/** A parsed Set-Cookie header, with its identity (name, domain, path); undefined if this URL may not set it. */
function parseSetCookie(line: string, from: URL, now: Instant): [id: string, Cookie] | undefined {
  const [pair = '', ...parts] = line.split(';').map((part) => part.trim())
  const attributes = new Map(
    parts.map((part) => splitAtEquals(part)).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const [name, value] = pair.includes('=') ? splitAtEquals(pair) : ['', pair]
  const text = name ? `${name}=${value}` : value
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header may hold them
  if (!text || text.length > longestCookie || /[\0-\x1f\x7f]/.test(text)) return undefined
  const host = from.hostname
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase()
  const isOfDomain = domain !== '' && isIP(host) === 0 && domain.includes('.') && isWithin(host, domain)
  if (domain && domain !== host && !isOfDomain) return undefined
  const isSecure = attributes.has('secure')
  if (isSecure && from.protocol !== 'https:') return undefined
  const pathAttribute = attributes.get('path') ?? ''
  const path = pathAttribute.startsWith('/') ? pathAttribute : from.pathname.replace(/\/[^/]*$/, '') || '/'
  const maxAge = attributes.get('max-age') ?? ''
  const isGone = /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get('expires') ?? '') <= now
  const fits = (to: URL) =>
    (isOfDomain ? isWithin(to.hostname, domain) : to.hostname === host) &&
    isUnder(to.pathname, path) &&
    (!isSecure || to.protocol === 'https:')
  return [JSON.stringify([name, isOfDomain ? domain : host, path]), { text, isGone, fits }]
}

function splitAtEquals(part: string): [name: string, value: string] {
  const [name = '', ...value] = part.split('=')
  return [name.trim(), value.join('=').trim()]
}

const isWithin = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)
const isUnder = (pathname: string, path: string) =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
