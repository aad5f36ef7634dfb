import { sql } from 'kysely'
import type { ListQuery } from '../../platform/db/list/list-query.ts'
import { allIdsOf, type ListOf, pageOf } from '../../platform/db/list/page.ts'
import type { Db } from '../../platform/db/open.ts'
import type { ListedUser, UserKind } from '../contract.ts'
import { isOfKind, userColumns } from './columns.ts'
import { listedUsers, providerIdsOf, rememberingParsers, toListedUser } from './listed-user.ts'

const pageSize = 500

/** Reads users as the list shows them; `providers` are their names by id. */
export function userList(db: Db, providers: Readonly<Record<string, string>>) {
  const { q } = db
  const columns = userColumns(providers)
  const listOf = (kind: UserKind | undefined): ListOf => ({
    from: sql`users`,
    id: sql`users.id`,
    columns,
    usual: sql`users.created_at`,
    visible: kind ? isOfKind[kind](db) : sql<boolean>`1 = 1`,
  })

  /** Those of these users that still exist, in this order. */
  async function some(ids: readonly string[]): Promise<ListedUser[]> {
    const rows = await listedUsers(q).where(db.isOneOf('id', ids)).execute()
    const providerIds = await providerIdsOf(db, q, ids)
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? []).map((row) => toListedUser(row, providerIds.get(row.id) ?? []))
  }

  return {
    /** All users, newest first, page by page. */
    async *all(): AsyncIterable<ListedUser[]> {
      const parse = rememberingParsers()
      const page = listedUsers(q).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize)
      for (let rows = await page.execute(); rows.length > 0; ) {
        const ids = rows.map(({ id }) => id)
        const providerIds = await providerIdsOf(db, q, ids)
        yield rows.map((row) => toListedUser(row, providerIds.get(row.id) ?? [], parse))
        const last = rows.at(-1)
        if (!last || rows.length < pageSize) return
        rows = await page
          .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(last.created_at, last.id)))
          .execute()
      }
    },

    /** A page of the list, and how many users match on all pages. Throws a 400 that names the filter. */
    async page(asked: ListQuery, kind: UserKind | undefined): Promise<{ rows: ListedUser[]; total: number }> {
      const { ids, total } = await pageOf(db, listOf(kind), asked)
      return { rows: await some(ids), total }
    },

    /** The ids of all who match, piece by piece. Throws a 400 that names the filter. */
    foundIds: (asked: ListQuery, kind: UserKind | undefined) => allIdsOf(db, listOf(kind), asked),

    /** All who match, piece by piece. */
    async *found(asked: ListQuery, kind: UserKind | undefined): AsyncIterable<ListedUser[]> {
      for await (const ids of allIdsOf(db, listOf(kind), asked))
        for (let at = 0; at < ids.length; at += pageSize) yield some(ids.slice(at, at + pageSize))
    },
  }
}
