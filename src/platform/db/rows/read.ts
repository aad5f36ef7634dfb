import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'

/** SQL that is 1 if the condition is true, else 0. */
export const asNumber = (condition: RawBuilder<SqlBool>) => sql<number>`(case when ${condition} then 1 else 0 end)`

export const exists = async <Tables, Table extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
): Promise<boolean> => (await rows.clearSelect().select(sql.lit(1).as('one')).limit(1).executeTakeFirst()) !== undefined

export async function countRows<Tables, Table extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
): Promise<number> {
  const counted = rows.clearSelect().select(sql`count(*)`.as('rows')).$castTo<{ rows: number }>()
  return Number((await counted.executeTakeFirst())?.rows ?? 0)
}
