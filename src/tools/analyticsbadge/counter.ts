import { groupCommit } from '../../server/db/group-commit.ts'
import type { Db } from '../../server/db/open.ts'
import type { Instant } from '../../shared/time.ts'
import type { View } from './seen.ts'
import type { Source } from './terms.ts'
import { viewWriter } from './write-views.ts'

/** How often a tag was viewed, and when the last time; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined }
/** A view that was counted, or that was not since too many new tags came within an hour. */
export type Counted = Views | 'too many new tags'

/** More views than ever wait at once. */
const most = 10_000

/** Counts views. Each is answered with its own number, when that is on disk. */
export function viewCounter(db: Db, settings: { now: () => Instant; newTagsPerHour: number }) {
  const { write, checkpoint } = viewWriter(db, settings.newTagsPerHour)
  const views = groupCommit<View, Counted>(db, { most, write: writeViews })

  async function writeViews(group: readonly View[]): Promise<Counted[]> {
    const lastView = settings.now()
    const numbers = await write(group, lastView)
    return numbers.map((views) => (views === undefined ? 'too many new tags' : { views, lastView }))
  }

  return {
    /** Counts one view; answers when it is on disk. Rejects when the database failed. */
    count: (tag: string, source: Source): Promise<Counted> => views.add({ tag, source }),
    /** What was counted so far; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      await checkpoint()
      const row = await db.q
        .selectFrom('badge')
        .select(['camo', 'other', 'last_view'])
        .where('tag', '=', tag)
        .executeTakeFirst()
      return row && { views: row.camo + row.other, lastView: row.last_view }
    },
    /** Resolves when every view that was answered before stands in the tables. Rejects when the database failed. */
    checkpoint,
    /** Resolves when nothing is being written any more. */
    async settled(): Promise<void> {
      await views.settled()
      // What stays behind is kept; the next process goes on with it.
      await checkpoint().catch(() => {})
    },
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>
