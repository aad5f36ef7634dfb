import { setTimeout as after } from 'node:timers/promises'
import pLimit from 'p-limit'
import * as z from 'zod/mini'
import { jsonIn } from '../../../platform/body.ts'
import { singleFlight } from '../../../shared/async.ts'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { Comparison } from '../compare.ts'
import type { Found } from '../discover.ts'
import { answered, askedWait, type PageContext } from '../page.ts'

/**
 * How an attempt to purge one image ended: purged, fresh because any entry purged it minutes ago, kept because it was no
 * older than the image itself, or failed. `seen` is how both copies compared, if they were.
 */
export type Attempt = { seen?: Comparison } & (
  | { outcome: 'purged' | 'fresh' | 'kept' }
  | {
      outcome: 'failed'
      note: string
      wait?: Milliseconds
      /** The trouble was ours: nothing is known about the image. */
      internal?: true
    }
)
export type Purged = { camo: string; origin: string; outcome: Attempt['outcome']; note?: string; seen?: Comparison }
export type Purges = {
  images: Purged[]
  /** The first image on the page that failed, and why. */
  first?: { origin: string; note: string }
  /** How long GitHub asks us to wait, if that is longer than a run may wait. */
  wait?: Milliseconds
  /** The trouble was ours, in words. */
  internal?: string
}

export const concurrency = 4
const timeout = seconds(10)
const beforeRetry = seconds(1)
/** A run leaves what is not done by then for the next. */
const longestRun = minutes(5)

export async function purgeAll(
  found: readonly Found[],
  { elapsed }: Pick<PageContext, 'elapsed'>,
  purge: (image: Found, mayTry: boolean) => Promise<Attempt>,
): Promise<Purges> {
  const until = elapsed() + longestRun
  const ending: Pick<Purges, 'wait' | 'internal'> = {}

  async function one(image: Found): Promise<Purged> {
    const mayTry = ending.internal === undefined && ending.wait === undefined && elapsed() <= until
    const attempt = await purge(image, mayTry)
    const { outcome, seen } = attempt
    const ended = { ...image, outcome, ...(seen && { seen }) }
    if (attempt.outcome !== 'failed') return ended
    const { note, wait, internal } = attempt
    if (wait !== undefined) ending.wait = Math.max(ending.wait ?? 0, wait)
    if (internal) ending.internal = note
    return { ...ended, note }
  }

  const images = await pLimit(concurrency).map(found, one)
  const first = firstFailed(images)
  return { images, ...ending, ...(first ? { first } : {}) }
}

/** An image that was tried says more than one that was left out. */
function firstFailed(images: readonly Purged[]) {
  const failed = images.flatMap(({ origin, note }) => (note === undefined ? [] : [{ origin, note }]))
  return failed.find(({ note }) => note !== leftOut.note) ?? failed[0]
}

/** An image that this run no longer purges. */
export const leftOut = { outcome: 'failed', note: 'left for the next run' } as const

/** What this process is purging right now, by the image's URL. */
const underWay = singleFlight<Attempt>()

/** Makes this attempt, unless the same image is already being purged: then waits for that, after which it is fresh. */
export async function oneAtATime(camo: string, attempt: () => Promise<Attempt>): Promise<Attempt> {
  let isMine = false
  const ended = await underWay(camo, () => {
    isMine = true
    return attempt()
  })
  return isMine || ended.outcome !== 'purged' ? ended : { outcome: 'fresh' }
}

/** Asks the proxy to purge this image, and a second time if the answer asks for that. */
export async function purge(camo: string, context: PageContext): Promise<Attempt> {
  const first = await ask(camo, context)
  if (!('again' in first)) return first
  await after(first.again)
  return ask(camo, context)
}

async function ask(camo: string, context: PageContext): Promise<Attempt | (Attempt & { again: Milliseconds })> {
  // No redirect is followed: only the proxy is ever asked to purge.
  const answer = await context.outbound.request(camo, { method: 'PURGE', timeout, maxBytes: 10_000 })
  if (!answer.answered)
    return { outcome: 'failed', note: answer.note, ...(answer.failure === 'internal' ? { internal: true } : {}) }
  const { status, headers } = answer
  if (status >= 200 && status < 300) return Ok.safeParse(jsonIn(answer.body)).success ? { outcome: 'purged' } : notOk
  if (status !== 429 && status < 500) return { outcome: 'failed', note: `answered ${status}` }
  const asked = askedWait(headers['retry-after'], context.now())
  const note = answered(status, asked)
  return 'wait' in asked
    ? { outcome: 'failed', note, ...asked }
    : { outcome: 'failed', note, again: beforeRetry, ...asked }
}

const notOk: Attempt = { outcome: 'failed', note: 'unexpected answer' }
/** Only a 2xx that says this is a purge. */
const Ok = z.object({ status: z.literal('ok') })
