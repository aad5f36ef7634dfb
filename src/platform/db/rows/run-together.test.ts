import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import type { Db } from '../open.ts'
import { runTogether } from './run-together.ts'

describe.each(dialects)('statements that run together on %s', (dialect) => {
  let db: Db
  let drop: () => Promise<void>

  beforeEach(async () => {
    ;({ db, drop } = await freshDatabase(dialect))
  })
  afterEach(() => drop())

  const add = (hash: string | null) => sql`insert into purge (hash, at) select ${hash}, count(*) from purge`
  const all = sql<{ hash: string }>`select hash from purge order by at`
  const inTransaction = (...hashes: readonly (string | null)[]) =>
    db.q.transaction().execute((tx) => runTogether(db, tx, hashes.map(add), all))

  test('do so in their order, and the last one answers', async () => {
    expect(await inTransaction('one', 'two')).toEqual([{ hash: 'one' }, { hash: 'two' }])
  })

  test('leave nothing behind if one of them fails', async () => {
    await expect(inTransaction('one', null, 'two')).rejects.toThrow(/null/i)
    expect(await inTransaction('three')).toEqual([{ hash: 'three' }])
  })
})
