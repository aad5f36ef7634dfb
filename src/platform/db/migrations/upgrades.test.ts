import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase, insertEntry, insertUser } from '../../../../test/support/database/databases.ts'
import { days, hours, minutes } from '../../../shared/time.ts'
import type { Db } from '../open.ts'
import { plannedAt } from './0.1.ts'
import { inbox } from './0.2.ts'
import { accessRequests, pacedJobs } from './next.ts'
import { schemaOf } from './schema.ts'

describe.each(bothDialects)('after an upgrade on %s', (dialect) => {
  let db: Db
  beforeEach(async () => {
    const opened = await freshDatabase(dialect)
    db = opened.db
    return opened.drop
  })

  test('users who were waiting for approval still are', async () => {
    await sql`drop table access_request`.execute(db.q)
    const log = (id: string, action: string, of: string, changes = '[]') =>
      sql`insert into audit (id, at, actor, action, target_id, changes)
      values (${id}, ${Number(id)}, 'x', ${action}, ${of}, ${changes})`.execute(db.q)
    for (const name of ['waits', 'edited', 'active', 'came', 'made']) await insertUser(db, name)
    await db.q.updateTable('users').set({ status: 1, log_in_count: 0 }).where('id', '!=', 'active').execute()
    await db.q.updateTable('users').set({ log_in_count: 1 }).where('id', '=', 'came').execute()
    for (const [n, name] of ['waits', 'edited', 'active', 'came'].entries())
      await log(String(n + 1), 'user.signup', name)
    await log('8', 'user.edit', 'edited', JSON.stringify([{ field: 'status', from: 2, to: 1 }]))
    await log('9', 'user.edit', 'waits', JSON.stringify([{ field: 'name', from: 'a', to: 'b' }]))
    await accessRequests(schemaOf(dialect)).up(db.q)
    const rows = await db.q.selectFrom('access_request').selectAll().execute()
    expect(rows).toEqual([
      { user_id: 'waits', kind: 'sign-up', message: null, at: 1, decided_at: null, decision: null },
    ])
  })

  test('a notice that no screen has shown is still unread', async () => {
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
  })

  test('jobs of the previous version count as planned at the upgrade', async () => {
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
  })

  test('existing jobs stay unchanged, however long their payloads', async () => {
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
    // Random, because a database may compress repetitive text; PostgreSQL can't index text of this length.
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
  })

  test('secondAndThird returns the second and third part of a URL without its scheme', async () => {
    const parts = async (text: string) => {
      const from = sql`(select cast(${text} as text) as about) as entry`
      const { rows } = await sql<{
        parts: string
      }>`select ${sql.raw(schemaOf(dialect).secondAndThird('about'))} as parts from ${from}`.execute(db.q)
      return rows[0]?.parts
    }
    expect(await parts('github.com/octocat/hello/blob/main/README.md')).toBe('octocat/hello')
    expect(await parts('github.com/octocat/hello')).toBe('octocat/hello')
    expect(await parts('github.com/octocat')).toBe('octocat')
  })
})
