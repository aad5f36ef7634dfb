import { type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import { lockRows } from '../platform/db/locks.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { countRows } from '../platform/db/rows/read.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { Caller } from '../platform/http/app.ts'
import { formatCount } from '../shared/count.ts'
import { HttpError, invalid, notFound } from '../shared/http-error.ts'
import { mostStoredRuns } from '../shared/list-terms.ts'
import { type Instant, type Milliseconds, seconds } from '../shared/time.ts'
import { can } from '../shared/user.ts'
import { type Run, recentRuns, type Stats } from './contract.ts'
import { readEntry, readRun, type StoredEntry, selectEntries } from './stored-entry.ts'

/** Simultaneous runs are stored milliseconds apart. A run this far ahead dates from before the clock was set back. */
export const futureRunTolerance: Milliseconds = seconds(1)
/** Maximum number of entries, across all tools, of a user without Tools 2. */
const mostEntries = 1_000
export const entryLimitMessage = `You've reached the limit of ${formatCount(mostEntries)} entries.`
const pageSize = 500
/** Small enough that decrypting a page's settings takes only a few milliseconds. */
const listedAtOnce = 200

type EntryEdit = {
  name: string | null
  about: string
  ownerId: string
  status: boolean
  notifyAfter: number
  settings: object
  /** Must be later than the previous edit. */
  at: Instant
  changedBy: string
}
type NewEntry = EntryEdit & { id: string; tool: string; address: string | null }
type Editor = { changedBy: string | null; changedById: string | null }

export const turnJob = (entryId: string) => `turn:${entryId}`
export const nowJob = (entryId: string) => `now:${entryId}`

export const canSeeAll = (user: Caller['user']) => can(user, 'Tools', 2)
/** The tool column, for queries by owner; as an expression, so that SQLite doesn't search the tool's index instead. */
export const toolOfOwned = sql<string>`entry.tool || ''`

/** With `mine`, only the user's own entries. */
export const visibleTo = (user: Caller['user'], tool: string, { mine = false } = {}): RawBuilder<SqlBool> =>
  canSeeAll(user) && !mine ? sql`entry.tool = ${tool}` : sql`${toolOfOwned} = ${tool} and entry.owner_id = ${user.id}`

const columnsOf = (entry: EntryEdit) =>
  ({
    name: entry.name,
    about: entry.about,
    owner_id: entry.ownerId,
    status: entry.status ? 1 : 0,
    notify_after: entry.notifyAfter,
    settings: JSON.stringify(entry.settings),
    updated_at: entry.at,
    changed_by: entry.changedBy,
  }) satisfies Updateable<Tables['entry']>

export function entryStore(db: Db, q: Queries = db.q) {
  const select = () => selectEntries(q)
  const ownedBy = (tool: string, ownerId: string) =>
    select().where(toolOfOwned, '=', tool).where('entry.owner_id', '=', ownerId)

  /** How many more entries this owner may have if they lack Tools 2. */
  async function room(ownerId: string): Promise<number> {
    return mostEntries - (await countRows(q.selectFrom('entry').where('owner_id', '=', ownerId)))
  }

  async function* newestFirst(found: ReturnType<typeof select>): AsyncIterable<StoredEntry[]> {
    const page = found.orderBy('entry.created_at', 'desc').orderBy('entry.id', 'desc').limit(listedAtOnce)
    for (let rows = await page.execute(); rows.length > 0; ) {
      yield rows.map(readEntry)
      const last = rows.at(-1)
      if (!last || rows.length < listedAtOnce) return
      rows = await page
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('entry.created_at', 'entry.id'), '<', tuple(last.created_at, last.id)),
        )
        .execute()
    }
  }

  return {
    /** Newest first, page by page. */
    list: (tool: string, user: Caller['user']): AsyncIterable<StoredEntry[]> =>
      newestFirst(canSeeAll(user) ? select().where('entry.tool', '=', tool) : ownedBy(tool, user.id)),

    owned: (tool: string, ownerId: string): AsyncIterable<StoredEntry[]> => newestFirst(ownedBy(tool, ownerId)),

    /** In the order of `ids`, without entries that the caller may not see. */
    async byIds(tool: string, user: Caller['user'], ids: readonly string[]): Promise<StoredEntry[]> {
      // Filter by id alone: given the tool as well, SQLite would search all entries of the tool.
      const rows = await select().where(db.isOneOf('entry.id', ids)).execute()
      const visible = rows.filter((row) => row.tool === tool && (canSeeAll(user) || row.owner_id === user.id))
      const byId = new Map(visible.map((row) => [row.id, row]))
      return ids.flatMap((id) => byId.get(id) ?? []).map(readEntry)
    },

    async ownIds(userId: string, ids: readonly string[]): Promise<string[]> {
      const own = q.selectFrom('entry').select('id').where(db.isOneOf('id', ids)).where('owner_id', '=', userId)
      return (await own.execute()).map(({ id }) => id)
    },

    async *pages(tool: string): AsyncIterable<StoredEntry[]> {
      const all = select().where('entry.tool', '=', tool).orderBy('entry.id').limit(pageSize)
      for (let rows = await all.execute(); rows.length > 0; ) {
        yield rows.map(readEntry)
        rows = await all.where('entry.id', '>', rows.at(-1)?.id ?? '').execute()
      }
    },

    /** Throws a 404 if the entry doesn't exist or the caller may not see it. */
    async get(tool: string, id: string, user: Caller['user']): Promise<StoredEntry & Editor> {
      const row = await select()
        .leftJoin('users as editor', 'editor.id', 'entry.changed_by')
        .select(['editor.id as editor_id', 'editor.name as editor_name'])
        .where('entry.id', '=', id)
        .where('entry.tool', '=', tool)
        .executeTakeFirst()
      if (!row || (row.owner_id !== user.id && !canSeeAll(user))) throw notFound('Entry')
      return { ...readEntry(row), changedBy: row.editor_name, changedById: row.editor_id }
    },

    async insert(entry: NewEntry) {
      const { id, tool, address, at } = entry
      const paused_at = entry.status ? null : at
      await q
        .insertInto('entry')
        .values({ ...columnsOf(entry), id, tool, address, paused_at, created_at: at })
        .execute()
    },

    async update(id: string, change: EntryEdit) {
      const pausedBefore = sql<Instant | null>`case when status = 0 then paused_at else ${change.at} end`
      await q
        .updateTable('entry')
        .set({ ...columnsOf(change), paused_at: change.status ? null : pausedBefore })
        .where('id', '=', id)
        .execute()
    },

    async remove(id: string) {
      await q.deleteFrom('entry').where('id', '=', id).execute()
    },

    /** Newest first. Runs in the future date from before the clock was set back, so they come last. */
    async history(id: string, now: Instant): Promise<Run[]> {
      const rows = await q
        .selectFrom('run')
        .selectAll()
        .where('entry_id', '=', id)
        .orderBy(sql`case when at > ${now + futureRunTolerance} then 1 else 0 end`)
        .orderBy('at', 'desc')
        .limit(mostStoredRuns)
        .execute()
      return rows.map((row) => readRun(row.at, row.success, row.duration, row.count, row.note))
    },

    /**
     * JSON arrays, newest first, built by the database because a page has thousands of runs. Omits empty ones, and runs
     * in the future, which date from before the clock was set back.
     */
    async recentRunsJson(ids: readonly string[], now: Instant): Promise<ReadonlyMap<string, string>> {
      const newest = now + futureRunTolerance
      const idRows = db.rows(
        'asked',
        { id: 'text' },
        ids.map((id) => ({ id })),
      )
      const run = sql`'{"timestamp":' || run.at || ',"success":' || case run.success when 1 then 'true' else 'false' end || '}'`
      const rows = await db.longRead(sql<{ id: string; runs: string }>`
        select asked.id as id, '[' || string_agg(${run}, ',' order by run.at desc) || ']' as runs
        from ${idRows} join run on run.entry_id = asked.id and run.at <= ${newest} and run.at >= coalesce(
          (select at from run as last where last.entry_id = asked.id and at <= ${newest}
            order by at desc limit 1 offset ${sql.lit(recentRuns - 1)}), 0)
        group by asked.id`)
      return new Map(rows.map(({ id, runs }) => [id, runs]))
    },

    /** Oldest first. */
    async days(id: string): Promise<Stats['days']> {
      const rows = await q.selectFrom('run_day').selectAll().where('entry_id', '=', id).orderBy('day').execute()
      return rows.map(({ day, ok, fail, ms_sum }) => ({ day, ok, fail, ms: Math.round(ms_sum / (ok + fail)) }))
    },

    /** Blocks deletion and concurrent limit checks until the transaction ends. Throws a 409 for a deleted owner. */
    async lockOwner(ownerId: string) {
      const owner = q.selectFrom('users').select('id').where('id', '=', ownerId)
      if (!(await lockRows(db, owner).executeTakeFirst())) throw new HttpError(409, 'The owner has just been deleted.')
    },

    /** Throws a 409 if the owner, who must be locked, has reached the limit of entries. */
    async requireRoom(ownerId: string) {
      if ((await room(ownerId)) <= 0) throw new HttpError(409, entryLimitMessage)
    },

    room,

    async ownerByEmail(email: string): Promise<string> {
      const row = await q.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
      if (!row) throw invalid('owner', 'No user has this email.')
      return row.id
    },
  }
}
