import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase, insertUser } from '../../../../test/support/database/databases.ts'
import { days, hours } from '../../../shared/time.ts'
import { inbox } from './0.2.ts'
import { schemaOf } from './schema.ts'

test.each(bothDialects)('a notice that no screen has shown is still told after the upgrade, on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  for (const table of ['inbox_group', 'known_device']) await sql`drop table ${sql.table(table)}`.execute(db.q)
  await sql`drop index notification_of`.execute(db.q)
  for (const column of ['item', 'parts', 'total', 'tool', 'entry_id', 'read_at', 'quiet'])
    await sql`alter table notification drop column ${sql.ref(column)}`.execute(db.q)
  await sql`alter table notification_seen drop column read_at`.execute(db.q)
  for (const name of ['ada', 'bob']) await insertUser(db, name)
  const notices = { missed: hours(1), shown: hours(1), old: days(2) }
  for (const [id, ago] of Object.entries(notices))
    await sql`insert into notification (id, user_id, type, message, author, issued_at)
      values (${id}, 'ada', 'info', 'Hello', 'ToolBox', ${Date.now() - ago})`.execute(db.q)
  await sql`insert into notification_seen (user_id, notification_id) values ('ada', 'shown'), ('bob', 'missed')`.execute(
    db.q,
  )
  await inbox(schemaOf(dialect)).up(db.q)
  const unread = db.q.selectFrom('notification').select('id').where('read_at', 'is', null)
  expect(await unread.execute()).toEqual([{ id: 'missed' }])
  await drop()
})
