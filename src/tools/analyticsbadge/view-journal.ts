import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { Ledger, Total, View } from './seen.ts'
import type { Source } from './terms.ts'

const slowest: Milliseconds = minutes(1)
/** Long enough that a busy tag's row is written once for many views, short enough that nobody waits for it long. */
const checkpointAfter: Milliseconds = 250

const append = {
  name: 'append views',
  text: `insert into badge_journal (at, source, tags) values (?1, 'camo', ?2), (?1, 'other', ?3)`,
}

/**
 * The embedded database's way to add views: a group of them is appended as it came, whatever tags are in it, so that a
 * commit writes a page or two instead of one a tag. A checkpoint adds what was appended to the tags, in one transaction;
 * whoever reads tags asks for one first. What a killed process left waits for the next one's first checkpoint. `onFailed`
 * hears of checkpoints that nobody waits for.
 */
export function viewJournal(db: Db, onFailed: (error: unknown) => void = () => {}): Ledger {
  /** What is on disk of tags that were learned: nobody else counts here. */
  let totals = new Map<string, { views: number; lastView: Instant }>()
  /** Whether there may be something to add. */
  let isBehind = true
  let underWay: Promise<void> | undefined
  let isDueSoon = false
  let patience = checkpointAfter

  async function addAll(): Promise<void> {
    isBehind = false
    try {
      await db.q.transaction().execute(async (on) => {
        await addAppended.execute(on)
        await empty(on)
      })
    } catch (error) {
      isBehind = true
      throw error
    } finally {
      underWay = undefined
    }
  }

  async function checkpoint(): Promise<void> {
    // One that is under way may have begun too early; whether it fails is for whoever asked for it.
    await underWay?.catch(() => {})
    if (isBehind) underWay ??= addAll()
    await underWay
  }

  /** What fails is tried again with the next views, less often each time: it reads all that was appended. */
  function checkpointSoon() {
    if (isDueSoon) return
    isDueSoon = true
    setTimeout(async () => {
      isDueSoon = false
      try {
        await checkpoint()
        patience = checkpointAfter
      } catch (error) {
        patience = Math.min(2 * patience, slowest)
        onFailed(error)
      }
    }, patience)
  }

  return {
    checkpoint,
    async add(views, at) {
      await db.run(append, valuesOf(views, at))
      isBehind = true
      checkpointSoon()
      return views.map(({ tag }) => {
        const total = totals.get(tag)
        if (!total) throw new Error(`${tag} was not learned.`)
        total.views += 1
        total.lastView = Math.max(total.lastView, at)
        return total.views
      })
    },
    async addOn(on, views, at) {
      await on.executeQuery(CompiledQuery.raw(append.text, valuesOf(views, at)))
      const { rows } = await sql<Total>`${addAppended} returning tag, camo, other, last_view`.execute(on)
      await empty(on)
      return rows
    },
    learn(learned) {
      for (const { tag, camo, other, last_view } of learned)
        totals.set(tag, { views: camo + other, lastView: last_view })
    },
    forget() {
      totals = new Map()
    },
    known: (tag) => totals.get(tag),
  }
}

const addAppended = sql`
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
