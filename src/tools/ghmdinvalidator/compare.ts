import { setTimeout as after } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import { fairQueue } from '../../platform/fair-queue.ts'
import { noSuchHost } from '../../platform/net/failure.ts'
import type { Visitor } from '../../platform/net/outbound.ts'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import type { State } from './contract.ts'
import {
  type Copy,
  type CopyContext,
  cacheHeaders,
  githubCopy,
  githubTimeout,
  type Headers,
  isMissing,
  maxStored,
  type NoCopy,
  originCopy,
} from './copy.ts'
import type { ProxiedImage } from './discover.ts'
import { describeStatus, requestedWait } from './page.ts'

export type Comparison = ImageVerdict & { origin?: Copy; github?: Copy }

/** Limits how many images are fetched and in memory at the same time; owners take turns. */
const turns = fairQueue({ concurrency: 8, leavesRoom: true })
/** Concurrent visits per host: as many as one owner may have there. */
const perHost = 2
const mostTries = 5

/** Limit in base64 characters of a run's pictures in memory: twice what an entry stores, as a purge replaces some. */
const maxInMemory = 2 * maxStored

const timeoutResult: Comparison = { state: 'failed', cause: 'not compared: there was no time left', isUnknown: true }

/** Compares the images of a page, until the time `until` and on behalf of `visitor`. */
export function comparer(context: CopyContext, { visitor, until }: { visitor: Visitor; until: Milliseconds }) {
  const hosts = new Map<string, LimitFunction>()

  const limitPicture = limitPictures()

  const inTurn = (fetchCopy: () => Promise<Copy | NoCopy>): Promise<Copy | NoCopy> =>
    turns.run(visitor.ownerId, async () => {
      const copy = await fetchCopy()
      return isMissing(copy) ? copy : limitPicture(copy)
    })
  const fetchGithub = (camo: string) => inTurn(() => githubCopy(camo, context))

  async function fetchOrigin(address: string): Promise<Copy | NoCopy> {
    for (let tries = 1; ; tries += 1) {
      const visitorNow = tries === 1 ? visitor : { ...visitor, hasWaited: true }
      const copy = await inTurn(() => originCopy(address, context, visitorNow))
      if (!isMissing(copy) || copy.failure !== 'busy' || tries >= mostTries) return copy
      const wait = copy.wait ?? 0
      if (context.elapsed() + wait > until) return copy
      await after(wait)
    }
  }

  async function atHost<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const host = URL.parse(origin)?.host ?? ''
    const limit = hosts.get(host) ?? pLimit(perHost)
    hosts.set(host, limit)
    return limit(work)
  }

  async function compareCopies({ camo, origin: address }: ProxiedImage, judge: typeof verdict): Promise<Comparison> {
    const origin = await fetchOrigin(address)
    if (isMissing(origin)) return verdictOfMissing(origin)
    const alone = verdictOfOrigin(origin, context.now())
    if (alone) return { ...alone, origin }
    const github = await fetchGithub(camo)
    return { ...judge(origin, github, context.now()), origin, ...githubField(github) }
  }

  async function recompareCopies({ camo, origin: address }: ProxiedImage, before: Copy): Promise<Comparison> {
    const github = await fetchGithub(camo)
    const found = verdictAfterPurge(before, github, context.now())
    const both = { origin: before, ...githubField(github) }
    if (found.state !== 'still stale' || isMissing(github)) return { ...found, ...both }
    const origin = await fetchOrigin(address)
    if (isMissing(origin) || isSame(origin, before)) return { ...found, ...both }
    if (isSame(origin, github)) return { ...verdictAfterPurge(origin, github, context.now()), origin, github }
    return { state: 'changing', cause: 'it is a different image at every request', origin, github }
  }

  const isOver = () => context.elapsed() > until
  return {
    isOver,
    compare: (image: ProxiedImage): Promise<Comparison> =>
      atHost(image.origin, async () => (isOver() ? timeoutResult : compareCopies(image, verdict))),
    checkOrigin: (address: string, copy: 'shown as it is' | 'unknown'): Promise<Comparison> =>
      atHost(address, async () => {
        const origin = await fetchOrigin(address)
        return isMissing(origin) ? verdictOfMissing(origin) : verdictWithoutCopy(origin, copy, context.now())
      }),
    /** Compares both copies of an image that was just purged; `before` is the original, if fetched before the purge. */
    afterPurge: (image: ProxiedImage, before?: Copy): Promise<Comparison> =>
      atHost(image.origin, async () => {
        if (isOver()) return timeoutResult
        return before ? recompareCopies(image, before) : compareCopies(image, verdictAfterPurge)
      }),
  }
}
export type Comparer = ReturnType<typeof comparer>

/** Drops pictures that exceed the memory limit, since a page may have a thousand images. */
function limitPictures() {
  const displayByHash = new Map<string, NonNullable<Copy['display']>>()
  let room = maxInMemory
  return ({ display, ...copy }: Copy): Copy => {
    const same = displayByHash.get(copy.hash)
    if (same) return { ...copy, display: same }
    if (!display || display.bytes.length > room) return copy
    room -= display.bytes.length
    displayByHash.set(copy.hash, display)
    return { ...copy, display }
  }
}

const githubField = (github: Copy | NoCopy) => (isMissing(github) ? {} : { github })

type ImageVerdict = {
  state: State
  cause?: string | undefined
  /** The image is broken for every reader: its own URL returns nothing that GitHub would serve. */
  isDead?: true
  /** GitHub's proxy returned no copy that could be compared, and may have requested a wait. */
  proxyFault?: { wait?: Milliseconds | undefined }
  /** There is no result, because of a fault on our side or too many visits to that host. */
  isUnknown?: true
}

const deadVerdict = (cause: string): ImageVerdict => ({ state: 'failed', cause, isDead: true })

/** The verdict from the original alone; undefined if GitHub should have a copy that can be compared. */
function verdictOfOrigin(origin: Copy, now: Instant): ImageVerdict | undefined {
  const { status, type, length, headers, isPicture } = origin
  if (status !== 200) return deadVerdict(`dead address: answered ${status}`)
  if (!type.startsWith('image/')) {
    const typeNote = type === '' ? 'this says no type' : `this is ${type}`
    return deadVerdict(`blocked type: GitHub serves images only, and ${typeNote}`)
  }
  if (length === 0) return deadVerdict('dead address: an empty answer')
  if (!isPicture) return deadVerdict(`not a picture: it says ${type}, but its content is something else`)
  const forbids = describeCachingBan(headers, now)
  if (forbids === undefined) return undefined
  return { state: 'changing', cause: `its server forbids keeping it (${forbids}), so GitHub fetches it anew each time` }
}

function verdictOfMissing({ failure, note }: NoCopy): ImageVerdict {
  if (failure === 'own') return { state: 'changing', cause: `${note}, which GitHub fetches anew each time` }
  if (failure === 'internal' || failure === 'busy') return { state: 'failed', cause: note, isUnknown: true }
  if (failure === 'timeout')
    return deadVerdict(`slower than ${githubTimeout / 1_000} s, which is as long as GitHub waits for an image`)
  if (failure === 'large') return deadVerdict(`too large: ${note}, which GitHub doesn't serve`)
  if (failure === 'private') return deadVerdict("private address: GitHub can't reach it")
  if (failure === 'blocked') return { state: 'failed', cause: `not compared: ${note}` }
  // If a name server doesn't answer, the fault may be ours.
  if (failure === 'dns' && note !== noSuchHost.note) return { state: 'failed', cause: note }
  return deadVerdict(`dead address: ${note}`)
}

function verdict(origin: Copy, github: Copy | NoCopy, now: Instant): ImageVerdict {
  const unusable = verdictOfProxy(github, now)
  if (unusable) return unusable
  if (!isMissing(github) && isSame(origin, github)) return { state: 'current', cause: causeDespiteMatch(origin, now) }
  const why = cachingReason(origin, now)
  return { state: 'stale', cause: why ? `GitHub keeps an older copy: the image's server ${why}` : olderCopyCause }
}
const olderCopyCause = "GitHub keeps an older copy: the image's server doesn't say for how long"

function verdictAfterPurge(origin: Copy, github: Copy | NoCopy, now: Instant): ImageVerdict {
  const found = verdict(origin, github, now)
  if (found.state === 'current') return { ...found, state: 'purged' }
  if (found.state !== 'stale') return found
  if (!isMissing(github) && isError(github)) return { ...found, state: 'still stale' }
  const why = cachingReason(origin, now)
  if (why) return { state: 'still stale', cause: `GitHub got an older copy again: the image's server ${why}` }
  return { state: 'still stale', cause: "GitHub's copy differs from the image even after the purge" }
}

/** The verdict if GitHub's copy can't be compared or is an error; otherwise undefined. */
function verdictOfProxy(github: Copy | NoCopy, now: Instant): ImageVerdict | undefined {
  if (isMissing(github)) {
    const { failure, note } = github
    const isUnknown = failure === 'internal' && { isUnknown: true as const }
    return { state: 'failed', cause: `GitHub's image proxy: ${note}`, proxyFault: {}, ...isUnknown }
  }
  const { status, type, headers } = github
  if (status === 429) {
    const delay = requestedWait(headers['retry-after'], now)
    const cause = `GitHub's image proxy ${describeStatus(status, delay)}`
    return { state: 'failed', cause, proxyFault: { wait: delay.wait } }
  }
  if (status >= 400)
    return { state: 'stale', cause: `an error is cached: GitHub answers ${status} instead of the image` }
  if (status !== 200) return { state: 'failed', cause: `GitHub's image proxy answered ${status}`, proxyFault: {} }
  if (!isError(github)) return undefined
  const what = github.length === 0 ? 'nothing' : type || 'something without a type'
  return { state: 'stale', cause: `an error is cached: GitHub serves ${what} instead of the image` }
}

function verdictWithoutCopy(origin: Copy, copy: 'shown as it is' | 'unknown', now: Instant): ImageVerdict {
  const alone = verdictOfOrigin(origin, now)
  if (alone) return alone
  const why = cachingReason(origin, now)
  const own = why ? `; the image's server ${why}` : ''
  return copy === 'unknown'
    ? { state: 'failed', cause: `not compared: check the GitHub page that shows this image${own}` }
    : { state: 'current', cause: `GitHub shows this image without caching a copy${own}` }
}

const isError = ({ status, type, length }: Copy) => status !== 200 || length === 0 || !type.startsWith('image/')
const isSame = (one: Copy, other: Copy): boolean => one.hash === other.hash && one.type === other.type

/** Why a reader may see an old picture although both copies match. */
function causeDespiteMatch({ headers }: Copy, now: Instant): string | undefined {
  const own = describeOwnCache(headers)
  if (own) return `both copies match, but the image's server ${own}`
  const lifetime = describeCacheLifetime(headers, now)
  return lifetime && `both copies match; a browser may show an older one, as the image's server ${lifetime}`
}

const cachingReason = ({ headers }: Copy, now: Instant) =>
  [describeCacheLifetime(headers, now), describeOwnCache(headers)].filter(Boolean).join(' and ') || undefined

/** The directives of a Cache-Control header in lower case; a directive without a value maps to an empty string. */
function directivesOf(header = ''): Map<string, string> {
  const parts = header.toLowerCase().split(',')
  return new Map(
    parts.map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim(), value.trim().replace(/^"|"$/g, '')]
    }),
  )
}

const wholeSeconds = (text: string | undefined) => (/^\d{1,10}$/.test(text?.trim() ?? '') ? Number(text) : undefined)

/** The directive or header that forbids caching the response, in words; undefined if there is none. */
export function describeCachingBan(headers: Headers, now: Instant): string | undefined {
  const control = directivesOf(headers['cache-control'])
  const directive = ['no-store', 'no-cache', 'private'].find((name) => control.has(name))
  if (directive) return directive
  // In shared caches s-maxage overrides max-age.
  for (const name of ['s-maxage', 'max-age']) {
    const age = wholeSeconds(control.get(name))
    if (age !== undefined) return age === 0 ? `${name}=0` : undefined
  }
  if (headers.pragma?.toLowerCase().includes('no-cache')) return 'Pragma: no-cache'
  const { expires } = headers
  return expires !== undefined && !(Date.parse(expires) > now) ? `Expires: ${expires.slice(0, 40)}` : undefined
}

/** How long caches may keep a response, in words; undefined if its headers don't specify it. */
export function describeCacheLifetime(headers: Headers, now: Instant): string | undefined {
  const control = directivesOf(headers['cache-control'])
  // Browsers ignore s-maxage, so with s-maxage=0 a longer max-age still counts.
  for (const name of ['s-maxage', 'max-age']) {
    const age = wholeSeconds(control.get(name))
    if (age) return `lets caches keep it for ${formatDuration(age)} (${name}=${age})`
  }
  const secondsLeft = Math.round((Date.parse(headers.expires ?? '') - now) / 1_000)
  return secondsLeft > 0 ? `lets caches keep it for ${formatDuration(secondsLeft)} (Expires)` : undefined
}

/** The cache from which the image's own server answers, in words; undefined if its headers show none. */
export function describeOwnCache(headers: Headers): string | undefined {
  const age = wholeSeconds(headers.age)
  if (age) return `answers from its own cache, ${formatDuration(age)} old (Age: ${age})`
  const name = cacheHeaders.find((one) => /\bhit\b|\bstale\b/i.test(headers[one] ?? ''))
  return name && `answers from its own cache (${name}: ${headers[name]?.slice(0, 60)})`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats seconds in the largest unit that fits; days only from two days on. */
export function formatDuration(count: number): string {
  const [unit, length] = units.find(([name, each]) => count >= (name === 'day' ? 2 * each : each)) ?? units[3]
  const number = Math.round(count / length)
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`
}
