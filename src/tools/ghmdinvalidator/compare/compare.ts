import { setTimeout as after } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import { fairQueue } from '../../../platform/fair-queue.ts'
import type { Visitor } from '../../../platform/net/outbound.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import type { Found } from '../discover.ts'
import { type Copy, type CopyContext, githubCopy, isMissing, maxStored, type NoCopy, originCopy } from './copy.ts'
import {
  isSame,
  type Verdict,
  verdict,
  verdictAfterPurge,
  verdictOfMissing,
  verdictOfOrigin,
  verdictWithoutCopy,
} from './verdict.ts'

/** What was seen of one image: its verdict, and both copies as far as they were there. */
export type Comparison = Verdict & { origin?: Copy; github?: Copy }

/** How many images are fetched, and in memory, at once; all owners take turns. */
const turns = fairQueue({ most: 8, leavesRoom: true })
/** As many visits as one owner may have at an address. */
const perHost = 2
const mostTries = 5

/** The most characters of pictures, which are base64, in memory for a run: twice what an entry stores, as a purge replaces some. */
const maxInMemory = 2 * maxStored

const left: Comparison = { state: 'failed', cause: 'not compared: there was no time left', isUnknown: true }

/** Compares the images of a page until that time; the visits are made on behalf of somebody. */
export function comparer(context: CopyContext, { visitor, until }: { visitor: Visitor; until: Milliseconds }) {
  const hosts = new Map<string, LimitFunction>()

  const hold = limitPictures()

  const inTurn = (fetchCopy: () => Promise<Copy | NoCopy>): Promise<Copy | NoCopy> =>
    turns.run(visitor.ownerId, async () => {
      const copy = await fetchCopy()
      return isMissing(copy) ? copy : hold(copy)
    })
  const fetchGithub = (camo: string) => inTurn(() => githubCopy(camo, context))

  async function fetchOrigin(address: string): Promise<Copy | NoCopy> {
    let asked = visitor
    for (let tries = 1; ; tries += 1) {
      const visit = asked
      const copy = await inTurn(() => originCopy(address, context, visit))
      if (!isMissing(copy) || copy.failure !== 'busy' || tries >= mostTries) return copy
      const wait = copy.wait ?? 0
      if (context.elapsed() + wait > until) return copy
      await after(wait)
      asked = { ...visitor, hasWaited: true }
    }
  }

  /** Does this while few other visits go to the image's server. */
  async function atHost<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const host = URL.parse(origin)?.host ?? ''
    const limit = hosts.get(host) ?? pLimit(perHost)
    hosts.set(host, limit)
    return limit(work)
  }

  async function look({ camo, origin: address }: Found, judge: typeof verdict): Promise<Comparison> {
    const origin = await fetchOrigin(address)
    if (isMissing(origin)) return verdictOfMissing(origin)
    const alone = verdictOfOrigin(origin, context.now())
    if (alone) return { ...alone, origin }
    const github = await fetchGithub(camo)
    return { ...judge(origin, github, context.now()), origin, ...there(github) }
  }

  /** Looks once more at an image that was stale before it was purged. */
  async function lookAgain({ camo, origin: address }: Found, before: Copy): Promise<Comparison> {
    const github = await fetchGithub(camo)
    const found = verdictAfterPurge(before, github, context.now())
    const both = { origin: before, ...there(github) }
    if (found.state !== 'still stale' || isMissing(github)) return { ...found, ...both }
    const origin = await fetchOrigin(address)
    if (isMissing(origin) || isSame(origin, before)) return { ...found, ...both }
    if (isSame(origin, github)) return { ...verdictAfterPurge(origin, github, context.now()), origin, github }
    return { state: 'changing', cause: 'it is another picture at every request', origin, github }
  }

  const isOver = () => context.elapsed() > until
  return {
    isOver,
    /** Compares both copies. */
    compare: (image: Found): Promise<Comparison> =>
      atHost(image.origin, async () => (isOver() ? left : look(image, verdict))),
    /** Looks at an image of which GitHub has no copy that we know. */
    lookAtOrigin: (address: string, copy: 'shown as it is' | 'unknown'): Promise<Comparison> =>
      atHost(address, async () => {
        const origin = await fetchOrigin(address)
        return isMissing(origin) ? verdictOfMissing(origin) : verdictWithoutCopy(origin, copy, context.now())
      }),
    /** Compares both copies of an image that was just purged; `before` is the image if it was fetched for that. */
    afterPurge: (image: Found, before?: Copy): Promise<Comparison> =>
      atHost(image.origin, async () => {
        if (isOver()) return left
        return before ? lookAgain(image, before) : look(image, verdictAfterPurge)
      }),
  }
}
export type Comparer = ReturnType<typeof comparer>

/** Drops the pictures for which there is no room: a page may have a thousand images. */
function limitPictures() {
  const held = new Map<string, NonNullable<Copy['display']>>()
  let room = maxInMemory
  return ({ display, ...copy }: Copy): Copy => {
    const same = held.get(copy.hash)
    if (same) return { ...copy, display: same }
    if (!display || display.bytes.length > room) return copy
    room -= display.bytes.length
    held.set(copy.hash, display)
    return { ...copy, display }
  }
}

const there = (github: Copy | NoCopy) => (isMissing(github) ? {} : { github })
