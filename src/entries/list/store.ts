import { type SqlBool, sql } from 'kysely'
import { type ListOf, pageOf } from '../../platform/db/list/page.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Caller } from '../../platform/http/access/caller.ts'
import type { ListQuery } from '../../platform/http/list-query.ts'
import { seesAll, toolOfOwned } from '../store.ts'

/** How many recent runs are answered. */
const recentRuns = 6

/** What lists, figures and the latest runs of a tool's entries are read from, as far as a user may see them. */
export function listStore(db: Db, tool: string, columns: ListOf['columns']) {
  const visibleTo = (user: Caller['user']) =>
    seesAll(user)
      ? sql<SqlBool>`entry.tool = ${tool}`
      : sql<SqlBool>`${toolOfOwned} = ${tool} and entry.owner_id = ${user.id}`

  return {
    /** The ids of a page in their order, and how many entries match in all. Throws a 400 that names the filter. */
    page(user: Caller['user'], asked: ListQuery) {
      const from = asked.sort === 'owner' ? sql`entry join users on users.id = entry.owner_id` : sql`entry`
      const visible = visibleTo(user)
      return pageOf(db, { from, id: sql`entry.id`, columns, usual: sql`entry.created_at`, visible }, asked)
    },

    /** How many entries are active, and how many are not. */
    async figures(user: Caller['user']) {
      const counts = await db.longRead(sql<{ status: 0 | 1; count: number }>`
        select status, count(*) as count from entry where ${visibleTo(user)} group by status`)
      const countOf = (status: 0 | 1) => counts.find((row) => row.status === status)?.count ?? 0
      const [active, inactive] = [countOf(1), countOf(0)]
      return { active, inactive, total: active + inactive }
    },

    /** The ids of the entries that ran last, the newest run first. */
    async recent(user: Caller['user']): Promise<string[]> {
      const rows = await db.longRead(sql<{ id: string }>`select id from entry
        where ${visibleTo(user)} and last_at is not null order by last_at desc limit ${recentRuns}`)
      return rows.map((row) => row.id)
    },
  }
}
