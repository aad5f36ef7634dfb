import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase, insertEntry, insertUser } from '../../../../test/support/database/databases.ts'
import { minutes } from '../../../shared/time.ts'
import { plannedAt } from './0.1.ts'
import { schemaOf } from './schema.ts'

test.each(bothDialects)('jobs of the version before count as planned at the upgrade, on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  for (const column of ['planned_at', 'waiting_since'])
    await sql`alter table job drop column ${sql.ref(column)}`.execute(db.q)
  await insertUser(db, 'ada')
  await insertEntry(db, 'e', 'ada')
  await sql`insert into job (id, kind, entry_id, turn_at, due_at, free_at, attempt) values ('j', 'turn', 'e', 1, 1, 1, 0)`.execute(
    db.q,
  )
  await plannedAt(schemaOf(dialect)).up(db.q)
  const { planned_at } = await db.q.selectFrom('job').select('planned_at').executeTakeFirstOrThrow()
  expect(Number.isInteger(planned_at)).toBe(true)
  expect(Math.abs(planned_at - Date.now())).toBeLessThan(minutes(1))
  await drop()
})
