import { setTimeout as after } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { OutboundAnswer } from '../../server/outbound/outbound.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Found } from './discover.ts'
import type { PageKit } from './page.ts'
import { retryAfter } from './retry-after.ts'

/** What became of one image: purged now, purged a moment ago for whoever it was, or why not, in words. */
export type Purged = Found & { outcome: 'purged' | 'fresh' | 'failed'; note?: string }
export type Purges = {
  images: Purged[]
  /** How long GitHub asks to be left alone, when that was longer than a run may wait. */
  wait?: Milliseconds
  /** The trouble was ours: nothing is known of the images that were not tried. */
  internal?: string
}

const atOnce = 4
const patience = seconds(10)
/** A shorter Retry-After is waited for, once. */
const longestWait = seconds(10)
const beforeRetry = seconds(1)
/** A run that takes longer leaves the rest for the next. */
const longestRun = minutes(5)

const Answer = z.object({ status: z.literal('ok') })

/** Asks the proxy to forget these images, a few at a time. `isFresh` knows which it has just forgotten, `onPurged` hears of each one. */
export async function purgeAll(
  found: readonly Found[],
  kit: PageKit,
  memory: { isFresh: (camo: string) => boolean; onPurged: (camo: string) => Promise<void> },
): Promise<Purges> {
  const until = kit.now() + longestRun
  const images: Purged[] = new Array(found.length)
  const stop: { wait?: Milliseconds; internal?: string } = {}
  let next = 0

  async function one(image: Found): Promise<Purged> {
    if (memory.isFresh(image.camo)) return { ...image, outcome: 'fresh' }
    if (stop.internal !== undefined || stop.wait !== undefined || kit.now() > until)
      return { ...image, outcome: 'failed', note: 'not tried any more in this run' }
    const result = await purgeTwice(image.camo, kit)
    if (result.purged) {
      await memory.onPurged(image.camo)
      return { ...image, outcome: 'purged' }
    }
    if (result.wait !== undefined) stop.wait = Math.max(stop.wait ?? 0, result.wait)
    if (result.internal) stop.internal = result.note
    return { ...image, outcome: 'failed', note: result.note }
  }

  async function lane(): Promise<void> {
    for (let index = next++; index < found.length; index = next++) images[index] = await one(found[index] as Found)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { images, ...stop }
}

type Result =
  | { purged: true }
  | { purged: false; note: string; again?: Milliseconds; wait?: Milliseconds; internal?: true }

async function purgeTwice(camo: string, kit: PageKit): Promise<Result> {
  const first = await purge(camo, kit)
  if (first.purged || first.again === undefined) return first
  await after(first.again)
  return purge(camo, kit)
}

async function purge(camo: string, kit: PageKit): Promise<Result> {
  const answer = await kit.outbound.request(camo, { method: 'PURGE', timeout: patience, maxBytes: 10_000 })
  return resultOf(answer, kit)
}

/** Only a 2xx that says ok is a purge; a server in trouble is asked once more, as soon as it likes. */
function resultOf(answer: OutboundAnswer, kit: PageKit): Result {
  if (!answer.answered)
    return { purged: false, note: answer.note, ...(answer.failure === 'internal' ? { internal: true } : {}) }
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) {
    if (isOk(body)) return { purged: true }
    return { purged: false, note: 'the answer did not say ok' }
  }
  const note = `answered ${status}`
  if (status !== 429 && status < 500) return { purged: false, note }
  const asked = retryAfter(headers['retry-after'], kit.now())
  if (asked === undefined) return { purged: false, note, again: beforeRetry }
  if (asked <= longestWait) return { purged: false, note, again: asked }
  return { purged: false, note: `${note}, asks to wait ${Math.ceil(asked / 1_000)} s`, wait: asked }
}

function isOk(body: Uint8Array): boolean {
  try {
    return Answer.safeParse(JSON.parse(new TextDecoder().decode(body))).success
  } catch {
    return false
  }
}
