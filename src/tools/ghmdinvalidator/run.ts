import type { Outcome, RunOf } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { type Instant, seconds } from '../../shared/time.ts'
import type { GhmdinvalidatorConfig } from './config.ts'
import { readPage } from './page/page.ts'
import { type Attempt, leftOut, oneAtATime, type Purges, purge, purgeAll } from './purge/purge.ts'
import { beginningOf, purgeStore } from './store.ts'

type RunContext = Context<GhmdinvalidatorConfig>

const tryAgainAfter = seconds(30)
const longestShown = 120

/** One run: reads the page, purges each proxied image on it, and keeps what it found until a page is read again. */
export async function run(
  { url }: { url: string },
  context: RunContext,
  { entryId }: Pick<RunOf, 'entryId'>,
): Promise<Outcome> {
  const at = context.now()
  const began = context.elapsed()
  const store = purgeStore(context.db)
  const page = await readPage(url, context)
  const ended = (outcome: { success: true; count: number; note?: string } | Failed): Outcome => ({
    ...outcome,
    duration: Math.round(context.elapsed() - began),
  })
  if (!page.read) {
    if (page.internal) return { again: tryAgainAfter, why: page.note }
    const { note, unreachable = false } = page
    return ended({ success: false, count: 0, note, unreachable, ...waitOf(page) })
  }
  const { found, movedTo } = page
  await store.cleanUp(context.now())
  const purges = await purgeAll(found, context, (camo, mayTry) => purgeUnlessFresh(camo, mayTry, context))
  if (purges.internal !== undefined) return { again: tryAgainAfter, why: purges.internal }
  await store.keepLast(entryId, { at, movedTo, images: purges.images })
  return ended(outcomeOf(purges, movedTo))
}

/** Skips an image that any entry purged in the last minutes. */
async function purgeUnlessFresh(camo: string, mayTry: boolean, context: RunContext): Promise<Attempt> {
  const store = purgeStore(context.db)
  if (!mayTry) return (await store.isFresh(camo, context.now())) ? { outcome: 'fresh' } : leftOut
  return oneAtATime(camo, async () => {
    if (await store.isFresh(camo, context.now())) return { outcome: 'fresh' }
    const attempt = await purge(camo, context)
    if (attempt.outcome === 'purged') await store.remember(camo, context.now())
    return attempt
  })
}

type Failed = { success: false; count: number; note: string; wait?: number; unreachable?: boolean }

/** An image that was purged recently counts: no old copy of it is served. */
function outcomeOf({ images, first, ...asked }: Purges, movedTo: string | null) {
  const count = images.filter((image) => image.outcome !== 'failed').length
  const moved = movedTo === null ? [] : [`moved to ${shortened(movedTo)}`]
  if (first) {
    const note = `${count} of ${images.length} images; ${shortened(first.origin)}: ${first.note}`
    return { success: false as const, count, note, ...waitOf(asked) }
  }
  const note = [...(images.length === 0 ? ['no cached images on this page'] : []), ...moved].join('; ')
  return { success: true as const, count, ...(note ? { note } : {}) }
}

const waitOf = ({ wait }: { wait?: Instant }) => (wait === undefined ? {} : { wait })
const shortened = (address: string) => beginningOf(address, longestShown)
