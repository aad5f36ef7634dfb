import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from './support/database/databases.ts'
import { freshPostgres } from './support/database/fresh-postgres.ts'
import { admin, signedIn, startProcess } from './support/process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

type Entry = { id: string; lastRun: unknown; history: unknown[] }

describe.each(dialects)('a whole process on %s', (dialect) => {
  let folder: string
  let env: Record<string, string>
  let drop = async () => {}
  let target: Server
  let visits = 0
  const running: { end: (signal: 'SIGKILL') => Promise<unknown> }[] = []

  beforeAll(async () => {
    folder = temporaryFolder()
    env = { DATA_DIR: folder, APP_SECRET: 'a secret of at least thirty-two characters' }
    env = { ...env, ADMIN_EMAIL: admin.email, ADMIN_USERNAME: admin.username, ADMIN_PASSWORD: admin.password }
    if (dialect === 'postgres') {
      const database = await freshPostgres()
      env = { ...env, DATABASE_URL: database.url }
      drop = database.drop
    }
    target = createServer((_request, response) => {
      visits += 1
      // Slow enough that a kill finds visits in flight.
      setTimeout(() => response.end('awake'), 30)
    })
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    target.closeAllConnections()
    target.close()
    await Promise.all(running.map((one) => one.end('SIGKILL').catch(() => {})))
    await drop()
  })
  const start = () => startProcess(env)
  const url = () => `http://127.0.0.1:${(target.address() as AddressInfo).port}/`

  test('killed in the middle of its work it forgets nothing it has acknowledged, and goes on', async () => {
    const first = await start()
    const call = await signedIn(first.url)
    const ids: string[] = []
    for (let i = 0; i < 10; i++)
      ids.push((await call<Entry>('POST', '/api/v1/keepalive', { url: `${url()}${i}` })).body.id)
    await expect.poll(() => visits, { interval: 5 }).toBeGreaterThan(0)
    await first.end('SIGKILL')

    const second = await start()
    running.push(second)
    const again = await signedIn(second.url)
    const list = async () => (await again<Entry[]>('GET', '/api/v1/keepalive/list')).body
    expect(new Set((await list()).map((entry) => entry.id))).toEqual(new Set(ids))
    if (dialect === 'sqlite')
      // Work that was held is free at once here; over PostgreSQL another instance may hold it until its lease ends.
      await expect.poll(async () => (await list()).filter((entry) => entry.lastRun).length).toBe(10)
  })

  test('asked to stop it ends cleanly, and history is there after the next start', async () => {
    await running.pop()?.end('SIGKILL')
    const first = await start()
    const call = await signedIn(first.url)
    const { id } = (await call<Entry>('POST', '/api/v1/keepalive', { url: url() })).body
    const history = async () => (await call<Entry>('GET', `/api/v1/keepalive?id=${id}`)).body.history
    await expect.poll(async () => (await history()).length).toBe(1)
    const before = await history()
    expect(await first.end('SIGTERM')).toBe(0)
    expect(first.printed()).toContain('"msg":"Stopped"')

    const second = await start()
    running.push(second)
    const again = await signedIn(second.url)
    expect((await again<Entry>('GET', `/api/v1/keepalive?id=${id}`)).body.history).toEqual(before)
    expect(second.printed()).not.toContain('/auth/setup')
  })
})
