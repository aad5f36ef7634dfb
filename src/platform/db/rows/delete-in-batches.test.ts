import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { deleteInBatches } from './write.ts'

describe.each(bothDialects)('deleting on %s', (dialect) => {
  test('uses batches up to the limit until no matching row is left', async () => {
    const { db, drop } = await freshDatabase(dialect)
    const at = (at: number) => ({ hash: `${at}`, at })
    for (let i = 0; i < 7; i++) await db.q.insertInto('purge').values(at(i)).execute()
    const deleted: (bigint | undefined)[] = []
    const q = db.q.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        deleted.push(result.numAffectedRows)
        return result
      },
    })
    await deleteInBatches(q, 'purge', { key: ['hash'], where: sql`at < 5`, most: 2 })
    expect(deleted).toEqual([2n, 2n, 1n])
    expect(await db.q.selectFrom('purge').select('at').orderBy('at').execute()).toEqual([{ at: 5 }, { at: 6 }])
    await drop()
  })
})
