import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase, insertUser } from '../../../../test/support/database/databases.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { label, labelOfDatabase } from '../label.ts'
import { inspect, total } from './inspect.ts'
import { backUp } from './make-backup.ts'
import { openSqlite } from './open.ts'

const sizeOf = (file: string) => statSync(file).size

test('a backup made during a transaction is complete, labelled and without excluded tables', async () => {
  const { db, drop } = await freshDatabase('sqlite')
  const [{ file: from = '' } = {}] = (await sql<{ file: string }>`pragma database_list`.execute(db.q)).rows
  await insertUser(db, 'ada')
  const token = 'a-token-that-must-not-leave'
  const at = new Date(0).toISOString()
  const session = { id: 's', token, user_id: 'ada', expires_at: at, created_at: at, updated_at: at }
  await db.q
    .insertInto('sessions')
    .values({ ...session, ip_address: null, user_agent: null })
    .execute()
  const folder = temporaryFolder()
  const to = join(folder, 'copy.db')
  // Left behind by a killed process.
  writeFileSync(`${to}.part`, 'half')
  const { rows } = await db.q.transaction().execute(async (tx) => {
    await tx.updateTable('users').set({ name: 'later' }).execute()
    return backUp({ from, to, without: ['sessions', 'no_such_table'] })
  })
  const { migrations, rows: counts } = inspect(to)
  expect([counts.users, counts.sessions, total(counts)]).toEqual([1, 0, rows])
  expect(migrations.length).toBeGreaterThan(10)
  expect(labelOfDatabase(to, sizeOf(to))).toEqual({ rows, isWhole: true })
  expect(labelOfDatabase(to, sizeOf(to) - 1)?.isWhole).toBe(false)
  expect([readFileSync(to).includes(token), statSync(to).mode & 0o777, readdirSync(folder)]).toEqual([
    false,
    0o600,
    ['copy.db'],
  ])
  const copy = new DatabaseSync(to, { readOnly: true })
  expect(copy.prepare('select name from users').all()).toEqual([expect.objectContaining({ name: 'ada' })])
  copy.close()
  await expect(backUp({ from, to, without: [] })).rejects.toThrow('already exists')
  label(to, undefined)
  expect([labelOfDatabase(to, sizeOf(to)), labelOfDatabase(from, sizeOf(from))]).toEqual([undefined, undefined])
  await drop()
})

test('a foreign or damaged database leaves no backup behind', async () => {
  const [from, folder] = [temporaryFolder(), temporaryFolder()]
  const to = join(folder, 'copy.db')
  await openSqlite(from).close()
  const attempt = () => backUp({ from: join(from, 'toolbox.db'), to, without: [] })
  await expect(attempt()).rejects.toThrow('not a valid ToolBox database')
  writeFileSync(join(from, 'toolbox.db'), 'x'.repeat(10_000))
  await expect(attempt()).rejects.toThrow('is damaged')
  expect(readdirSync(folder)).toEqual([])
})
