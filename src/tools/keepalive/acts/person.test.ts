import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { actScene, path } from '../../../../test/support/scenes/act-scene.ts'
import { dayOf, days, minutes, seconds } from '../../../shared/time.ts'
import { extensionPage } from './person.ts'

test.each([
  ['https://ada.pythonanywhere.com/', 'https://www.pythonanywhere.com/user/ada/webapps/'],
  ['https://ada.eu.pythonanywhere.com/health', 'https://eu.pythonanywhere.com/user/ada/webapps/'],
  ['https://www.pythonanywhere.com/user/ada/', 'https://www.pythonanywhere.com/user/ada/webapps/'],
  ['https://eu.pythonanywhere.com/user/ada/', 'https://eu.pythonanywhere.com/user/ada/webapps/'],
  ['https://www.pythonanywhere.com/', 'https://www.pythonanywhere.com'],
  ['https://apps.example.com/user/ada', 'https://apps.example.com'],
])('an app at %s is extended at %s', (url, place) => {
  expect(extensionPage(url)).toBe(place)
})

describe.each(dialects)('apps that their owner extends, on %s', async (dialect) => {
  const { box, ada, serve, pass, create, read } = await actScene(dialect)

  const url = 'http://ada.pythonanywhere.com/'
  const createReminder = () => create({ url, keep: 'auto', due: dayOf(box.now() + days(10)) })

  test('the owner is notified a week before the date and on the day, and plans the next date by one call', async () => {
    const { id, ...created } = await createReminder()
    const place = 'https://www.pythonanywhere.com/user/ada/webapps/'
    expect(created).toMatchObject({ kept: 'person', every: 1_440, place })
    const messages = async () => {
      const { items } = (await ada.get('/api/v1/user/inbox')).body
      return items
        .filter(({ type }: { type: string }) => type === 'due')
        .map(({ message }: { message: string }) => message)
    }
    const at = 'at https://www.pythonanywhere.com/user/ada/webapps/'
    const counts: number[] = []
    for (let day = 0; day < 12; day++) {
      await pass(days(1))
      counts.push((await messages()).length)
    }
    expect([counts.indexOf(1), counts.indexOf(2), counts.at(-1)]).toEqual([2, 9, 2])
    expect((await messages())[0]).toContain(at)
    expect(await read(id)).toMatchObject({ history: [], awake: null, onlyReminds: true })
    const done = await ada.post(`${path}/done?id=${id}`)
    expect(done).toMatchObject({ status: 200, body: { id } })
    expect(Date.parse(done.body.due) - box.now()).toBeGreaterThan(days(26))
    expect((await ada.post(`${path}/done?id=${id}`)).body).toEqual(done.body)
    const other = await create({ url, status: false })
    expect((await ada.post(`${path}/done?id=${other.id}`)).status).toBe(409)
  })

  test('an entry that only reminds is shown as not monitored from its first turn on', async () => {
    const { id, badge } = await createReminder()
    const message = async () => (await ada.get(new URL(badge).pathname.replace('.svg', '.json'))).body.message
    await pass(seconds(1))
    expect(await read(id)).toMatchObject({ awake: null, onlyReminds: true })
    expect(await message()).toBe('not monitored')
    const entries = [{ tool: 'keepalive', id, showUrl: false }]
    await ada.put('/api/v1/user/status', { slug: 'reminders', title: 'Reminders', entries })
    expect((await box.app.inject('/status/reminders')).body).toContain('<h2>No service is monitored</h2>')
    await ada.patch(path, { id, status: false })
    await pass(minutes(10))
    expect(await message()).toBe('paused')
  })

  test('an entry that was failing when it became a reminder no longer counts as failing', async () => {
    const { port } = await serve({ answer: () => ({ status: 500 }) })
    const { id, badge } = await create({ url: `http://app.test:${port}/`, notifyAfter: 1 })
    const incidents = async () => (await ada.get(`/api/v1/incidents?id=${id}`)).body
    await pass(seconds(10))
    expect(await read(id)).toMatchObject({ health: 'failing' })
    expect(await incidents()).toMatchObject([{ closedAt: null }])
    const closedAt = box.now()
    await ada.patch(path, { id, keep: 'person', due: dayOf(box.now() + days(10)) })
    await pass(days(1))
    expect(await read(id)).toMatchObject({ health: 'ok', failingSince: null, onlyReminds: true })
    expect(await incidents()).toMatchObject([{ closedAt }])
    expect((await ada.get(new URL(badge).pathname.replace('.svg', '.json'))).body.message).toBe('not monitored')
  })

  test('an entry that only reminds cannot be run and has no next run', async () => {
    const { id, nextRunAt } = await createReminder()
    expect(nextRunAt).toBeNull()
    const why = 'This entry sends no requests, so there is nothing to run.'
    expect(await ada.post(`${path}/run?id=${id}`)).toMatchObject({ status: 409, body: { error: why } })
    const many = await ada.post(`${path}/bulk`, { act: 'run', ids: [id] })
    expect(many.body).toEqual({ done: [], unchanged: [], refused: [{ id, why }] })
    const jobs = box.db.q.selectFrom('job').select('kind').where('entry_id', '=', id)
    expect(await jobs.execute()).toEqual([{ kind: 'turn' }])
  })

  test('calls that run concurrently with an edit or a deletion apply to the entry as it is then', async () => {
    const { id } = await create({ url, keep: 'person', due: dayOf(box.now() + days(1)) })
    const [done] = await Promise.all([ada.post(`${path}/done?id=${id}`), ada.patch(path, { id, name: 'Shop' })])
    expect(await read(id)).toMatchObject({ name: 'Shop', due: done.body.due })
    const { port } = await serve({ answer: () => ({ status: 200 }) })
    for (let time = 0; time < 4; time++) {
      const entry = await create({ url: `http://app.test:${port}/` })
      const [started] = await Promise.all([
        ada.post(`${path}/sleep?id=${entry.id}`),
        ada.delete(`${path}?id=${entry.id}`),
      ])
      expect([202, 404]).toContain(started.status)
    }
  })
})
