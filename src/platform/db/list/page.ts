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
  /** Which rows precede all others in the default order; no row matches two of these, and each has an index. */
  first?: readonly RawBuilder<SqlBool>[]
  visible: RawBuilder<SqlBool>
}

/** Returns a page's ids in order, and how many rows match on all pages. Throws a 400 that names the filter. */
export async function pageOf(db: Db, list: ListSource, query: ListQuery): Promise<{ ids: string[]; total: number }> {
  if (query.page > 1) {
    const total = await countOf(db, list, query)
    return { ids: await idsOnPage(db, list, query, total), total }
  }
  const ids = await idsOnPage(db, list, query)
  // A first page that is not full is the only one.
  return { ids, total: ids.length < query.size ? ids.length : await countOf(db, list, query) }
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
async function idsOnPage(db: Db, { first, ...list }: ListSource, query: ListQuery, total = Number.POSITIVE_INFINITY) {
  const { page, size, sort } = query
  const from = (page - 1) * size
  if (!first || sort !== undefined) return sortedIds(db, list, query, { offset: from, limit: size, total })
  const restrictTo = (condition: RawBuilder<SqlBool>) => ({
    ...list,
    visible: sql<SqlBool>`${list.visible} and ${condition}`,
  })
  const selectFirst = (condition: RawBuilder<SqlBool>) =>
    sql`select ${list.id} as id, ${list.defaultSort} as sort from ${list.from}
      where ${matching(db, restrictTo(condition), query)}`
  const firstList: ListSource = {
    from: sql`(${sql.join(first.map(selectFirst), sql` union all `)}) as first`,
    id: sql`id`,
    columns: {},
    defaultSort: sql`sort`,
    visible: sql`true`,
  }
  const unfiltered = { ...query, filters: [] }
  const begin = await sortedIds(db, firstList, unfiltered, { offset: from, limit: size })
  if (begin.length === size) return begin
  const before = begin.length > 0 || page === 1 ? from + begin.length : await countOf(db, firstList, unfiltered)
  const rest = { offset: Math.max(0, from - before), limit: size - begin.length, total: total - before }
  const others = await sortedIds(db, restrictTo(sql`not (${sql.join(first, sql` or `)})`), query, rest)
  // A row that changes between the two reads may be in both.
  return [...new Set([...begin, ...others])]
}

type Part = { offset: number; limit: number; total?: number }

/** Reads the second half of a list of known length from its end, because a database reads all rows that it skips. */
async function sortedIds(db: Db, list: ListSource, query: ListQuery, part: Part): Promise<string[]> {
  const { from, id, columns, defaultSort } = list
  const { sort, order } = query
  const { offset, total = Number.POSITIVE_INFINITY } = part
  const limit = Math.max(0, Math.min(part.limit, total - offset))
  const fromEnd = offset > total / 2
  const column = sort === undefined ? undefined : columns[sort]!
  const isDescending = (order ?? (column ? 'asc' : 'desc')) === 'desc'
  const direction = sql.raw(isDescending !== fromEnd ? 'desc' : 'asc')
  const nulls = column?.isNullable ? sql.raw(fromEnd ? ' nulls first' : ' nulls last') : sql``
  const by = sql`${column?.sort(db) ?? defaultSort} ${direction}${nulls}, ${id} ${direction}`
  const rows = await db.longRead(sql<{ id: string }>`select ${id} as id from ${from} where ${matching(db, list, query)}
    order by ${by} limit ${limit} offset ${fromEnd ? Math.max(0, total - offset - limit) : offset}`)
  const ids = rows.map((row) => row.id)
  return fromEnd ? ids.reverse() : ids
}
