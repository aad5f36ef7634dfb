import { describe, expect, test } from 'vitest'
import { dialects, insertEntry, racingDialects, waitForLock } from '../../test/support/database/databases.ts'
import { keepaliveScene } from '../../test/support/scenes/keepalive-scene.ts'
import { minutes } from '../shared/time.ts'

describe.each(dialects)('keep-alive entries on %s', async (dialect) => {
  const { box, target, ada, adaUser, create, read } = await keepaliveScene(dialect)

  const boss = box.as(await box.createPerson('boss', 2))

  test('deleting an entry also deletes its job, runs and daily totals', async () => {
    const { id } = await create('/200')
    await box.work.runDue()
    expect((await ada.delete(`/api/v1/keepalive?id=${id}`)).body).toEqual({ id })
    for (const table of ['job', 'run', 'run_day'] as const)
      expect(await box.db.q.selectFrom(table).select('entry_id').execute()).toEqual([])
    expect((await ada.get(`/api/v1/keepalive?id=${id}`)).status).toBe(404)
  })

  test('editing a paused entry keeps the time at which it was paused', async () => {
    const { id } = await create('/200')
    expect((await read(id)).pausedSince).toBeNull()
    const edit = async (change: object) => (await ada.patch('/api/v1/keepalive', { id, ...change })).body
    box.pass(minutes(5))
    const since = box.now()
    expect(await edit({ status: false })).toMatchObject({ health: 'paused', pausedSince: since })
    box.pass(minutes(5))
    expect(await edit({ name: 'Renamed' })).toMatchObject({ name: 'Renamed', pausedSince: since })
    expect(await edit({ status: true })).toMatchObject({ pausedSince: null })
    const { body } = await ada.post('/api/v1/keepalive/', { url: `${target.origin}/new`, status: false })
    expect(body).toMatchObject({ pausedSince: box.now() })
  })

  test("an unreadable entry doesn't hold up other turns and is left out of the list", async () => {
    const spoilt = await create('/404')
    const { id } = await create('/200')
    await box.db.q.updateTable('entry').set({ settings: '{}' }).where('id', '=', spoilt.id).execute()
    for (const visits of [1, 2]) {
      await box.work.runDue()
      expect(target.visits.map(({ path }) => path)).toEqual(Array(visits).fill('/200'))
      box.pass(minutes(28))
    }
    expect((await ada.get('/api/v1/keepalive/list')).body).toMatchObject([{ id }])
  })

  test('runs of an entry in the same millisecond get distinct timestamps', async () => {
    const { id } = await create('/200')
    for (let more = 0; more < 3; more++) {
      await box.work.runDue()
      await ada.post(`/api/v1/keepalive/run?id=${id}`)
    }
    await box.work.runDue()
    const at = (await read(id)).history.map((run: { timestamp: number }) => run.timestamp - box.now())
    expect(at).toEqual([3, 2, 1, 0])
  })

  test('lists a user’s own entries newest first without history, and hides those of other users', async () => {
    const first = await create('/200')
    box.pass(1)
    const second = await create('/404')
    await box.work.runDue()
    const list = (await ada.get('/api/v1/keepalive/list')).body
    expect(list.map((one: { id: string }) => one.id)).toEqual([second.id, first.id])
    expect(list[0]).not.toHaveProperty('history')
    expect(list[0].lastRun).toMatchObject({ success: false })
    const eve = box.as(await box.createPerson(`eve${box.now()}`))
    expect((await eve.get('/api/v1/keepalive/list')).body).toEqual([])
    const refused = { status: 404, body: { error: 'Entry not found.' } }
    expect(await eve.get(`/api/v1/keepalive?id=${first.id}`)).toMatchObject(refused)
    expect((await boss.get(`/api/v1/keepalive?id=${first.id}`)).body.owner).toBe('ada@example.com')
  })

  test('only users with Tools 2 can change the owner; naming the current owner is always allowed', async () => {
    const { id } = await create('/200', { owner: 'ada@example.com' })
    const mine = await ada.patch('/api/v1/keepalive', { id, owner: 'boss@example.com' })
    expect(mine).toMatchObject({ status: 400, body: { fields: { owner: expect.any(String) } } })
    expect((await ada.patch('/api/v1/keepalive', { id, owner: 'nobody@example.com' })).status).toBe(400)
    expect((await boss.patch('/api/v1/keepalive', { id, owner: 'nobody@example.com' })).status).toBe(400)
    expect((await boss.patch('/api/v1/keepalive', { id, owner: 'Boss@Example.com' })).body.owner).toBe(
      'boss@example.com',
    )
  })

  test('accepts a whole entry as it was read, and rejects unknown fields', async () => {
    const { id } = await create('/200')
    const whole = await read(id)
    expect((await ada.patch('/api/v1/keepalive', { ...whole, status: false })).body.status).toBe(false)
    expect((await ada.post('/api/v1/keepalive', whole)).status).toBe(201)
    expect(await ada.patch('/api/v1/keepalive', { id, colour: 'red' })).toMatchObject({
      status: 400,
      body: { fields: { colour: expect.any(String) } },
    })
  })

  test('publishes a change to the new and the former owner once it can be read', async () => {
    const recipients: unknown[] = []
    const owners: Promise<unknown>[] = []
    const stop = box.context.events.subscribe(({ type, to }) => {
      if (type !== 'entry') return
      recipients.push(to.userId)
      owners.push(box.db.q.selectFrom('entry').select('owner_id').executeTakeFirst())
    })
    const { id } = await create('/200')
    // Wait for these reads: the next change may use another connection and overtake them.
    await Promise.all(owners)
    const bossId = (
      await box.db.q.selectFrom('users').select('id').where('email', '=', 'boss@example.com').executeTakeFirstOrThrow()
    ).id
    await boss.patch('/api/v1/keepalive', { id, owner: 'boss@example.com' })
    stop()
    expect(recipients).toEqual([adaUser.id, adaUser.id, bossId])
    expect(await Promise.all(owners)).toEqual([adaUser.id, bossId, bossId].map((owner_id) => ({ owner_id })))
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
    [{ url: 'https://example.com', name: 'x'.repeat(81) }, 'name'],
    [{ url: 'https://example.com', name: 'a\nb' }, 'name'],
    [{ url: 'https://example.com', name: 'a\u2028b' }, 'name'],
    [{ url: 'https://example.com', name: 'a\u202eb' }, 'name'],
    [{ url: 'https://example.com', name: '\u2066b\u2069' }, 'name'],
    [{ url: 'https://example.com', name: '\u200b' }, 'name'],
    [{ url: 'https://example.com', name: 7 }, 'name'],
    [{ url: 'https://example.com', notifyAfter: 0 }, 'notifyAfter'],
    [{ url: 'https://example.com', notifyAfter: 21 }, 'notifyAfter'],
    [{ url: 'https://example.com', notifyAfter: null }, 'notifyAfter'],
  ])('rejects a body of %j with an error for %s', async (body, field) => {
    const answer = await ada.post('/api/v1/keepalive', body)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.any(String), fields: { [field]: expect.any(String) } },
    })
    expect(await box.db.q.selectFrom('entry').select('id').execute()).toEqual([])
  })
})

describe.each(racingDialects)('concurrent changes of keep-alive entries on %s', async (dialect) => {
  const { box, target, ada, adaUser, create, read } = await keepaliveScene(dialect)

  test('concurrent edits are all kept, and a run or edit during a delete either succeeds or gets a 404', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await create('/200')
      const url = `${target.origin}/404`
      await Promise.all([
        ada.patch('/api/v1/keepalive', { id, url }),
        ada.patch('/api/v1/keepalive', { id, interval: 7 }),
        box.work.runDue(),
      ])
      expect(await read(id)).toMatchObject({ url, interval: 7 })
      const beside = await Promise.all([
        ada.post(`/api/v1/keepalive/run?id=${id}`),
        ada.patch('/api/v1/keepalive', { id, url: `${url}?again` }),
        ada.delete(`/api/v1/keepalive?id=${id}`),
        ada.post(`/api/v1/keepalive/run?id=${id}`),
      ])
      expect(beside.filter(({ status }) => ![200, 202, 404].includes(status))).toEqual([])
    }
  })

  test('concurrent edits that are only valid alone are not both saved', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await create('/200')
      const edits = await Promise.all([
        ada.patch('/api/v1/keepalive', { id, method: 'HEAD' }),
        ada.patch('/api/v1/keepalive', { id, expect: { text: 'hello' } }),
      ])
      expect(edits.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  test('rejects an entry while another connection is creating the 1,000th one of its owner', async () => {
    const others = Array.from({ length: 999 }, (_, n) => ({ id: `full${n}`, owner_id: adaUser.id }))
    const rest = { tool: 'keepalive', status: 0, settings: '{}', created_at: 0, updated_at: 0 } as const
    await box.db.q
      .insertInto('entry')
      .values(others.map((one) => ({ ...one, ...rest })))
      .execute()
    let creating: Promise<{ status: number }> | undefined
    await box.db.q.transaction().execute(async (q) => {
      await insertEntry({ ...box.db, q }, 'full999', adaUser.id)
      creating = ada.post('/api/v1/keepalive', { url: `${target.origin}/200` })
      if (dialect === 'postgres') await waitForLock(box.db.q, creating)
    })
    expect((await creating)?.status).toBe(409)
  })
})
