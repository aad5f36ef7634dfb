import { expect, test } from 'vitest'
import { isMigrated, migrate } from '../src/migrations.ts'
import { knownProblem } from '../src/notices/watch-server.ts'
import { openPostgres } from '../src/platform/db/postgres/open.ts'
import { connectUnprivileged, freshPostgres } from './support/database/fresh-postgres.ts'
import { createSignedInPerson } from './support/people.ts'
import { createImportUser } from './support/scenes/import-scene.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { toolbox } from './support/toolbox.ts'

/** Takes advisory locks in this database, as any client that can connect to it could. */
async function takeAdvisoryLocks(url: string, keys: readonly string[]) {
  const { client, disconnect } = await connectUnprivileged(url)
  for (const key of keys) await client.query(`select pg_advisory_lock(${key})`)
  return disconnect
}

test('a database client that holds every guessable advisory lock blocks no call', async () => {
  const box = await toolbox('postgres', { BACKUP_DIR: temporaryFolder() })
  const boss = await createSignedInPerson(box, { username: 'boss', roles: { Admin: 2 } })
  const { importFile, id } = await createImportUser(box)
  const names = ['badge new tags', 'backups', 'first steps dismissed', 'server trouble', `import:${id}`]
  const keys = names.map((name) => `hashtext('${name}')`)
  const releaseLocks = await takeAdvisoryLocks(box.context.config.databaseUrl!, keys)
  const view = await box.app.inject('/api/v1/analyticsbadge/new_tag')
  expect([view.statusCode, view.headers['x-views']]).toEqual([200, '1'])
  expect((await boss.screen.post('/api/v1/admin/backups')).status).toBe(201)
  expect((await boss.screen.patch('/api/v1/admin/first-steps', { ids: ['https'] })).status).toBe(200)
  expect((await importFile('https://93.184.215.14/', 'text/plain')).status).toBe(200)
  expect(await box.db.q.transaction().execute((tx) => knownProblem.lock(box.db, tx))).toBeUndefined()
  await releaseLocks()
  await box.close()
})

test('a database client that holds the advisory lock of the migrations blocks no instance from starting', async () => {
  const { url, drop } = await freshPostgres()
  const releaseLocks = await takeAdvisoryLocks(url, ['3853314791062309107'])
  const instances = [openPostgres(url), openPostgres(url), openPostgres(url)]
  await Promise.all(instances.map(migrate))
  expect(await Promise.all(instances.map(isMigrated))).toEqual([true, true, true])
  await Promise.all(instances.map((db) => db.close()))
  await releaseLocks()
  await drop()
})
