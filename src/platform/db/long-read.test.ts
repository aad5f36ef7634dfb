import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../test/support/database/databases.ts'

/** A slow query that counts to this number. */
const counting = (to: number) =>
  sql<{ most: number }>`with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${to})
    select max(n) as most from counted`

describe.each(bothDialects)('a long read on %s', (dialect) => {
  test('does not block writes, and sees what was committed before', async () => {
    const { db, drop } = await freshDatabase(dialect)
    const write = (key: string) => db.q.insertInto('setting').values({ key, value: 'b' }).execute()
    await write('a')
    let ended: string[] = []
    // On a busy machine, a write may take longer than a short count, so count further until it doesn't.
    for (let to = 500_000; ended[0] !== 'short' && to <= 32_000_000; to *= 4) {
      ended = []
      const long = db.longRead(counting(to)).finally(() => ended.push('long'))
      await write(`c${to}`)
      ended.push('short')
      expect(await long).toEqual([{ most: to }])
    }
    expect(ended).toEqual(['short', 'long'])
    expect(await db.longRead(sql`select key from setting where key in ('a', 'c500000') order by key`)).toEqual([
      { key: 'a' },
      { key: 'c500000' },
    ])
    await drop()
  })

  test('throws the error of an invalid statement, and works again afterwards', async () => {
    const { db, drop } = await freshDatabase(dialect)
    await expect(db.longRead(sql`select 1 from nowhere`)).rejects.toThrow(/nowhere/)
    expect(await db.longRead(counting(3))).toEqual([{ most: 3 }])
    expect(db.failing()).toBeUndefined()
    await drop()
  })
})
