import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ListQuery } from '../../../shared/schemas/list-query.ts'
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
export async function pageOf(db: Db, list: ListOf, asked: ListQuery): Promise<{ ids: string[]; total: number }> {
  const { page, size } = asked
  const ids = await idsOn(db, list, asked)
  // A page that is not full is the last one.
  if (ids.length < size && (ids.length > 0 || page === 1)) return { ids, total: (page - 1) * size + ids.length }
  const counted = await db.longRead(
    sql<{ count: number }>`select count(*) as count from ${list.from} where ${matching(db, list, asked)}`,
  )
  return { ids, total: counted[0]?.count ?? 0 }
}

/** The number of ids that are read within some milliseconds. */
const idsAtOnce = 5_000

/** The ids of all pages, piece by piece. Each comes once: a row that comes meanwhile moves the others. */
export async function* allIdsOf(db: Db, list: ListOf, asked: ListQuery): AsyncGenerator<string[]> {
  const seen = new Set<string>()
  for (let page = 1; ; page++) {
    const ids = await idsOn(db, list, { ...asked, page, size: idsAtOnce })
    yield ids.filter((id) => !seen.has(id))
    if (ids.length < idsAtOnce) return
    for (const id of ids) seen.add(id)
  }
}

function matching(db: Db, { columns, visible }: ListOf, { filters, zone }: ListQuery): RawBuilder<SqlBool> {
  const asked = filters.map(([key, text]) => columns[key]!.filter(db, text, { zone, named: `filter[${key}]` }))
  return sql.join([visible, ...asked], sql` and `)
}

async function idsOn(db: Db, list: ListOf, asked: ListQuery): Promise<string[]> {
  const { from, id, columns, usual } = list
  const { page, size, sort, order } = asked
  const column = sort === undefined ? undefined : columns[sort]!
  const direction = sql.raw(order ?? (column ? 'asc' : 'desc'))
  const emptyLast = column?.isNullable ? sql` nulls last` : sql``
  const by = sql`${column?.sort(db) ?? usual} ${direction}${emptyLast}, ${id} ${direction}`
  const rows = await db.longRead(sql<{ id: string }>`select ${id} as id from ${from} where ${matching(db, list, asked)}
    order by ${by} limit ${size} offset ${(page - 1) * size}`)
  return rows.map((row) => row.id)
}
