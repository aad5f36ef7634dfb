import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase, insertUser } from '../../../../test/support/database/databases.ts'
import { accessRequests } from './next.ts'
import { schemaOf } from './schema.ts'

test.each(bothDialects)('users who waited for approval before the upgrade still do, on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  await sql`drop table access_request`.execute(db.q)
  const log = (id: string, action: string, of: string, changes = '[]') =>
    sql`insert into audit (id, at, actor, action, target_id, changes)
      values (${id}, ${Number(id)}, 'x', ${action}, ${of}, ${changes})`.execute(db.q)
  for (const name of ['waits', 'edited', 'active', 'came', 'made']) await insertUser(db, name)
  await db.q.updateTable('users').set({ status: 1, log_in_count: 0 }).where('id', '!=', 'active').execute()
  await db.q.updateTable('users').set({ log_in_count: 1 }).where('id', '=', 'came').execute()
  for (const [n, name] of ['waits', 'edited', 'active', 'came'].entries()) await log(String(n + 1), 'user.signup', name)
  await log('8', 'user.edit', 'edited', JSON.stringify([{ field: 'status', from: 2, to: 1 }]))
  await log('9', 'user.edit', 'waits', JSON.stringify([{ field: 'name', from: 'a', to: 'b' }]))
  await accessRequests(schemaOf(dialect)).up(db.q)
  const rows = await db.q.selectFrom('access_request').selectAll().execute()
  expect(rows).toEqual([{ user_id: 'waits', kind: 'sign-up', message: null, at: 1, decided_at: null, decision: null }])
  await drop()
})
