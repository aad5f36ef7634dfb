import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { pacedJobs } from './next.ts'

test.each(bothDialects)(
  'jobs of before the upgrade stay as they are, however long their payloads, on %s',
  async (dialect) => {
    const { db, drop } = await freshDatabase(dialect)
    await sql`drop index job_paced`.execute(db.q)
    const job = (id: string, kind: string, payload: string | null) => ({
      id,
      kind,
      payload,
      entry_id: null,
      lane: null,
      turn_at: 1,
      due_at: 2,
      free_at: 3,
      attempt: 0,
    })
    // Random, since a database may compress what repeats; an index of PostgreSQL holds no such text.
    const long = Array.from({ length: 20_000 }, () => Math.random().toString(36).at(-1)).join('')
    const before = [job('a', 'deliver', long), job('b', 'turn', null), job('c', 'now', null)]
    await db.q.insertInto('job').values(before).execute()
    const rows = () => db.q.selectFrom('job').selectAll().orderBy('id').execute()
    const stored = await rows()
    await pacedJobs().up(db.q)
    expect(await rows()).toEqual(stored)
    expect(stored).toMatchObject(before)
    await db.q
      .insertInto('job')
      .values(job('d', 'now', '{"id":"paced"}'))
      .execute()
    await sql`drop index job_paced`.execute(db.q)
    await drop()
  },
)
