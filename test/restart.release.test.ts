import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bothDialects } from './support/database/databases.ts'
import { type ServerDatabase, serverDatabase } from './support/database/server-database.ts'
import { type FakeWeb, fakeWeb } from './support/fakes/fake-web.ts'
import { adminEnv, signedInClient, startProcess } from './support/process.ts'

type Entry = { id: string; lastRun: unknown; history: unknown[] }

describe.each(bothDialects)('a whole process on %s', (dialect) => {
  let database: ServerDatabase
  let server: Awaited<ReturnType<typeof start>>
  let web: FakeWeb

  beforeAll(async () => {
    web = await fakeWeb()
    database = await serverDatabase(dialect)
    server = await start()
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await web.close()
    await database.drop()
  })
  async function start() {
    const started = await startProcess({ ...database.env, ...adminEnv })
    return { ...started, call: await signedInClient(started.url) }
  }
  /** Slow enough that a kill finds visits in flight. */
  const url = (name: string | number) => `${web.origin}/delay/30?${name}`

  test('keeps every acknowledged write when killed during its work, and resumes', async () => {
    const ids: string[] = []
    for (let i = 0; i < 10; i++)
      ids.push((await server.call<Entry>('POST', '/api/v1/keepalive', { url: url(i) })).body.id)
    await expect.poll(() => web.visits.length, { interval: 5 }).toBeGreaterThan(0)
    await server.end('SIGKILL')
    await database.freeLeases()

    server = await start()
    const list = async () => (await server.call<Entry[]>('GET', '/api/v1/keepalive/list')).body
    expect(new Set((await list()).map((entry) => entry.id))).toEqual(new Set(ids))
    await expect.poll(async () => (await list()).filter((entry) => entry.lastRun).length).toBe(10)
  })

  test('exits cleanly on SIGTERM and keeps the history', async () => {
    const { id } = (await server.call<Entry>('POST', '/api/v1/keepalive', { url: url('another') })).body
    const history = async () => (await server.call<Entry>('GET', `/api/v1/keepalive?id=${id}`)).body.history
    await expect.poll(async () => (await history()).length).toBe(1)
    const before = await history()
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.printed()).toContain('"msg":"Stopped"')

    server = await start()
    expect(await history()).toEqual(before)
    expect(server.printed()).not.toContain('/auth/setup')
  })
})
