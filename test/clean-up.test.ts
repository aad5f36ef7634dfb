import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deleteUser } from '../src/accounts/admin/edit.ts'
import { cleanUpUsers } from '../src/accounts/users/clean-up.ts'
import { cleanUpTools } from '../src/app.ts'
import type { Db } from '../src/platform/db/open.ts'
import { dialects, freshDatabase, insertEntry, insertUser } from './support/database/databases.ts'
import { toolbox } from './support/toolbox.ts'

const many = 5_100

/** The database, and how many rows each statement changed. */
function counted(db: Db) {
  const changed: number[] = []
  const q = db.q.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.numAffectedRows) changed.push(Number(result.numAffectedRows))
      return result
    },
  })
  return { db: { ...db, q }, changed }
}

describe.each(dialects)('cleaning up on %s', (dialect) => {
  test('a server that was off for long deletes what is too old some at a time', async () => {
    const { db, drop } = await freshDatabase(dialect)
    await insertUser(db, 'ada')
    await insertEntry(db, 'e', 'ada')
    await db.q.insertInto('relay').values({ entry_id: 'e', webhook_id: '1' }).execute()
    await db.q.insertInto('badge').values({ tag: 'old', last_view: 0, created_at: 0 }).execute()
    const notification = { id: 'n', user_id: null, type: 'info', message: '', author: '', issued_at: 0 }
    await db.q.insertInto('notification').values(notification).execute()
    for (const [into, values] of [
      ['audit (id, at, actor, action, changes)', "n, 0, '', '', '[]'"],
      ['badge_day (tag, day, camo, other)', "'old', '1' || n, 0, 0"],
      [
        'relay_event (id, entry_id, event_id, event_key, resource, action, state, received_at, payload)',
        "'00' || n, 'e', n, n, '', '', 'delivered', 0, ''",
      ],
      ['users (id, name, email, email_verified, created_at, updated_at)', "n, n, n, '1', '2020-01-01', '2020-01-01'"],
      ['notification_seen (user_id, notification_id)', "n, 'n'"],
    ])
      await sql`with recursive numbers as (select 1 as i union all select i + 1 from numbers where i < ${sql.lit(many)}),
        texts as (select cast(i as text) as n from numbers)
        insert into ${sql.raw(`${into} select ${values}`)} from texts`.execute(db.q)
    const { db: watched, changed } = counted(db)
    const now = () => Date.UTC(2026, 0, 5)
    await cleanUpUsers({ db: watched, now })
    await cleanUpTools({ db: watched, now })
    expect(Math.max(...changed)).toBe(5_000)
    expect(changed.reduce((sum, rows) => sum + rows)).toBe(4 * many + 1)
    await drop()
  })

  test('a deleted user’s entries go a few at a time', async () => {
    const box = await toolbox(dialect)
    const { id, email } = await box.person('ada')
    for (let i = 0; i < 12; i++) await insertEntry(box.db, `e${i}`, id)
    const { db, changed } = counted(box.db)
    const actor = { id: 'boss', name: 'boss', address: null }
    await deleteUser({ ...box.context, db, offered: [] }, actor, email)
    expect(changed).toEqual([5, 5, 2, 1, 1])
    expect(await box.db.q.selectFrom('entry').select('id').execute()).toEqual([])
    await box.close()
  })
})
