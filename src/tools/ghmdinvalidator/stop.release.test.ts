import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { type ServerDatabase, serverDatabase } from '../../../test/support/database/server-database.ts'
import { type FakeGithub, fakeGithub } from '../../../test/support/fakes/fake-github.ts'
import { adminEnv, signedInClient, startProcess } from '../../../test/support/process.ts'

type Entry = { id: string; history: { success: boolean; status: number }[] }

describe.each(bothDialects)('a process that ends in the middle of a run, on %s', (dialect) => {
  let github: FakeGithub
  let database: ServerDatabase
  let server: Awaited<ReturnType<typeof start>>

  beforeAll(async () => {
    github = await fakeGithub()
    database = await serverDatabase(dialect)
    server = await start()
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await github.close()
    await database.drop()
  })

  async function start() {
    const started = await startProcess({
      ...adminEnv,
      ...database.env,
      ...github.env,
    })
    return { ...started, call: await signedInClient(started.url) }
  }
  const create = async (url: string) => (await server.call<Entry>('POST', '/api/v1/ghmdinvalidator', { url })).body.id

  test('repeats the run after it was killed, without repeating completed purges', async () => {
    const quick = Array.from({ length: 3 }, (_, index) => github.image(`https://img.example/quick${index}.svg`))
    const stuck = github.image('https://img.example/stuck.svg', 'hang', { body: '{"status":"ok","id":"1"}' })
    const id = await create(github.page('/owner/killed', [...quick, stuck]))
    await expect.poll(() => github.purges().length).toBe(4)
    const stored = database.db.q.selectFrom('purge').select('hash')
    await expect.poll(async () => (await stored.execute()).length).toBe(3)
    await server.end('SIGKILL')
    await database.freeLeases()

    server = await start()
    const history = async () => (await server.call<Entry>('GET', `/api/v1/ghmdinvalidator?id=${id}`)).body.history
    await expect.poll(history).toMatchObject([{ success: true, status: 4 }])
    expect(github.purges().sort()).toEqual([...quick, stuck, stuck].sort())
  })

  test('finishes the run first when asked to stop', async () => {
    github.forget()
    const slow = github.image('https://img.example/slow.svg', { delay: 1_500, body: '{"status":"ok","id":"1"}' })
    const id = await create(github.page('/owner/stopped', [slow]))
    await expect.poll(() => github.purges().length).toBe(1)
    expect(await server.end('SIGTERM')).toBe(0)
    const runs = database.db.q.selectFrom('run').select(['success', 'count']).where('entry_id', '=', id)
    expect(await runs.execute()).toEqual([{ success: 1, count: 1 }])
    expect(github.purges()).toHaveLength(1)
  })
})
