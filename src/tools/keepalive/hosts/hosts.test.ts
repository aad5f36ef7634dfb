import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { hostScene } from '../../../../test/support/scenes/keepalive-scene.ts'
import { minutes, seconds } from '../../../shared/time.ts'

describe.each(dialects)('hosts that put apps to sleep, on %s', async (dialect) => {
  const { box, target: web, ada, read, createAt, urlAt } = await hostScene(dialect)
  web.on('/', { body: '<div id="root"></div>' })
  web.on('/rest', { status: 401 })

  test('advice about a host is derived from the URL alone', async () => {
    const advice = async (url: string) => ada.post('/api/v1/keepalive/advice', { url })
    const before = web.visits.length
    expect(await advice(urlAt('app.onrender.com'))).toMatchObject({
      status: 200,
      body: {
        host: { id: 'render', name: 'Render' },
        interval: 13,
        sleepsAfter: 15,
        budget: { hours: 750, per: 'month' },
        notes: [expect.stringContaining('15 minutes'), expect.stringContaining('750 hours')],
        asOf: 'November 2026',
      },
    })
    expect((await advice('https://example.com')).body).toEqual({
      host: null,
      interval: 28,
      keep: 'request',
      sleepsAfter: null,
      budget: null,
      notes: [],
      asOf: 'November 2026',
      pool: null,
    })
    expect((await advice('nonsense')).body.fields).toHaveProperty('url')
    expect(web.visits).toHaveLength(before)
  })

  test('an interval of "auto" follows the host of the URL, and "every" is the effective interval', async () => {
    const { id, ...entry } = await createAt('app.onrender.com', { interval: 'auto' })
    expect(entry).toMatchObject({ interval: 'auto', every: 13 })
    await box.work.runDue()
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(13))
    const { body: other } = await ada.patch('/api/v1/keepalive', { id, interval: null })
    expect(other).toMatchObject({ interval: null, every: 28, nextRunAt: box.now() + minutes(28) })
    await ada.patch('/api/v1/keepalive', { id, interval: 'auto', url: urlAt('app.test') })
    await box.work.runDue()
    const { body: list } = await ada.get('/api/v1/keepalive/list')
    expect(list).toMatchObject([{ id, interval: 'auto', every: 28 }])
    expect((await ada.patch('/api/v1/keepalive', { ...(await read(id)), every: 5 })).body).toMatchObject({ every: 28 })
    const { status, body } = await ada.patch('/api/v1/keepalive', { id, interval: 'often' })
    expect([status, body.fields.interval]).toEqual([400, expect.stringContaining('10080')])
  })

  test("the forecast of free hours includes the user's active entries, and the entry in a form", async () => {
    const bobUser = await box.createPerson('bob')
    const bob = box.as(bobUser)
    const at = (name: string) => urlAt(`${name}.onrender.com`)
    const add = async (body: object) => (await bob.post('/api/v1/keepalive/', body)).body.id as string
    const forecast = async (who = bob) => (await who.get('/api/v1/keepalive/forecast')).body
    const advice = async (body: object) => (await bob.post('/api/v1/keepalive/advice', body)).body.pool
    expect(await forecast()).toEqual([])
    const one = await add({ url: at('one'), interval: 'auto' })
    await add({ url: at('off'), interval: 'auto', status: false })
    await add({ url: 'https://example.com' })
    // From noon of the fifth on, when the entries are created.
    const month = { hours: 636, used: 0, over: false, runsOutAt: null, quiet: null }
    const host = { id: 'render', name: 'Render' }
    const pool = { host, entries: 1, apps: 1, budget: { hours: 750, per: 'month' }, ...month }
    expect(await forecast()).toEqual([pool])
    expect(await forecast(ada)).toEqual([])

    expect(await advice({ url: at('two') })).toBeNull()
    const two = { entries: 2, apps: 2, hours: 1_272, over: true, runsOutAt: Date.UTC(2026, 0, 21, 3) }
    expect(await advice({ url: at('two'), interval: 'auto' })).toMatchObject(two)
    expect(await advice({ url: at('two'), status: false })).toMatchObject({ apps: 1 })
    expect(await advice({ url: at('one'), id: one, interval: 60 })).toMatchObject({ apps: 1, hours: 159 })
    const { from, to } = (await advice({ url: at('two'), interval: 'auto' })).quiet
    const quiet = { zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5, 6, 7], from, to }
    await bob.patch('/api/v1/keepalive', { id: one, quiet })
    expect(await advice({ url: at('two'), interval: 'auto', quiet })).toMatchObject({ apps: 2, over: false })
    const [{ hours }] = await forecast()
    expect(hours).toBeGreaterThan(250)
    expect(hours).toBeLessThan(325)
    expect((await ada.post('/api/v1/keepalive/advice', { url: at('one'), id: one })).status).toBe(404)
  })

  test('a response that leaves an app asleep is a failure', async () => {
    const first = async (host: string, path: string) => {
      // An address may be visited twice a second.
      box.pass(seconds(1))
      const { id } = await createAt(host, { url: urlAt(host, path) })
      await box.work.runDue()
      return (await read(id)).history
    }
    const shell = 'answered 200 but does not wake the app'
    expect(await first('demo.streamlit.app', '/')).toMatchObject([{ success: false, status: 200, note: shell }])
    expect(await first('demo.supabase.co', '/rest')).toMatchObject([{ success: false, note: 'answered 401' }])
    expect(await first('demo.supabase.co', '/')).toMatchObject([{ success: true, status: 200 }])
  })
})
