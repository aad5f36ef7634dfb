import { groupCommit } from '../../server/db/group-commit.ts'
import type { Db } from '../../server/db/open.ts'
import type { Instant } from '../../shared/time.ts'
import type { Source } from './terms.ts'
import { type Seen, viewWriter } from './write-views.ts'

/** How often a tag was viewed, and when the last time; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined }
/** A view that was counted, or that was not since too many new tags came within an hour. */
export type Counted = Views | 'too many new tags'

type View = { tag: string; source: Source }

/** More views than ever wait at once. */
const most = 10_000

/** Counts views. Each is answered with its own number, when that is on disk. */
export function viewCounter(db: Db, settings: { now: () => Instant; newTagsPerHour: number }) {
  const write = viewWriter(db, settings.newTagsPerHour)
  const views = groupCommit<View, Counted>(db, { most, write: writeViews })

  async function writeViews(group: readonly View[]): Promise<Counted[]> {
    const lastView = settings.now()
    const seen = seenIn(group)
    const totals = await write(seen, lastView)
    const shown = new Map<string, number>()
    return group.map(({ tag }) => {
      const [total, now] = [totals.get(tag), seen.get(tag)]
      if (!total || !now) return 'too many new tags'
      const views = (shown.get(tag) ?? total.camo + total.other - now.camo - now.other) + 1
      shown.set(tag, views)
      return { views, lastView }
    })
  }

  return {
    /** Counts one view; answers when it is on disk. Rejects when the database failed. */
    count: (tag: string, source: Source): Promise<Counted> => views.add({ tag, source }),
    /** What was counted so far; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const row = await db.q
        .selectFrom('badge')
        .select(['camo', 'other', 'last_view'])
        .where('tag', '=', tag)
        .executeTakeFirst()
      return row && { views: row.camo + row.other, lastView: row.last_view }
    },
    /** Resolves when nothing is being written any more. */
    settled: views.settled,
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>

function seenIn(group: readonly View[]): Seen {
  const seen = new Map<string, Record<Source, number>>()
  for (const { tag, source } of group) {
    const before = seen.get(tag)
    if (before) before[source] += 1
    else seen.set(tag, { camo: 0, other: 0, [source]: 1 })
  }
  return seen
}
