import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../test/support/database/databases.ts'
import { pipeline, prepare } from './look-up.ts'
import type { Db } from './open.ts'

describe.each(bothDialects)('statements that run together on %s', (dialect) => {
  let db: Db
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ db, drop } = await freshDatabase(dialect))
  })
  afterEach(() => drop())

  const add = (hash: string | null) => sql`insert into purge (hash, at) select ${hash}, count(*) from purge`
  const all = sql<{ hash: string }>`select hash from purge order by at`
  const inTransaction = (...hashes: readonly (string | null)[]) =>
    db.q.transaction().execute(async (tx) => (await pipeline(tx, [...hashes.map(add), all])).at(-1))

  test('run in the given order', async () => {
    expect(await inTransaction('one', 'two')).toEqual([{ hash: 'one' }, { hash: 'two' }])
  })

  test('leave nothing behind if one of them fails', async () => {
    await expect(inTransaction('one', null, 'two')).rejects.toThrow(/null/i)
    expect(await inTransaction('three')).toEqual([{ hash: 'three' }])
  })

  test('can be prepared, and work again after one of them has failed', async () => {
    const seven = () => sql<{ n: number }>`select 1 * ${7} as n`
    const eight = () => sql<{ n: number }>`select 2 * ${4} as n`
    const run = (hash: string | null) =>
      db.q.transaction().execute((tx) => {
        const statements = [seven(), add(hash), eight()].map((one) => prepare(one.compile(tx)))
        return pipeline(tx, statements)
      })
    for (const hash of ['one', 'two', 'three']) {
      await expect(run(null)).rejects.toThrow(/null/i)
      expect(await run(hash)).toEqual([[{ n: 7 }], [], [{ n: 8 }]])
    }
    expect(await inTransaction()).toEqual([{ hash: 'one' }, { hash: 'two' }, { hash: 'three' }])
  })

  test('leave nothing behind if their transaction is rolled back, also after an empty transaction', async () => {
    await db.q.transaction().execute(async () => {})
    await expect(
      db.q.transaction().execute(async (tx) => {
        await sql`insert into purge (hash, at) values (${'gone'}, 1)`.execute(tx)
        throw new Error('not this one')
      }),
    ).rejects.toThrow('not this one')
    expect(await inTransaction()).toEqual([])
  })
})
