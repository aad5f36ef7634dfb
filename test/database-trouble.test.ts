import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { hours, seconds } from '../src/shared/time.ts'
import { freshDatabase } from './support/database/databases.ts'
import { type Toolbox, toolbox } from './support/toolbox.ts'

const locked = 'The database is locked by another program. Try again in a moment.'
const full = "The server's disk is full, so nothing was saved."

describe('a server on SQLite', () => {
  let box: Toolbox
  let other: DatabaseSync | undefined
  afterEach(async () => {
    other?.close()
    other = undefined
    await box.close()
  })

  async function start(lockTimeout = seconds(10)) {
    box = await toolbox('sqlite', {}, undefined, { database: await freshDatabase('sqlite', { lockTimeout }) })
    const call = box.as(await box.createPerson('ada'))
    await call.get('/api/v1/auth/session')
    return call
  }
  async function lock() {
    const { rows } = await sql<{ file: string }>`pragma database_list`.execute(box.db.q)
    other = new DatabaseSync(rows[0]!.file)
    other.exec('begin immediate')
    return other
  }
  const badge = () => box.app.inject('/api/v1/analyticsbadge/demo')
  async function ready() {
    box.pass(seconds(1))
    const answer = await box.app.inject('/readyz')
    return [answer.statusCode, answer.json().why]
  }
  const list = async (call: Awaited<ReturnType<typeof start>>) => (await call.get('/api/v1/keepalive/list')).body
  const entry = { url: 'http://127.0.0.1:1/' }

  test('waits for another program’s lock, then writes everything once', async () => {
    const call = await start(hours(1))
    const foreign = await lock()
    const writes = Promise.all([badge(), badge(), call.post('/api/v1/keepalive', entry)])
    expect((await box.app.inject('/healthz')).statusCode).toBe(200)
    expect(await list(call)).toEqual([])
    foreign.exec('commit')
    const [one, two, created] = await writes
    expect([one.headers['x-views'], two.headers['x-views'], created.status]).toEqual(['1', '2', 201])
    expect([(await badge()).headers['x-views'], (await list(call)).length]).toEqual(['3', 1])
    expect(await ready()).toEqual([200, undefined])
  })

  test('refuses writes with a clear error while a lock lasts too long, and recovers automatically', async () => {
    const call = await start(50)
    const foreign = await lock()
    const [view, created] = await Promise.all([badge(), call.post('/api/v1/keepalive', entry)])
    expect([view.statusCode, view.body]).toEqual([503, expect.stringContaining('aria-label="views: ?"')])
    expect([created.status, created.body]).toEqual([503, { error: locked }])
    expect(await ready()).toEqual([503, 'locked'])
    expect((await box.app.inject('/healthz')).json()).toMatchObject({ status: 'alive' })
    const signIn = { username: 'ada', password: 'not the password' }
    const refused = await box.app.inject({ method: 'POST', url: '/api/auth/sign-in/username', payload: signIn })
    expect([refused.statusCode, refused.json()]).toEqual([503, { error: locked }])
    expect(await list(call)).toEqual([])
    foreign.exec('commit')
    expect(await ready()).toEqual([200, undefined])
    expect([(await badge()).headers['x-views'], await list(call)]).toEqual(['1', []])
    expect((await call.post('/api/v1/keepalive', entry)).status).toBe(201)
  })

  test('still answers reads of a session that is due for its renewal while writes fail', async () => {
    const call = await start(50)
    const foreign = await lock()
    box.pass(hours(25))
    expect(await list(call)).toEqual([])
    foreign.exec('commit')
  })

  test('reports a full disk while it lasts, and recovers automatically', async () => {
    const call = await start()
    let views = 0
    const look = async () => {
      if ((await badge()).statusCode === 200) views += 1
    }
    await look()
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(box.db.q)
    await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count)}`.execute(box.db.q)
    const settings = { ...entry, url: `http://127.0.0.1:1/${'x'.repeat(2_000)}` }
    const answers = []
    for (let count = 0; count < 20; count += 1) answers.push(await call.post('/api/v1/keepalive', settings))
    const created = answers.filter(({ status }) => status === 201).length
    expect(answers.at(-1)).toMatchObject({ status: 503, body: { error: full } })
    for (let round = 0; round < 3; round += 1) {
      await look()
      // Claiming jobs writes nothing when none are due.
      await box.work.runDue().catch(() => {})
      expect(await ready()).toEqual([503, 'disk'])
    }
    expect((await list(call)).length).toBe(created)
    await sql`pragma max_page_count = 1000000`.execute(box.db.q)
    await expect.poll(ready).toEqual([200, undefined])
    expect((await call.post('/api/v1/keepalive', settings)).status).toBe(201)
    expect((await badge()).headers['x-views']).toBe(String(views + 1))
  })
})
