import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { insertEntry, insertUser } from '../../test/support/database/databases.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { migrate } from '../migrations.ts'
import type { Db } from '../platform/db/open.ts'
import { copyDatabase } from '../platform/db/sqlite/make-backup.ts'
import { relayStore } from '../tools/herokudiscordwebhook/queue/store.ts'
import { backup } from './backups.ts'
import { restore } from './restore.ts'
import { type Terminal, withDatabase } from './terminal.ts'

const settled = { entry_id: 'e', resource: 'build', action: 'update', state: 'accepted', received_at: 1 } as const

/** Stores events that arrive with these ids; after a clock was set back, later events have lower ids. */
const arrive = (db: Db, ids: readonly string[]) =>
  db.q.transaction().execute(async (tx) => {
    for (const id of ids)
      await relayStore(db, tx).insert([{ ...settled, id, event_id: id, note: null, payload: '{}', collapse_key: null }])
  })

const waiting = async ({ q }: Db) =>
  (await q.selectFrom('relay_event').select('id').orderBy('seq').orderBy('id').execute()).map(({ id }) => id)

test.each([
  ['a restored backup', async () => {}],
  ['a copy with other rowids', (db: Db) => sql`update relay_event set rowid = rowid - 3`.execute(db.q)],
])('events wait in order of arrival in %s', async (_what, change) => {
  const terminal: Terminal = { env: {}, folder: temporaryFolder(), say: () => {} }
  await withDatabase(terminal, async (db) => {
    await migrate(db)
    await insertUser(db, 'ada')
    await insertEntry(db, 'e', 'ada', 'herokudiscordwebhook')
    await arrive(db, ['1', '2', '3', '9', '8', '7'])
    await db.q.deleteFrom('relay_event').where('id', 'in', ['1', '2', '3']).execute()
  })
  const file = join(terminal.folder, 'copy.db')
  await backup([file], terminal)
  await restore([file], terminal)
  await withDatabase(terminal, async (db) => {
    await change(db)
    await arrive(db, ['6', '5'])
    expect(await waiting(db)).toEqual(['9', '8', '7', '6', '5'])
    await db.q.deleteFrom('relay_event').where('id', 'in', ['6', '5']).execute()
    await arrive(db, ['4'])
    expect(await waiting(db)).toEqual(['9', '8', '7', '4'])
  })
})

test('a copy is accessible only to its owner, and never replaces a file', async () => {
  const folder = temporaryFolder()
  await withDatabase({ env: {}, folder, say: () => {} }, migrate)
  const mask = process.umask(0)
  onTestFinished(() => void process.umask(mask))
  const [source, copy] = [join(folder, 'data', 'toolbox.db'), join(folder, 'copy.db')]
  copyDatabase(source, copy)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(() => copyDatabase(source, copy)).toThrow('EEXIST')
})
