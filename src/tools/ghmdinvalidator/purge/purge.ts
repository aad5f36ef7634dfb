import { setTimeout as after } from 'node:timers/promises'
import pLimit from 'p-limit'
import * as z from 'zod/mini'
import { parseJson } from '../../../platform/body.ts'
import { singleFlight } from '../../../shared/async.ts'
import { type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import type { Comparison } from '../compare.ts'
import type { ProxiedImage } from '../discover.ts'
import { describeStatus, type PageContext, requestedWait } from '../page.ts'

/** `fresh`: any entry purged the image minutes ago. `kept`: not stale. `seen`: the comparison, if there was one. */
export type Attempt = { seen?: Comparison | undefined } & (
  | { outcome: 'purged' | 'fresh' | 'kept' }
  | {
      outcome: 'failed'
      note: string
      wait?: Milliseconds | undefined
      /** The fault was ours, so nothing is known about the image. */
      internal?: true
    }
)
export type PurgeResult = ProxiedImage & Pick<Attempt, 'outcome' | 'seen'> & { note?: string }
export type PurgeSummary = {
  images: PurgeResult[]
  first: { origin: string; note: string } | undefined
  /** The wait that GitHub requested, if it is longer than a run may wait. */
  wait?: Milliseconds
  internal?: string
}

export const concurrency = 4
const timeout = seconds(10)
const retryDelay = seconds(1)
/** After this time a run leaves the remaining images to the next run. */
const longestRun = minutes(5)

export async function purgeAll(
  found: readonly ProxiedImage[],
  { elapsed }: Pick<PageContext, 'elapsed'>,
  attemptPurge: (image: ProxiedImage, mayTry: boolean) => Promise<Attempt>,
): Promise<PurgeSummary> {
  const until = elapsed() + longestRun
  const stopReason: Pick<PurgeSummary, 'wait' | 'internal'> = {}

  async function purgeOne(image: ProxiedImage): Promise<PurgeResult> {
    const mayTry = stopReason.internal === undefined && stopReason.wait === undefined && elapsed() <= until
    const attempt = await attemptPurge(image, mayTry)
    const { outcome, seen } = attempt
    if (attempt.outcome !== 'failed') return { ...image, outcome, seen }
    const { note, wait, internal } = attempt
    if (wait !== undefined) stopReason.wait = Math.max(stopReason.wait ?? 0, wait)
    if (internal) stopReason.internal = note
    return { ...image, outcome, seen, note }
  }

  const images = await pLimit(concurrency).map(found, purgeOne)
  return { images, ...stopReason, first: firstFailed(images) }
}

/** Prefers an image that was tried, since its note is more useful than that of a skipped one. */
function firstFailed(images: readonly PurgeResult[]) {
  const failed = images.flatMap(({ origin, note }) => (note === undefined ? [] : [{ origin, note }]))
  return failed.find(({ note }) => note !== skippedAttempt.note) ?? failed[0]
}

export const skippedAttempt = { outcome: 'failed', note: 'left for the next run' } as const

/** The purges in progress in this process, by the image's URL at the proxy. */
const attemptsInFlight = singleFlight<Attempt>()

/** Makes this attempt, or waits for one in progress for the same image, which makes the image fresh. */
export async function shareAttempt(camo: string, attempt: () => Promise<Attempt>): Promise<Attempt> {
  let isMine = false
  const result = await attemptsInFlight(camo, () => {
    isMine = true
    return attempt()
  })
  return isMine || result.outcome !== 'purged' ? result : { outcome: 'fresh' }
}

type PurgeContext = Pick<PageContext, 'now'> & { outbound: Pick<PageContext['outbound'], 'request'> }

/** Requests a purge of this image from the proxy, and once more if the first answer permits a retry. */
export async function purge(camo: string, context: PurgeContext): Promise<Attempt> {
  const first = await sendPurge(camo, context)
  if (first.retryIn === undefined) return first
  await after(first.retryIn)
  return sendPurge(camo, context)
}

async function sendPurge(camo: string, context: PurgeContext): Promise<Attempt & { retryIn?: Milliseconds }> {
  // Follow no redirect, so that only the proxy receives purge requests.
  const answer = await context.outbound.request(camo, { method: 'PURGE', timeout, maxBytes: 10_000 })
  if (!answer.answered)
    return { outcome: 'failed', note: answer.note, ...(answer.failure === 'internal' ? { internal: true } : {}) }
  const { status, headers } = answer
  if (status >= 200 && status < 300) return Ok.safeParse(parseJson(answer.body)).success ? { outcome: 'purged' } : notOk
  if (status !== 429 && status < 500) return { outcome: 'failed', note: `answered ${status}` }
  const delay = requestedWait(headers['retry-after'], context.now())
  const failed = { outcome: 'failed', note: describeStatus(status, delay), ...delay } as const
  return delay.wait === undefined ? { retryIn: retryDelay, ...failed } : failed
}

const notOk: Attempt = { outcome: 'failed', note: 'unexpected answer' }
/** A 2xx response counts as a purge only with this body. */
const Ok = z.object({ status: z.literal('ok') })
