import { expect, onTestFinished, test } from 'vitest'
import { bothDialects } from './support/database/databases.ts'
import { serverDatabase } from './support/database/server-database.ts'
import { fakeWeb } from './support/fakes/fake-web.ts'
import { adminEnv, signedInClient, startProcess } from './support/process.ts'

type Entry = { id: string; lastRun: unknown; history: unknown[] }

test.each(bothDialects)(
  'a process on %s keeps what it acknowledged when killed or stopped, and resumes',
  async (dialect) => {
    const web = await fakeWeb()
    onTestFinished(web.close)
    const { env, freeLeases, drop } = await serverDatabase(dialect)
    onTestFinished(drop)
    async function start() {
      const server = await startProcess({ ...env, ...adminEnv })
      onTestFinished(async () => void (await server.end('SIGKILL')))
      return { ...server, call: await signedInClient(server.url) }
    }
    const first = await start()
    const ids: string[] = []
    for (let i = 0; i < 10; i++) {
      // Slow enough that the kill finds visits in flight.
      const entry = { url: `${web.origin}/delay/30?${i}` }
      ids.push((await first.call<Entry>('POST', '/api/v1/keepalive', entry)).body.id)
    }
    await expect.poll(() => web.visits.length, { interval: 5 }).toBeGreaterThan(0)
    await first.end('SIGKILL')
    await freeLeases()

    const second = await start()
    const list = async () => (await second.call<Entry[]>('GET', '/api/v1/keepalive/list')).body
    expect(new Set((await list()).map((entry) => entry.id))).toEqual(new Set(ids))
    await expect.poll(async () => (await list()).filter((entry) => entry.lastRun).length).toBe(10)

    const historyBy = async (call: typeof second.call) =>
      (await call<Entry>('GET', `/api/v1/keepalive?id=${ids[0]}`)).body.history
    const history = await historyBy(second.call)
    expect(await second.end('SIGTERM')).toBe(0)
    expect(second.printed()).toContain('"msg":"Stopped"')

    const third = await start()
    expect(await historyBy(third.call)).toEqual(history)
    expect(third.printed()).not.toContain('/auth/setup')
  },
)
