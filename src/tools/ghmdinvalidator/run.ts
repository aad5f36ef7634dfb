import type { Outcome } from '../../entries/tool.ts'
import type { Kit } from '../../server/kit.ts'
import { seconds } from '../../shared/time.ts'
import { readPage } from './page.ts'
import { type Purged, type Purges, purgeAll } from './purge.ts'
import { purgeStore } from './store.ts'

const tryAgainAfter = seconds(30)

/** One run: the page is read, and each proxied image it shows is purged. */
export async function run({ url }: { url: string }, kit: Kit, entryId: string): Promise<Outcome> {
  const began = kit.now()
  const store = purgeStore(kit.db)
  const page = await readPage(url, kit)
  if (!page.read) {
    if (page.internal) return { again: tryAgainAfter, why: page.note }
    await store.keepImages(entryId, [])
    return { success: false, duration: kit.now() - began, count: 0, note: page.note, ...waitOf(page) }
  }
  const fresh = await store.fresh(
    page.found.map(({ camo }) => camo),
    kit.now(),
  )
  const purges = await purgeAll(page.found, kit, {
    isFresh: (camo) => fresh.has(camo),
    onPurged: (camo) => store.remember(camo, kit.now()),
  })
  if (purges.internal !== undefined) return { again: tryAgainAfter, why: purges.internal }
  await store.keepImages(entryId, purges.images)
  return { ...outcomeOf(purges), duration: kit.now() - began }
}

/** An image that was fresh counts: nothing old is shown of it. */
function outcomeOf({ images, ...asked }: Purges): Outcome & { success: boolean } {
  const failed = images.filter((image) => image.outcome === 'failed')
  const count = images.length - failed.length
  const duration = 0
  if (images.length === 0) return { success: true, duration, count, note: 'no cached images on this page' }
  if (failed.length === 0) return { success: true, duration, count }
  return { success: false, duration, count, note: `${count} of ${images.length}; ${firstOf(failed)}`, ...waitOf(asked) }
}

const firstOf = ([first]: readonly Purged[]) => (first ? `${first.origin}: ${first.note}` : '')
const waitOf = ({ wait }: { wait?: number }) => (wait === undefined ? {} : { wait })
