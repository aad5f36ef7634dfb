import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../test/support/database/databases.ts'

/** Counts to this number, which takes a while. */
const counting = (to: number) =>
  sql<{ most: number }>`with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${to})
    select max(n) as most from counted`

describe.each(bothDialects)('a long read on %s', (dialect) => {
  test('holds up neither other reads nor writes, and sees what was committed before', async () => {
    const { db, drop } = await freshDatabase(dialect)
    await db.q.insertInto('setting').values({ key: 'a', value: 'b' }).execute()
    const ended: string[] = []
    const long = db.longRead(counting(500_000)).then((rows) => {
      ended.push('long')
      return rows
    })
    await db.q.insertInto('setting').values({ key: 'c', value: 'd' }).execute()
    ended.push('short')
    expect(await long).toEqual([{ most: 500_000 }])
    expect(ended).toEqual(['short', 'long'])
    expect(await db.longRead(sql`select key from setting where key in ('a', 'c') order by key`)).toEqual([
      { key: 'a' },
      { key: 'c' },
    ])
    await drop()
  })

  test('throws what is wrong with the statement, and goes on', async () => {
    const { db, drop } = await freshDatabase(dialect)
    await expect(db.longRead(sql`select 1 from nowhere`)).rejects.toThrow(/nowhere/)
    expect(await db.longRead(counting(3))).toEqual([{ most: 3 }])
    expect(db.failing()).toBeUndefined()
    await drop()
  })
})
