import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase, insertEntry, insertUser } from '../../../../test/support/database/databases.ts'
import { awake } from '../../../platform/db/migrations/next.ts'
import { schemaOf } from '../../../platform/db/migrations/schema.ts'
import { migrations } from '../migrations.ts'

test.each(bothDialects)(
  'entries of before come through the upgrades of acts, and what those saw, on %s',
  async (dialect) => {
    const { db, drop } = await freshDatabase(dialect)
    await insertUser(db, 'ada')
    for (const id of ['plain', 'seen']) await insertEntry(db, id, 'ada')
    const entries = async () => (await sql`select * from entry order by id`.execute(db.q)).rows as { awake?: string }[]
    await sql`alter table entry drop column awake`.execute(db.q)
    await sql`drop table awake`.execute(db.q)
    const before = await entries()
    const schema = schemaOf(dialect)
    await migrations['0068-awake']!(schema).up(db.q)
    expect(await entries()).toEqual(before)
    await sql`insert into awake (entry_id, state, found_asleep, last_asleep_at, memory)
    values ('seen', 'asleep', 3, 5, '{"awakeAt":4}')`.execute(db.q)
    await awake(schema).up(db.q)
    await migrations['0070-awake-moved']!(schema).up(db.q)
    expect(await entries()).toEqual(before.map((entry, at) => ({ ...entry, awake: at === 1 ? 'asleep' : null })))
    expect(await db.q.selectFrom('awake').selectAll().execute()).toEqual([
      { entry_id: 'seen', found_asleep: 3, last_asleep_at: 5, memory: '{"awakeAt":4}' },
    ])
    await db.q.deleteFrom('entry').where('id', '=', 'seen').execute()
    expect(await db.q.selectFrom('awake').selectAll().execute()).toEqual([])
    await drop()
  },
)
