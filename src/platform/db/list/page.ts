import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ListQuery } from '../../http/list-query.ts'
import type { Db } from '../open.ts'
import type { ListColumn } from './columns.ts'

export type ListOf = {
  /** The table, with whatever its columns need of others. */
  from: RawBuilder<unknown>
  id: RawBuilder<unknown>
  columns: Readonly<Record<string, ListColumn>>
  /** What they are sorted by if nobody says, newest first. */
  usual: RawBuilder<unknown>
  /** Which rows the caller may see. */
  visible: RawBuilder<SqlBool>
}

/** The ids of a page of a list in their order, and how many rows match on all pages. Throws a 400 that names the filter. */
export async function pageOf(
  db: Db,
  { from, id, columns, usual, visible }: ListOf,
  { page, size, sort, order, filters, zone }: ListQuery,
): Promise<{ ids: string[]; total: number }> {
  const asked = filters.map(([key, text]) => columns[key]!.filter(db, text, { zone, named: `filter[${key}]` }))
  const where = sql.join([visible, ...asked], sql` and `)
  const column = sort === undefined ? undefined : columns[sort]!
  const direction = sql.raw(order ?? (column ? 'asc' : 'desc'))
  const emptyLast = column?.isNullable ? sql` nulls last` : sql``
  const by = sql`${column?.sort(db) ?? usual} ${direction}${emptyLast}, ${id} ${direction}`
  const offset = (page - 1) * size
  const rows = await db.longRead(sql<{ id: string }>`select ${id} as id from ${from} where ${where}
    order by ${by} limit ${size} offset ${offset}`)
  const ids = rows.map((row) => row.id)
  // A page that is not full is the last one.
  if (ids.length < size && (ids.length > 0 || page === 1)) return { ids, total: offset + ids.length }
  const counted = await db.longRead(sql<{ count: number }>`select count(*) as count from ${from} where ${where}`)
  return { ids, total: counted[0]?.count ?? 0 }
}
