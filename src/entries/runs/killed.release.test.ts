import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { type ServerDatabase, serverDatabase } from '../../../test/support/database/server-database.ts'
import { startTarget, type Target } from '../../../test/support/page/target.ts'
import { admin, type Process, signedInClient, startProcess } from '../../../test/support/process.ts'
import { seconds } from '../../shared/time.ts'
import type { Progress } from '../contract.ts'
import { nowJob } from '../store.ts'

const count = 70
const patience = { timeout: seconds(120), interval: 100 }

describe.each(bothDialects)('a server that is killed during a batch of runs, on %s', (dialect) => {
  let target: Target
  let database: ServerDatabase
  let server: Process
  beforeAll(async () => {
    target = await startTarget()
    database = await serverDatabase(dialect)
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await target.stop()
    await database.drop()
  })

  const start = async () => {
    const { email: ADMIN_EMAIL, username: ADMIN_USERNAME, password: ADMIN_PASSWORD } = admin
    server = await startProcess({ ...database.env, ADMIN_EMAIL, ADMIN_USERNAME, ADMIN_PASSWORD })
  }

  test('continues where it stopped and runs each entry once', async () => {
    await start()
    let call = await signedInClient(server.url)
    const ids: string[] = []
    for (let at = 0; at < count; at++) {
      const entry = { url: target.url(`/${at}`), status: false }
      ids.push((await call<{ id: string }>('POST', '/api/v1/keepalive/', entry)).body.id)
    }
    const batch = await call<{ progress: string }>('POST', '/api/v1/keepalive/bulk', { ids, act: 'run' })
    expect(batch.body).toMatchObject({ done: ids, progress: expect.any(String) })
    // Ten a second instead of one, to shorten the test.
    const { q } = database.db
    for (const [at, id] of ids.entries()) {
      const dueAt = Date.now() + 100 * at
      const job = q.updateTable('job').set({ due_at: dueAt, free_at: dueAt })
      await job.where('id', '=', nowJob(id)).where('lease_by', 'is', null).execute()
    }
    const recorded = async () =>
      (await q.selectFrom('run').select('entry_id').execute()).map(({ entry_id }) => entry_id)
    for (const minimum of [10, 30]) {
      await expect.poll(async () => (await recorded()).length, patience).toBeGreaterThanOrEqual(minimum)
      await server.end('SIGKILL')
      await database.freeLeases()
      const done = (await recorded()).length
      expect(done).toBeLessThan(count)
      await start()
      call = await signedInClient(server.url)
      const going = (await call<Progress[]>('GET', '/api/v1/user/progress')).body
      expect(going).toMatchObject([{ id: batch.body.progress, total: count }])
      expect(going[0]?.done).toBeGreaterThanOrEqual(done)
    }
    await expect.poll(async () => (await call('GET', '/api/v1/user/progress')).body, patience).toEqual([])
    expect((await recorded()).toSorted()).toEqual(ids.toSorted())
  }, 300_000)
})
