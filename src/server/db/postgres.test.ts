import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { freshPostgres } from '../../../test/fresh-postgres.ts'
import { openPostgres } from './postgres.ts'

test('a PostgreSQL that goes away between two queries of a transaction fails that transaction and nothing else', async () => {
  const { url, drop } = await freshPostgres()
  const db = openPostgres(url)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const work = db.q.transaction().execute(async (q) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(q)
    await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await pause(50)
    await sql`select 1`.execute(q)
  })
  await expect(work).rejects.toThrow()
  expect((await sql<{ one: number }>`select 1 as one`.execute(db.q)).rows).toEqual([{ one: 1 }])
  await admin.end()
  await db.close()
  await drop()
})
