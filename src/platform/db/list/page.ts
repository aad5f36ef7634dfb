import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ListQuery } from '../../../shared/schemas/list-query.ts'
import type { Db } from '../open.ts'
import type { ListColumn } from './columns.ts'

export type ListSource = {
  /** The table, joined with the other tables that its columns need. */
  from: RawBuilder<unknown>
  id: RawBuilder<unknown>
  columns: Readonly<Record<string, ListColumn>>
  /** The default sort key, in descending order. */
  defaultSort: RawBuilder<unknown>
  /** Which rows precede all others in the default order. */
  first?: RawBuilder<SqlBool>
  visible: RawBuilder<SqlBool>
}

/** Returns a page's ids in order, and how many rows match on all pages. Throws a 400 that names the filter. */
export async function pageOf(db: Db, list: ListSource, query: ListQuery): Promise<{ ids: string[]; total: number }> {
  const { page, size } = query
  const ids = await idsOnPage(db, list, query)
  // A page that is not full is the last one.
  if (ids.length < size && (ids.length > 0 || page === 1)) return { ids, total: (page - 1) * size + ids.length }
  return { ids, total: await countOf(db, list, query) }
}

async function countOf(db: Db, list: ListSource, query: ListQuery): Promise<number> {
  const [counted] = await db.longRead(
    sql<{ count: number }>`select count(*) as count from ${list.from} where ${matching(db, list, query)}`,
  )
  return counted?.count ?? 0
}

/** How many ids can be read within a few milliseconds. */
const idsAtOnce = 5_000

/** Yields the ids of all pages in batches, none twice, although rows added in the meantime shift the pages. */
export async function* allIdsOf(db: Db, list: ListSource, query: ListQuery): AsyncGenerator<string[]> {
  const seen = new Set<string>()
  for (let page = 1; ; page++) {
    const ids = await idsOnPage(db, list, { ...query, page, size: idsAtOnce })
    yield ids.filter((id) => !seen.has(id))
    if (ids.length < idsAtOnce) return
    for (const id of ids) seen.add(id)
  }
}

function matching(db: Db, { columns, visible }: ListSource, { filters, zone }: ListQuery): RawBuilder<SqlBool> {
  const conditions = filters.map(([key, text]) => columns[key]!.filter(db, text, { zone, named: `filter[${key}]` }))
  return sql.join([visible, ...conditions], sql` and `)
}

/** Returns the ids on a page. The few `first` rows are read separately, so that the index can serve the others. */
async function idsOnPage(db: Db, { first, ...list }: ListSource, query: ListQuery): Promise<string[]> {
  const { page, size, sort } = query
  const from = (page - 1) * size
  if (!first || sort !== undefined) return sortedIds(db, list, query, { offset: from, limit: size })
  const restrictTo = (condition: RawBuilder<SqlBool>) => ({
    ...list,
    visible: sql<SqlBool>`${list.visible} and ${condition}`,
  })
  const begin = await sortedIds(db, restrictTo(first), query, { offset: from, limit: size })
  if (begin.length === size) return begin
  const before = begin.length > 0 || page === 1 ? from + begin.length : await countOf(db, restrictTo(first), query)
  const rest = { offset: Math.max(0, from - before), limit: size - begin.length }
  const others = await sortedIds(db, restrictTo(sql`not (${first})`), query, rest)
  // A row that changes between the two reads may be in both.
  return [...new Set([...begin, ...others])]
}

async function sortedIds(db: Db, list: ListSource, query: ListQuery, part: { offset: number; limit: number }) {
  const { from, id, columns, defaultSort } = list
  const { sort, order } = query
  const column = sort === undefined ? undefined : columns[sort]!
  const direction = sql.raw(order ?? (column ? 'asc' : 'desc'))
  const emptyLast = column?.isNullable ? sql` nulls last` : sql``
  const by = sql`${column?.sort(db) ?? defaultSort} ${direction}${emptyLast}, ${id} ${direction}`
  const rows = await db.longRead(sql<{ id: string }>`select ${id} as id from ${from} where ${matching(db, list, query)}
    order by ${by} limit ${part.limit} offset ${part.offset}`)
  return rows.map((row) => row.id)
}
