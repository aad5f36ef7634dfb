import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ListQuery } from '../../platform/db/list/list-query.ts'
import { allIdsOf, type ListOf, pageOf } from '../../platform/db/list/page.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { Active } from '../../shared/user.ts'
import type { Health } from '../contract.ts'
import { seesAll, toolOfOwned } from '../store.ts'

/** How many recent runs are answered. */
const recentRuns = 6

/** The owners whose entries run. */
const active = sql<SqlBool>`entry.owner_id in (select id from users where status = ${sql.lit(Active)})`
const running = sql<SqlBool>`entry.status = 1 and ${active}`
/** Which entries are in a state of health. */
const inHealth: Readonly<Record<Health, RawBuilder<SqlBool>>> = {
  paused: sql`not (${running})`,
  blocked: sql`entry.blocked_at is not null and ${running}`,
  failing: sql`entry.failing_since is not null and entry.blocked_at is null and ${running}`,
  new: sql`entry.last_at is null and entry.blocked_at is null and ${running}`,
  ok: sql`entry.last_at is not null and entry.failing_since is null and entry.blocked_at is null and ${running}`,
}

/** What lists, figures and the latest runs of a tool's entries are read from, as far as a user may see them. */
export function listStore(db: Db, tool: string, columns: ListOf['columns']) {
  const visibleTo = (user: Caller['user'], { mine = false } = {}) =>
    seesAll(user) && !mine
      ? sql<SqlBool>`entry.tool = ${tool}`
      : sql<SqlBool>`${toolOfOwned} = ${tool} and entry.owner_id = ${user.id}`

  const listOf = (user: Caller['user'], { sort }: ListQuery, health: Health | undefined): ListOf => ({
    from: sort === 'owner' ? sql`entry join users on users.id = entry.owner_id` : sql`entry`,
    id: sql`entry.id`,
    columns,
    usual: sql`entry.created_at`,
    visible: health === undefined ? visibleTo(user) : sql<SqlBool>`${visibleTo(user)} and ${inHealth[health]}`,
  })

  return {
    /** The ids of a page in their order, and how many entries match in all. Throws a 400 that names the filter. */
    page: (user: Caller['user'], asked: ListQuery, health: Health | undefined) =>
      pageOf(db, listOf(user, asked, health), asked),

    /** The ids of all entries that match, in their order, piece by piece. */
    allIds: (user: Caller['user'], asked: ListQuery, health: Health | undefined) =>
      allIdsOf(db, listOf(user, asked, health), asked),

    /** How many entries are active, and how many are not; how many fail, and how many are blocked. */
    async figures(user: Caller['user'], whose: { mine?: boolean } = {}) {
      const visible = visibleTo(user, whose)
      const counts = await db.longRead(sql<{ status: 0 | 1; count: number }>`
        select status, count(*) as count from entry where ${visible} group by status`)
      const countOf = (status: 0 | 1) => counts.find((row) => row.status === status)?.count ?? 0
      const [active, inactive] = [countOf(1), countOf(0)]
      const inTrouble = async (health: 'failing' | 'blocked') => {
        const [row] = await db.longRead(sql<{ count: number }>`
          select count(*) as count from entry where ${visible} and ${inHealth[health]}`)
        return row?.count ?? 0
      }
      const [failing, blocked] = [await inTrouble('failing'), await inTrouble('blocked')]
      return { active, inactive, total: active + inactive, failing, blocked }
    },

    /** The ids of the entries that ran last, the newest run first. */
    async recent(user: Caller['user']): Promise<string[]> {
      const rows = await db.longRead(sql<{ id: string }>`select id from entry
        where ${visibleTo(user)} and last_at is not null order by last_at desc limit ${recentRuns}`)
      return rows.map((row) => row.id)
    },
  }
}
