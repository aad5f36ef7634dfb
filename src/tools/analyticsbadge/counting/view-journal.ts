import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { DatabaseUnavailable } from '../../../platform/db/unavailable.ts'
import type { Watch } from '../../../platform/health.ts'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'
import { hiddenTags, type Ledger, type Total, type View } from './ledger.ts'

const longestDelay: Milliseconds = seconds(10)
/** Long enough that a busy tag's row is written once for many views, short enough that nobody waits long. */
const checkpointAfter: Milliseconds = 250

const append = {
  name: 'append views',
  text: `insert into badge_journal (at, source, tags) values (?1, 'camo', ?2), (?1, 'other', ?3)`,
}

export type JournalOptions = {
  watch?: Watch
  /** Gets the errors of checkpoints that nobody waits for. */
  onFailed?: (error: unknown) => void
  /** Gets the number of rows that were set aside. */
  onUnreadable?: (rows: number) => void
}

/**
 * How the embedded database adds views: a group is appended as one row, whatever its tags, so that a commit writes a page
 * or two instead of one for each tag. A checkpoint adds the appended views to the tags, in one transaction; it is made
 * before tags are read. What a killed process left is added by the next one's first checkpoint. A row that can't be read
 * is set aside.
 */
export function viewJournal(db: Db, { watch, onFailed, onUnreadable }: JournalOptions = {}): Ledger {
  /** What is on disk of learned tags: nobody else counts here. */
  let totals = new Map<string, { views: number; lastView: Instant }>()
  const hidden = hiddenTags()
  /** Whether there may be something to add. */
  let isBehind = true
  let running: Promise<void> | undefined
  let isDueSoon = false
  let delay = checkpointAfter

  async function addAll(): Promise<void> {
    isBehind = false
    try {
      const unreadable = await db.q.transaction().execute(async (tx) => {
        const unreadable = await setAside(tx)
        await addAppended.execute(tx)
        await empty(tx)
        return unreadable
      })
      watch?.progress()
      if (unreadable > 0) onUnreadable?.(unreadable)
    } catch (error) {
      isBehind = true
      throw error
    } finally {
      running = undefined
    }
  }

  async function checkpoint(): Promise<void> {
    // One under way may have begun too early; its failure is for whoever asked for it.
    await running?.catch(() => {})
    if (isBehind) running ??= addAll()
    await running
  }

  /** A failed checkpoint is tried again, less often each time, since it reads all that was appended. */
  function checkpointSoon() {
    if (isDueSoon) return
    isDueSoon = true
    setTimeout(async () => {
      isDueSoon = false
      try {
        await checkpoint()
        delay = checkpointAfter
      } catch (error) {
        delay = Math.min(2 * delay, longestDelay)
        onFailed?.(error)
        // After any other error the next views try again: the database may be closed.
        if (error instanceof DatabaseUnavailable) checkpointSoon()
      }
    }, delay)
  }

  function learn(learned: readonly Total[]) {
    for (const { tag, shown, last_view } of learned) totals.set(tag, { views: shown, lastView: last_view })
    hidden.note(learned)
  }

  return {
    checkpoint,
    async flush(tx) {
      const unreadable = await setAside(tx)
      if (unreadable > 0) onUnreadable?.(unreadable)
      await addAppended.execute(tx)
      await empty(tx)
    },
    async add(views, at) {
      try {
        await db.run(append, valuesOf(views, at))
      } finally {
        // Also if it fails: it may be on disk all the same. Not before, or a checkpoint meanwhile would count as enough.
        isBehind = true
      }
      watch?.begin()
      checkpointSoon()
      return views.map(({ tag }) => {
        const total = totals.get(tag)
        if (!total) throw new Error(`${tag} was not learned.`)
        total.views += 1
        total.lastView = Math.max(total.lastView, at)
        return total.views
      })
    },
    async addOn(tx, views, at) {
      const unreadable = await setAside(tx)
      if (unreadable > 0) onUnreadable?.(unreadable)
      await tx.executeQuery(CompiledQuery.raw(append.text, valuesOf(views, at)))
      const { rows } = await sql<Total>`${addAppended}
        returning tag, camo, other, last_view, camo + other + base - reset_views as shown, hidden`.execute(tx)
      await empty(tx)
      return rows
    },
    learn,
    relearn(total) {
      if (totals.has(total.tag)) learn([total])
    },
    forget() {
      totals = new Map()
      hidden.clear()
    },
    known: (tag) => totals.get(tag),
    isHidden: hidden.has,
  }
}

const addAppended = sql`
  insert into badge (tag, camo, other, last_view, created_at)
  select value, sum(source = 'camo'), sum(source = 'other'), max(at), min(at)
  from badge_journal, json_each(tags) where true group by value
  on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
    last_view = max(badge.last_view, excluded.last_view)`

const empty = (tx: Queries) => tx.deleteFrom('badge_journal').execute()

/** Moves rows that can't be read to another table; answers how many. */
async function setAside(tx: Queries): Promise<number> {
  const { rows } = await sql`
    insert into badge_journal_unreadable (at, source, tags)
    select quote(at), quote(source), quote(tags) from badge_journal where ${isUnreadable} returning 1`.execute(tx)
  if (rows.length > 0) await sql`delete from badge_journal where ${isUnreadable}`.execute(tx)
  return rows.length
}

/** The end of the year 9999. */
const lastInstant = Date.UTC(10_000, 0) - 1
const isUnreadable = sql`
  typeof(at) <> 'integer' or at not between 0 and ${sql.lit(lastInstant)} or source not in ('camo', 'other')
  or case when typeof(tags) = 'text' and json_valid(tags) and json_type(tags) = 'array' then exists (
    select 1 from json_each(tags)
    where type <> 'text' or length(value) not between 1 and 64
      or octet_length(value) <> length(value) or value glob '*[^A-Za-z0-9_]*') else true end`

/** JSON; no character of a tag needs escaping. */
function valuesOf(views: readonly View[], at: Instant): unknown[] {
  const lists: Record<Source, string> = { camo: '', other: '' }
  for (const { tag, source } of views) lists[source] += `${lists[source] && ','}"${tag}"`
  return [at, `[${lists.camo}]`, `[${lists.other}]`]
}
