import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { deleteUser } from '../src/admin/edit.ts'
import { beforeRemove, cleanUpAccounts, cleanUpTools } from '../src/app.ts'
import { removeEntry } from '../src/entries/edit/edit.ts'
import { sessionUser } from '../src/people/store.ts'
import type { Db } from '../src/platform/db/open.ts'
import { server as relay } from '../src/tools/herokudiscordwebhook/server.ts'
import { dialects, freshDatabase, insertEntry, insertUser } from './support/database/databases.ts'
import { type Toolbox, toolbox } from './support/toolbox.ts'

const many = 5_100

/** Wraps the database and records how many rows each statement changed. */
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

const boss = { id: 'boss', name: 'boss', address: null, device: null }

const quiet = { notify: async () => [], events: { publish: () => undefined, close: async () => undefined } }

describe.each(dialects)('cleaning up on %s', (dialect) => {
  async function databaseWithRelay() {
    const { db, drop } = await freshDatabase(dialect)
    onTestFinished(drop)
    await insertUser(db, 'ada')
    await insertEntry(db, 'e', 'ada')
    await db.q.insertInto('relay').values({ entry_id: 'e', webhook_id: '1' }).execute()
    return db
  }

  test('a server that was off for a long time deletes expired rows in batches', async () => {
    const db = await databaseWithRelay()
    await db.q.insertInto('badge').values({ tag: 'old', other: 9, last_view: 0, created_at: 0 }).execute()
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
    await cleanUpAccounts({ db: watched, now })
    await cleanUpTools({ ...quiet, db: watched, now })
    expect(Math.max(...changed)).toBe(5_000)
    expect(changed.reduce((sum, rows) => sum + rows)).toBe(4 * many + 1)
  })

  test('a failed deletion in one table does not keep expired rows of other tables', async () => {
    const db = await databaseWithRelay()
    await sql`insert into audit (id, at, actor, action, changes) values ('1', 0, '', '', '[]')`.execute(db.q)
    await sql`insert into relay_event (id, entry_id, event_id, event_key, resource, action, state, received_at, payload)
      values ('001', 'e', '1', '1', '', '', 'delivered', 0, '')`.execute(db.q)
    for (const table of ['sessions', 'badge_day']) await sql`drop table ${sql.table(table)}`.execute(db.q)
    const now = () => Date.UTC(2026, 0, 5)
    await expect(cleanUpAccounts({ db, now })).rejects.toThrow('sessions')
    await expect(cleanUpTools({ ...quiet, db, now })).rejects.toThrow('badge_day')
    expect(await db.q.selectFrom('audit').select('id').execute()).toEqual([])
    expect(await db.q.selectFrom('relay_event').select('id').execute()).toEqual([])
  })

  describe('an entry with thousands of events', () => {
    let box: Toolbox
    let ada: Awaited<ReturnType<Toolbox['createPerson']>>
    beforeEach(async () => {
      box = await toolbox(dialect)
      ada = await box.createPerson('ada')
      await insertEntry(box.db, 'e', ada.id, 'herokudiscordwebhook')
      await sql`with recursive numbers as (select 1 as i union all select i + 1 from numbers where i < ${sql.lit(many)}),
        texts as (select cast(i as text) as n from numbers)
        insert into relay_event (id, entry_id, event_id, event_key, resource, action, state, received_at, payload)
        select n, 'e', n, n, '', '', 'delivered', 0, '' from texts`.execute(box.db.q)
    })
    afterEach(() => box.close())
    const countRemaining = async () => {
      const events = box.db.q.selectFrom('relay_event').select((eb) => eb.fn.countAll<number>().as('count'))
      const entries = await box.db.q.selectFrom('entry').select('id').execute()
      return [(await events.executeTakeFirstOrThrow()).count, entries.length]
    }
    const remove = async (db: Db) =>
      removeEntry({ ...box.context, db }, relay, { user: await sessionUser(box.db.q, ada.id), actor: boss }, 'e')

    test('is deleted in batches', async () => {
      const { db, changed } = counted(box.db)
      await remove(db)
      expect(changed).toEqual([5_000, 100, 1])
      expect(await countRemaining()).toEqual([0, 0])
    })

    test('is deleted completely or not at all', async () => {
      const { db, changed } = counted(box.db)
      const breaks = db.q.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (changed.length > 1) throw new Error('It ends in between.')
          return result
        },
      })
      await expect(remove({ ...db, q: breaks })).rejects.toThrow('in between')
      expect(changed).toEqual([5_000, 100])
      expect(await countRemaining()).toEqual([many, 1])
    })

    test('is deleted in batches along with its user', async () => {
      const { db, changed } = counted(box.db)
      await deleteUser({ ...box.context, db, offered: [], beforeRemove: beforeRemove(box.context) }, boss, ada)
      expect(changed).toEqual([5_000, 100, 1, 1, 1])
      expect(await countRemaining()).toEqual([0, 0])
    })
  })

  test('a deleted user’s entries are deleted a few at a time', async () => {
    const box = await toolbox(dialect)
    const { id, email } = await box.createPerson('ada')
    for (let i = 0; i < 12; i++) await insertEntry(box.db, `e${i}`, id)
    const { db, changed } = counted(box.db)
    await deleteUser({ ...box.context, db, offered: [], beforeRemove: beforeRemove(box.context) }, boss, { email })
    expect(changed).toEqual([5, 5, 2, 1, 1])
    expect(await box.db.q.selectFrom('entry').select('id').execute()).toEqual([])
    await box.close()
  })
})
