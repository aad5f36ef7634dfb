import { beforeEach, describe, expect, test, vi } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import type { Notice } from '../../platform/notice.ts'
import { days, minutes } from '../../shared/time.ts'
import { cleanUpIncidents } from './incidents.ts'

describe.each(bothDialects)('the health of an entry on %s', async (dialect) => {
  const { box, target, ada, adaUser, create, read } = await keepaliveScene(dialect)
  let notices: Notice[]

  beforeEach(() => {
    notices = []
    vi.spyOn(box.context, 'notify').mockImplementation(async (_tx, news) => {
      notices.push(...news)
      return []
    })
    target.on('/flaky', { status: 500 })
  })

  const pass = async (ms: number) => {
    box.pass(ms)
    await box.work.runDue()
  }
  const incidents = async (query = '') => (await ada.get(`/api/v1/incidents${query}`)).body

  test('goes from new to ok, failing, ok and paused, and opens an incident after notifyAfter failures', async () => {
    target.on('/flaky', { status: 200 })
    const { id } = await create('/flaky', { interval: 10, notifyAfter: 2, name: ' Shop ' })
    expect(await read(id)).toMatchObject({ health: 'new', failingSince: null, name: 'Shop', recent: [] })
    await box.work.runDue()
    expect(await read(id)).toMatchObject({ health: 'ok', recent: [{ success: true, timestamp: box.now() }] })

    target.on('/flaky', { status: 500 })
    await pass(minutes(10))
    const since = box.now()
    expect(await read(id)).toMatchObject({ health: 'failing', failingSince: since })
    expect([notices, await incidents()]).toEqual([[], []])

    // The first failure is checked again after a minute; then the entry's own interval applies.
    await pass(minutes(1))
    const entry = {
      id,
      tool: 'keepalive',
      name: 'Shop',
      about: `${target.origin.slice(7)}/flaky`,
      url: `${target.origin}/flaky`,
    }
    const ownerId = adaUser.id
    expect(notices).toEqual([{ type: 'failing', ownerId, entry, since, cause: 'answered 500' }])
    const opened = { entry: id, tool: 'keepalive', since, openedAt: box.now(), closedAt: null, cause: 'answered 500' }
    expect(await incidents('?open=true')).toMatchObject([opened])
    expect((await read(id)).nextRunAt).toBe(since + minutes(10))
    await pass(minutes(9))
    expect(notices).toHaveLength(1)

    target.on('/flaky', { status: 200 })
    await pass(minutes(10))
    expect(notices.slice(1)).toEqual([{ type: 'recovered', ownerId, entry, since, cause: 'answered 500' }])
    expect(await incidents('?open=true')).toEqual([])
    expect(await incidents(`?open=false&id=${id}`)).toMatchObject([{ ...opened, closedAt: box.now() }])
    expect(await read(id)).toMatchObject({ health: 'ok', failingSince: null })

    await ada.patch('/api/v1/keepalive', { id, status: false })
    expect(await read(id)).toMatchObject({ health: 'paused' })
  })

  test('opens an incident at the first failure if notifyAfter is 1; pausing closes it without a notice', async () => {
    const { id } = await create('/flaky', { interval: 1, notifyAfter: 1 })
    await box.work.runDue()
    expect(notices).toMatchObject([{ type: 'failing', since: box.now() }])
    await ada.patch('/api/v1/keepalive', { id, status: false })
    expect(await incidents('?open=true')).toEqual([])
    await ada.post(`/api/v1/keepalive/run?id=${id}`)
    await box.work.runDue()
    expect(await read(id)).toMatchObject({ health: 'paused', failingSince: null })
    await ada.patch('/api/v1/keepalive', { id, status: true })
    expect(notices).toHaveLength(1)
    await pass(minutes(1))
    expect(notices).toHaveLength(2)
    expect(await incidents()).toHaveLength(2)
  })

  test('is reported to the user whom the entry was given during its run', async () => {
    const bossUser = await box.createPerson(`keeper-${dialect}`, 2)
    const boss = box.as(bossUser)
    const publish = vi.spyOn(box.context.events, 'publish')
    const { id } = await create('/flaky', { interval: 1, notifyAfter: 1 })
    const give = (owner: string, status: number) =>
      target.on('/flaky', async (_visit, response) => {
        await boss.patch('/api/v1/keepalive', { id, owner })
        response.writeHead(status).end()
      })
    give(bossUser.email, 500)
    await box.work.runDue()
    expect(notices).toMatchObject([{ type: 'failing', ownerId: bossUser.id }])
    give(adaUser.email, 200)
    await pass(minutes(1))
    expect(notices.slice(1)).toMatchObject([{ type: 'recovered', ownerId: adaUser.id }])
    const ofRuns = publish.mock.calls.flatMap(([live]) => [live].flat().filter(({ type }) => type === 'run'))
    expect(ofRuns.map(({ to }) => to)).toMatchObject([{ userId: bossUser.id }, { userId: adaUser.id }])
    publish.mockRestore()
  })

  test('can be counted, listed and filtered by, limited to entries that the user may see', async () => {
    const [bad] = [await create('/flaky', { name: 'Broken' }), await create('/200')]
    await box.work.runDue()
    await create('/404', { name: 'Fresh' })
    const other = box.as(await box.createPerson(`eve-${dialect}`))
    const ids = async (query: string, who = ada) =>
      (await who.get(`/api/v1/keepalive/list?${query}`)).body.rows.map((row: { id: string }) => row.id)
    expect(await ids('health=failing')).toEqual([bad.id])
    expect(await ids('health=failing', other)).toEqual([])
    expect(await ids('health=new')).toHaveLength(1)
    expect(await ids('health=ok')).toHaveLength(1)
    expect(await ids('health=paused')).toEqual([])
    expect((await ids('page=1'))[0]).toBe(bad.id)
    expect(await ids('filter[name]=BROK')).toEqual([bad.id])
    expect(
      (await ada.get('/api/v1/keepalive/list?sort=name')).body.rows.map((row: { name: string }) => row.name),
    ).toEqual(['Broken', 'Fresh', null])
    const states = { failing: 1, blocked: 0, paused: 0, new: 1, ok: 1 }
    const figures = { active: 3, inactive: 0, total: 3, ...states }
    expect((await ada.get('/api/v1/keepalive/figures')).body).toEqual(figures)
    const boss = box.as(await box.createPerson(`boss-${dialect}`, 2))
    expect((await boss.get('/api/v1/keepalive/figures')).body).toEqual(figures)
    expect((await boss.get('/api/v1/keepalive/figures?mine=true')).body).toMatchObject({ total: 0, failing: 0 })
    const [row] = (await ada.get('/api/v1/keepalive/list?health=failing')).body.rows
    expect(row).toMatchObject({ health: 'failing', failingSince: box.now(), recent: [{ success: false }] })
    const whole = (await ada.get('/api/v1/keepalive/list')).body
    expect(whole.map((one: { health: string }) => one.health).sort()).toEqual(['failing', 'new', 'ok'])
    expect(whole[0]).not.toHaveProperty('recent')
    const setStatus = (status: 0 | 2) =>
      box.db.q.updateTable('users').set({ status }).where('id', '=', adaUser.id).execute()
    await setStatus(0)
    const paused = { active: 3, inactive: 0, failing: 0, paused: 3, new: 0, ok: 0 }
    expect((await boss.get('/api/v1/keepalive/figures')).body).toMatchObject(paused)
    expect([await ids('health=paused', boss), await ids('health=failing', boss)]).toMatchObject({
      0: { length: 3 },
      1: [],
    })
    await setStatus(2)
  })

  test('keeps the newest 1,000 incidents of an entry', async () => {
    const { id } = await create('/flaky', { interval: 1, notifyAfter: 1 })
    const old = Array.from({ length: 1_000 }, (_, n) => ({ id: `old ${n} of ${id}`, opened_at: n, closed_at: n }))
    await box.db.q
      .insertInto('incident')
      .values(old.map((one) => ({ ...one, entry_id: id, since: one.opened_at, cause: 'timeout' })))
      .execute()
    await box.work.runDue()
    const rows = await box.db.q.selectFrom('incident').select('opened_at as at').where('entry_id', '=', id).execute()
    const at = rows.map((row) => row.at).toSorted((a, b) => a - b)
    expect(at).toHaveLength(1_000)
    expect([at[0], at.at(-1)]).toEqual([1, box.now()])
  })

  test('lists incidents in pages that do not split those of one instant', async () => {
    const { id } = await create('/200')
    const rows = Array.from({ length: 450 }, (_, n) => {
      const at = n < 150 ? n : n < 350 ? 1_000 : n + 1_000
      return { id: `i${n} of ${id}`, entry_id: id, since: at, opened_at: at, closed_at: at, cause: 'timeout' }
    })
    await box.db.q.insertInto('incident').values(rows).execute()
    const first = await incidents(`?id=${id}`)
    expect(first).toHaveLength(300)
    expect(first.at(-1).openedAt).toBe(1_000)
    const second = await incidents(`?id=${id}&before=1000`)
    expect(second.map((one: { openedAt: number }) => one.openedAt)).toEqual(
      Array.from({ length: 150 }, (_, n) => 149 - n),
    )
    expect(await incidents(`?id=${id}&before=0`)).toEqual([])
    expect((await ada.get('/api/v1/incidents?before=soon')).status).toBe(400)
  })

  test('deletes incidents that ended more than 400 days ago', async () => {
    const { id } = await create('/200')
    const old = { entry_id: id, since: 0, opened_at: 0, cause: 'timeout' }
    const ends = [box.now() - days(401), box.now() - days(399), null]
    for (const [n, closed_at] of ends.entries())
      await box.db.q
        .insertInto('incident')
        .values({ ...old, id: `i${n}-${id}`, closed_at })
        .execute()
    await cleanUpIncidents(box.context)
    expect((await incidents()).map((one: { closedAt: number }) => one.closedAt)).toEqual(
      expect.arrayContaining(ends.slice(1)),
    )
    expect(await incidents()).toHaveLength(2)
  })
})
