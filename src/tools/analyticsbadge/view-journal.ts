import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import type { Total, View } from './seen.ts'
import type { Source } from './terms.ts'

/** Long enough that a busy tag's row is written once for many views, short enough that nobody waits for it long. */
const checkpointAfter: Milliseconds = 250

const append = `insert into badge_journal (at, source, tags) values (?1, 'camo', ?2), (?1, 'other', ?3)`

/**
 * The embedded database's way to keep views: a group of them is appended as it came, whatever tags are in it, so that a
 * commit writes a page or two instead of one a tag. A checkpoint adds what was appended to the tags, in one transaction;
 * whoever reads tags asks for one first. What a killed process left waits for the next one's first checkpoint.
 */
export function viewJournal(db: Db) {
  /** Whether there may be something to add. */
  let isBehind = true
  let underWay: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  async function addAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    isBehind = false
    try {
      await db.q.transaction().execute(async (on) => {
        await add.execute(on)
        await empty(on)
      })
    } catch (error) {
      isBehind = true
      throw error
    } finally {
      underWay = undefined
    }
  }

  /** Resolves when every view that was kept before is added to its tag. Rejects when the database failed. */
  async function checkpoint(): Promise<void> {
    // One that is under way may have begun too early.
    await underWay
    if (isBehind) underWay ??= addAll()
    await underWay
  }

  return {
    checkpoint,
    /** Keeps views; durable when it answers. */
    async append(views: readonly View[], at: Instant): Promise<void> {
      await db.run({ name: 'append views', text: append }, valuesOf(views, at))
      isBehind = true
      // What fails here fails as well whoever reads next, who is told.
      timer ??= setTimeout(() => void checkpoint().catch(() => {}), checkpointAfter)
    },
    /** Adds these views to their tags in this transaction, with all that was kept before; answers the tags' totals. */
    async addOn(on: Queries, views: readonly View[], at: Instant): Promise<Total[]> {
      await on.executeQuery(CompiledQuery.raw(append, valuesOf(views, at)))
      const { rows } = await sql<Total>`${add} returning tag, camo, other`.execute(on)
      await empty(on)
      return rows
    },
  }
}

const add = sql`
  insert into badge (tag, camo, other, last_view, created_at)
  select value, sum(source = 'camo'), sum(source = 'other'), max(at), min(at)
  from badge_journal, json_each(tags) where true group by value
  on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
    last_view = max(badge.last_view, excluded.last_view)`

const empty = (on: Queries) => on.deleteFrom('badge_journal').execute()

/** A tag has no letter that JSON would write otherwise. */
function valuesOf(views: readonly View[], at: Instant): unknown[] {
  const lists: Record<Source, string> = { camo: '', other: '' }
  for (const { tag, source } of views) lists[source] += `${lists[source] && ','}"${tag}"`
  return [at, `[${lists.camo}]`, `[${lists.other}]`]
}
