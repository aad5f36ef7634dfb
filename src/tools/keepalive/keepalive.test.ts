import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/databases.ts'
import { type Toolbox, toolbox } from '../../../test/toolbox.ts'
import { keptRuns } from '../../entries/store.ts'
import { dayOf, days, hours, minutes, seconds } from '../../shared/time.ts'

/** An app on loopback that answers as its path says: /503, /404, /hang. */
function fakeApp() {
  let visits: string[] = []
  const server: Server = createServer((request, response: ServerResponse) => {
    visits.push(request.url ?? '')
    if (request.url === '/hang') return
    if (request.url === '/moved') return response.writeHead(302, { location: '/200' }).end()
    response.writeHead(Number(request.url?.slice(1)) || 200).end('hello')
  })
  return {
    listen: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    url: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    visits: () => visits,
    forget: () => {
      visits = []
    },
    close: () => server.closeAllConnections() ?? server.close(),
  }
}

const target = fakeApp()
beforeAll(() => target.listen())
afterAll(() => target.close())

describe.each(dialects)('keep-alive on %s', (dialect) => {
  let box: Toolbox
  let ada: ReturnType<Toolbox['as']>
  let boss: ReturnType<Toolbox['as']>
  let adaUser: Awaited<ReturnType<Toolbox['person']>>

  beforeAll(async () => {
    box = await toolbox(dialect, { KEEPALIVE_TIMEOUT: '1s' })
    adaUser = await box.person('ada')
    ada = box.as(adaUser)
    boss = box.as(await box.person('boss', 2))
  })
  afterAll(() => box.close())
  beforeEach(async () => {
    target.forget()
    await box.db.q.deleteFrom('entry').execute()
  })

  const create = async (path: string, more: object = {}) => {
    const answer = await ada.post('/api/v1/keepalive/', { url: target.url(path), ...more })
    expect(answer.status).toBe(201)
    return answer.body as { id: string }
  }
  const read = async (id: string) => (await ada.get(`/api/v1/keepalive?id=${id}`)).body

  test('a new entry is visited at once and then every 28 minutes, start to start', async () => {
    const { id } = await create('/200')
    await box.work.runDue()
    box.pass(minutes(27))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(1)
    box.pass(minutes(1))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(2)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: true }, { success: true }])
    expect(entry.history[0].timestamp - entry.history[1].timestamp).toBe(minutes(28))
    expect(entry.nextRunAt).toBe(box.now() + minutes(28))
    expect(entry.lastRun).toEqual(entry.history[0])
    expect(entry.stats).toMatchObject({ up: 1, days: [{ day: '2026-01-05', ok: 2, fail: 0 }] })
  })

  test('an interval of its own replaces the default, and a changed one counts from the last run', async () => {
    const { id } = await create('/200', { interval: 60 })
    await box.work.runDue()
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(60))
    box.pass(minutes(5))
    await ada.patch('/api/v1/keepalive', { id, interval: 10 })
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(5))
    await ada.patch('/api/v1/keepalive', { id, interval: null })
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(23))
  })

  test('after a long stop an entry is visited once, and its turns keep their beat', async () => {
    const { id } = await create('/200')
    const born = box.now()
    await box.work.runDue()
    box.pass(hours(10) + minutes(1))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(2)
    expect((await read(id)).nextRunAt).toBe(born + minutes(28) * 22)
  })

  test.each([
    ['/404', 'answered 404'],
    ['/500', 'answered 500'],
    ['/hang', 'timeout after 1 s'],
  ])('the first run of %s fails at once and says why', async (path, note) => {
    const { id } = await create(path)
    await box.work.runDue()
    expect((await read(id)).history).toMatchObject([{ success: false, note }])
    expect(target.visits()).toHaveLength(1)
  })

  test('a redirect is followed and its end counts', async () => {
    const { id } = await create('/moved')
    await box.work.runDue()
    expect(target.visits()).toEqual(['/moved', '/200'])
    expect((await read(id)).history).toMatchObject([{ success: true }])
  })

  test('a scheduled 503 is tried again after 10 s, and one run is recorded for both', async () => {
    const { id } = await create('/503')
    await box.work.runDue()
    box.pass(minutes(28))
    await box.work.runDue()
    expect((await read(id)).history).toHaveLength(1)
    box.pass(seconds(10))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(3)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: false, note: 'answered 503' }, { note: 'answered 503' }])
    expect(entry.nextRunAt).toBe(box.now() - seconds(10) + minutes(28))
  })

  test('an interval below 5 minutes and a 404 get no second attempt', async () => {
    const short = await create('/503', { interval: 4 })
    const gone = await create('/404')
    await box.work.runDue()
    box.pass(minutes(28))
    await box.work.runDue()
    expect((await read(short.id)).history).toHaveLength(2)
    expect((await read(gone.id)).history).toHaveLength(2)
  })

  test('run now visits beside the turns, records at once, and works while inactive', async () => {
    const { id } = await create('/503', { status: false })
    await box.work.runDue()
    expect(target.visits()).toHaveLength(0)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    await box.work.runDue()
    expect(target.visits()).toHaveLength(1)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: false, note: 'answered 503' }])
    expect(entry.nextRunAt).toBeNull()
  })

  test('switched off it rests, switched on it is visited at once', async () => {
    const { id } = await create('/200')
    await box.work.runDue()
    await ada.patch('/api/v1/keepalive', { id, status: false })
    box.pass(hours(1))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(1)
    await ada.patch('/api/v1/keepalive', { id, status: true })
    await box.work.runDue()
    expect(target.visits()).toHaveLength(2)
  })

  test('the entries of a blocked owner rest and go on when the owner is active again', async () => {
    await create('/200')
    await box.db.q.updateTable('users').set({ status: 0 }).where('id', '=', adaUser.id).execute()
    await box.work.runDue()
    expect(target.visits()).toHaveLength(0)
    await box.db.q.updateTable('users').set({ status: 2 }).where('id', '=', adaUser.id).execute()
    box.pass(minutes(28))
    await box.work.runDue()
    expect(target.visits()).toHaveLength(1)
  })

  test('a new address is visited at once; what was under way for the old one is not recorded', async () => {
    const { id } = await create('/404')
    const [job] = await box.kit.jobs.claim(box.now(), minutes(1), 5)
    await ada.patch('/api/v1/keepalive', { id, url: target.url('/200') })
    const late = await box.kit.jobs.settle([{ id: job!.id, turnAt: job!.turnAt + minutes(28), dueAt: 0, attempt: 0 }])
    expect(late.size).toBe(0)
    await box.work.runDue()
    expect(target.visits()).toEqual(['/200'])
  })

  test('a deleted entry takes its job, runs and days with it', async () => {
    const { id } = await create('/200')
    await box.work.runDue()
    expect((await ada.delete(`/api/v1/keepalive?id=${id}`)).body).toEqual({ id })
    for (const table of ['job', 'run', 'run_day'] as const)
      expect(await box.db.q.selectFrom(table).select('entry_id').execute()).toEqual([])
    expect((await ada.get(`/api/v1/keepalive?id=${id}`)).status).toBe(404)
  })

  test(`history keeps the newest ${keptRuns} runs, the days keep them all, and old days go`, async () => {
    const { id } = await create('/200', { interval: 1 })
    const old = { entry_id: id, day: dayOf(box.now() - days(401)), ok: 7, fail: 0, ms_sum: 0, ms_max: 0 }
    await box.db.q.insertInto('run_day').values(old).execute()
    for (let run = 0; run < keptRuns + 5; run++) {
      await box.work.runDue()
      box.pass(minutes(1))
    }
    const entry = await read(id)
    expect(entry.history).toHaveLength(keptRuns)
    expect(entry.stats.days.reduce((sum: number, day: { ok: number }) => sum + day.ok, 0)).toBe(keptRuns + 5)
  })

  test('the list holds no history and newest entries first; another’s entry is not there', async () => {
    const first = await create('/200')
    box.pass(1)
    const second = await create('/404')
    await box.work.runDue()
    const list = (await ada.get('/api/v1/keepalive/list')).body
    expect(list.map((one: { id: string }) => one.id)).toEqual([second.id, first.id])
    expect(list[0]).not.toHaveProperty('history')
    expect(list[0].lastRun).toMatchObject({ success: false })
    const eve = box.as(await box.person(`eve${box.now()}`))
    expect((await eve.get('/api/v1/keepalive/list')).body).toEqual([])
    for (const answer of [
      await eve.get(`/api/v1/keepalive?id=${first.id}`),
      await eve.patch('/api/v1/keepalive', { id: first.id, status: false }),
      await eve.delete(`/api/v1/keepalive?id=${first.id}`),
      await eve.post(`/api/v1/keepalive/run?id=${first.id}`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: 'Entry not found.' } })
    expect((await boss.get(`/api/v1/keepalive?id=${first.id}`)).body.owner).toBe('ada@example.com')
  })

  test('only Tools 2 sets the owner; the present one may always be said', async () => {
    const { id } = await create('/200', { owner: 'ada@example.com' })
    const mine = await ada.patch('/api/v1/keepalive', { id, owner: 'boss@example.com' })
    expect(mine).toMatchObject({ status: 400, body: { fields: { owner: expect.any(String) } } })
    expect((await ada.patch('/api/v1/keepalive', { id, owner: 'nobody@example.com' })).status).toBe(400)
    expect((await boss.patch('/api/v1/keepalive', { id, owner: 'nobody@example.com' })).status).toBe(400)
    expect((await boss.patch('/api/v1/keepalive', { id, owner: 'Boss@Example.com' })).body.owner).toBe(
      'boss@example.com',
    )
  })

  test('a body may hold the whole record as it was read; a name of no record is refused', async () => {
    const { id } = await create('/200')
    const whole = await read(id)
    expect((await ada.patch('/api/v1/keepalive', { ...whole, status: false })).body.status).toBe(false)
    expect((await ada.post('/api/v1/keepalive', whole)).status).toBe(201)
    expect(await ada.patch('/api/v1/keepalive', { id, colour: 'red' })).toMatchObject({
      status: 400,
      body: { fields: { colour: expect.any(String) } },
    })
  })

  test.each([
    [{}, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'http://user:pass@example.com' }, 'url'],
    [{ url: `https://example.com/${'a'.repeat(2_048)}` }, 'url'],
    [{ url: 'http://10.0.0.1/' }, 'url'],
    [{ url: 'http://[::1]/' }, 'url'],
    [{ url: 'http://169.254.169.254/latest/meta-data' }, 'url'],
    [{ url: 'http://93.184.216.34:25/' }, 'url'],
    [{ url: 'https://example.com', interval: 0 }, 'interval'],
    [{ url: 'https://example.com', interval: 1.5 }, 'interval'],
    [{ url: 'https://example.com', interval: 10_081 }, 'interval'],
    [{ url: 'https://example.com', status: 'yes' }, 'status'],
  ])('a body of %j is refused with a word about %s', async (body, field) => {
    const answer = await ada.post('/api/v1/keepalive', body)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.any(String), fields: { [field]: expect.any(String) } },
    })
    expect(await box.db.q.selectFrom('entry').select('id').execute()).toEqual([])
  })

  test('without a session it answers 401, without the role 403', async () => {
    expect((await box.app.inject('/api/v1/keepalive/list')).statusCode).toBe(401)
    const guest = box.as(await box.person(`guest${box.now()}`, 0))
    expect((await guest.get('/api/v1/keepalive/list')).status).toBe(403)
  })

  test('one entry over a thousand is refused, also when two are asked for at once', async () => {
    const values = Array.from({ length: 999 }, (_, i) => ({
      id: `full${i}`,
      tool: 'keepalive',
      owner_id: adaUser.id,
      status: 0 as const,
      settings: '{"url":"https://example.com","interval":null}',
      address: null,
      created_at: 0,
      updated_at: 0,
    }))
    await box.db.q.insertInto('entry').values(values).execute()
    const answers = await Promise.all([1, 2].map(() => ada.post('/api/v1/keepalive', { url: target.url('/200') })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
  })
})
