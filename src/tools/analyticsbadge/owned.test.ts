import { describe, expect, test } from 'vitest'
import { dialects, racingDialects, waitForLock } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { dayOf, days } from '../../shared/time.ts'
import { viewCounter } from './counting/counter.ts'
import { badgesOf } from './owned-list.ts'
import { server } from './server.ts'

const path = '/api/v1/analyticsbadge/'

describe.each(dialects)('a claimed badge on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const root = await box.createPerson('root')
  const roles = '{"Admin":2,"Tools":0}'
  await box.db.q.updateTable('users').set({ roles }).where('id', '=', root.id).execute()
  const [ada, bob, admin] = [
    box.as(await box.createPerson('ada')),
    box.as(await box.createPerson('bob', 0)),
    box.as(root),
  ]

  const view = (part: string) => box.app.inject(path + part)
  const viewsOf = async (tag: string) =>
    Number((await box.app.inject({ method: 'HEAD', url: path + tag })).headers['x-views'])
  const audited = async () =>
    (await box.db.q.selectFrom('audit').select(['action', 'actor', 'target', 'changes']).orderBy('at').execute()).map(
      ({ action, actor, target, changes }) => [action, actor, target, JSON.parse(changes)],
    )

  test('belongs to the user who claims its tag before the first view; an admin can assign any other tag', async () => {
    const claimed = await ada.post(`${path}mine/claim`)
    expect([claimed.status, claimed.body]).toEqual([
      201,
      expect.objectContaining({ tag: 'mine', views: 0, lastView: null, base: 0, hidden: false, month: 0 }),
    ])
    expect((await ada.post(`${path}mine/claim`, {})).status).toBe(201)
    const never = await box.app.inject({ method: 'HEAD', url: `${path}mine` })
    expect([never.headers['x-views'], never.headers['x-lastview']]).toEqual(['0', undefined])
    expect((await view('mine')).headers['x-views']).toBe('1')

    await view('seen')
    for (const [who, tag, body] of [
      [bob, 'mine', {}],
      [bob, 'seen', undefined],
      [admin, 'seen', undefined],
      [bob, 'free', { owner: 'ada@example.com' }],
      [bob, 'demo', {}],
    ] as const)
      expect((await who.post(`${path}${tag}/claim`, body)).status, tag).toBe(403)
    expect((await admin.post(`${path}seen/claim`, { owner: 'nobody@example.com' })).body.fields).toHaveProperty('owner')
    expect((await admin.post(`${path}a-b/claim`, {})).status).toBe(400)
    box.pass(1)
    expect((await admin.post(`${path}seen/claim`, { owner: ' Bob@Example.com ' })).body).toMatchObject({
      owner: 'bob@example.com',
      views: 1,
    })
    expect((await bob.get('/api/v1/user/badges')).body.map(({ tag }: { tag: string }) => tag)).toEqual(['seen'])
    expect((await box.app.inject({ method: 'POST', url: `${path}free/claim` })).statusCode).toBe(401)
    expect(await audited()).toEqual([
      ['badge.claim', 'ada@example.com', 'ada@example.com', [{ field: 'tag', from: null, to: 'mine' }]],
      ['badge.claim', 'root@example.com', 'bob@example.com', [{ field: 'tag', from: null, to: 'seen' }]],
    ])
  })

  test('counts towards the limit of new tags, unless it is released without views', async () => {
    const limited = await toolbox(dialect, { BADGE_NEW_TAGS_PER_HOUR: '2' })
    const carl = limited.as(await limited.createPerson('carl'))
    for (const status of [201, 201, 201]) {
      expect((await carl.post(`${path}back/claim`)).status).toBe(status)
      expect((await carl.delete(`${path}back/claim`)).body).toEqual({ tag: 'back' })
    }
    for (const tag of ['one', 'two']) expect((await carl.post(`${path}${tag}/claim`)).status).toBe(201)
    await limited.app.inject(`${path}two`)
    await carl.delete(`${path}two/claim`)
    const late = await carl.post(`${path}three/claim`)
    expect([late.status, late.headers['retry-after']]).toEqual([429, '3600'])
    expect(await limited.db.q.selectFrom('badge').select('tag').orderBy('tag').execute()).toEqual([
      { tag: 'one' },
      { tag: 'two' },
    ])
    await limited.close()
  })

  test('includes its base in every number and rejects a lower base', async () => {
    await ada.post(`${path}moved/claim`)
    await view('moved')
    const patched = await ada.patch(`${path}moved`, { base: 1_000 })
    expect([patched.status, patched.body]).toEqual([200, expect.objectContaining({ views: 1_001, base: 1_000 })])
    const badge = await view('moved?abbreviated=true')
    expect([badge.headers['x-views'], badge.body]).toEqual(['1002', expect.stringContaining('views: 1k')])
    expect((await view('moved/stats')).json()).toMatchObject({ views: 1_002, days: [{ views: 2 }] })
    expect((await view('moved/shields?text=Seen&logo=GitHub&color=blue')).json()).toEqual({
      schemaVersion: 1,
      label: 'Seen',
      message: '1002',
      color: 'blue',
      namedLogo: 'github',
    })
    expect(await viewsOf('moved')).toBe(1_002)
    for (const base of [999, -1, 1.5, 1e13, '5'])
      expect((await ada.patch(`${path}moved`, { base })).body, String(base)).toHaveProperty('fields.base')
    expect((await ada.patch(`${path}moved`, { bas: 1 })).status).toBe(400)
    const others = [bob.patch(`${path}moved`, { base: 5_000 }), bob.delete(`${path}moved/claim`)]
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([403, 403])
    expect((await bob.patch(`${path}nobodys`, { hidden: true })).status).toBe(404)
    await ada.delete(`${path}moved/claim`)
    expect((await view('moved')).headers['x-views']).toBe('1003')
  })

  test('can be claimed again despite the base of a former owner', async () => {
    await ada.post(`${path}spoilt/claim`)
    await ada.patch(`${path}spoilt`, { base: 1e12 })
    await ada.delete(`${path}spoilt/claim`)
    expect(await viewsOf('spoilt')).toBe(0)
    // Only a reset lowers a number, even after the owner is deleted.
    const formerOwner = await box.createPerson('gone')
    const leaver = box.as(formerOwner)
    await leaver.post(`${path}spoilt/claim`)
    await leaver.patch(`${path}spoilt`, { base: 1e12 })
    await box.db.q.deleteFrom('users').where('id', '=', formerOwner.id).execute()
    expect(await viewsOf('spoilt')).toBe(1e12)
    expect((await bob.post(`${path}spoilt/claim`)).body).toMatchObject({ views: 1e12 })
    await view('spoilt')
    await bob.patch(`${path}spoilt`, { reset: true, base: 7 })
    await bob.delete(`${path}spoilt/claim`)
    expect(await viewsOf('spoilt')).toBe(0)
    expect((await ada.post(`${path}spoilt/claim`)).status).toBe(201)
    await ada.delete(`${path}spoilt/claim`)
  })

  test('does not show its number while hidden, but keeps counting', async () => {
    await ada.post(`${path}secret/claim`)
    for (let count = 0; count < 3; count += 1) await view('secret')
    await ada.patch(`${path}secret`, { hidden: true })
    for (const part of ['secret?text=Seen', 'secret?text=Seen&period=7d', 'secret?text=Seen&style=sparkline']) {
      const { body } = await view(part)
      expect(body).toContain('aria-label="Seen"')
      expect(body).not.toMatch(/>\d+</)
    }
    const look = await box.app.inject({ url: `${path}secret?text=Seen`, headers: { 'sec-fetch-site': 'same-origin' } })
    expect(look.body).toContain('aria-label="Seen"')
    expect((await view('secret/shields?text=Seen')).json()).toMatchObject({ label: '', message: 'Seen' })
    // A newly started process.
    const other = viewCounter(box.db, { now: box.now, newTagsPerHour: 5 })
    expect(await other.count('secret', 'other')).toMatchObject({ views: 7, hidden: true })
    expect((await ada.patch(`${path}secret`, { hidden: false })).body).toMatchObject({ hidden: false })
    expect((await view('secret')).body).toMatch(/aria-label="views: \d"/)
  })

  test('starts again without history when its owner resets it', async () => {
    await ada.post(`${path}again/claim`)
    for (let count = 0; count < 3; count += 1) await view('again')
    box.pass(days(1))
    await view('again')
    expect((await ada.patch(`${path}again`, { reset: true })).body).toMatchObject({ views: 0, today: 0, month: 0 })
    expect(await viewsOf('again')).toBe(0)
    expect((await view('again/stats')).json()).toMatchObject({ views: 0, days: [] })
    expect((await view('again?period=7d')).body).toContain('views: 1"')
    expect((await view('again')).headers['x-views']).toBe('2')
    box.pass(1)
    expect((await ada.patch(`${path}again`, { reset: true, base: 40 })).body).toMatchObject({ views: 40, base: 40 })
    expect((await view('again')).headers['x-views']).toBe('41')
    expect((await audited()).at(-1)).toEqual([
      'badge.edit',
      'ada@example.com',
      'ada@example.com',
      expect.arrayContaining([{ field: 'views', from: '2', to: '40' }]),
    ])
  })

  test('gives every viewer a greater number than before, even while its owner changes it', async () => {
    await ada.post(`${path}busy/claim`)
    const numbers: number[] = []
    const viewer = async () => {
      for (let count = 0; count < 30; count += 1) {
        const highest = Math.max(0, ...numbers)
        numbers.push(Number((await view('busy')).headers['x-views']))
        expect(numbers.at(-1)).toBeGreaterThan(highest)
      }
    }
    const owner = async () => {
      for (let base = 100; base <= 500; base += 100) {
        await ada.patch(`${path}busy`, { base })
        await ada.patch(`${path}busy`, { hidden: base % 200 === 0 })
      }
      await ada.delete(`${path}busy/claim`)
    }
    await Promise.all([viewer(), viewer(), viewer(), viewer(), owner()])
    expect(new Set(numbers).size).toBe(120)
    expect(await viewsOf('busy')).toBe(620)
    expect((await view('busy')).headers['x-views']).toBe('621')
  })

  test('includes the views counted by another server before a claim, an edit or a reset', async () => {
    const killed = viewCounter(box.db, { now: box.now, newTagsPerHour: 5 })
    await killed.count('left', 'other')
    await killed.count('left', 'other')
    expect((await ada.post(`${path}left/claim`)).status).toBe(403)
    await ada.post(`${path}begun/claim`)
    for (let count = 0; count < 3; count += 1) await killed.count('begun', 'camo')
    expect((await ada.patch(`${path}begun`, { base: 10 })).body).toMatchObject({ views: 13, today: 3 })
    expect((await view('begun')).headers['x-views']).toBe('14')
    expect((await ada.patch(`${path}begun`, { reset: true })).body).toMatchObject({ views: 0 })
    expect((await view('begun')).headers['x-views']).toBe('1')
  })

  test('shows the views of a period, and draws a sparkline of thirty days', async () => {
    await ada.post(`${path}days/claim`)
    await ada.patch(`${path}days`, { base: 7 })
    for (let day = 0; day < 40; day += 1) {
      await view('days')
      box.pass(days(1))
    }
    for (const [period, count] of [
      ['today', 1],
      ['7d', 8],
      ['30d', 32],
    ] as const) {
      const badge = await view(`days?period=${period}`)
      expect(badge.body, period).toContain(`aria-label="views: ${count}"`)
    }
    expect((await view('days')).headers['x-views']).toBe('51')
    expect((await view('days/shields?period=today')).json().message).toBe('4')
    expect((await view('never_seen/shields?period=today')).json().message).toBe('0')
    expect((await view('days?style=sparkline')).body).toContain('views: 52 in total, 34 in the last 30 days')
    // Ada's session has expired by now.
    const newcomer = await box.createPerson('dora')
    await box.db.q.updateTable('badge').set({ owner_id: newcomer.id }).where('tag', '=', 'days').execute()
    expect((await box.as(newcomer).get('/api/v1/user/badges')).body[0]).toMatchObject({
      views: 52,
      today: 5,
      week: 11,
      month: 34,
      recent: [...Array(29).fill(1), 5],
    })
    for (const wrong of ['days?period=8d', 'days?style=sparkling', 'days?period=7d&period=7d'])
      expect((await view(wrong)).statusCode, wrong).toBe(400)
    expect((await view('days?logo=nosuchlogo')).body).not.toContain('<image')
    expect((await view('days?logo=GitHub')).body).toContain('<image')
  })

  test('is deleted 90 days after its release or last request, like any other tag', async () => {
    const emil = await box.createPerson('emil')
    const asEmil = box.as(emil)
    const tags = ['given', 'looked', 'left']
    for (const tag of tags) await asEmil.post(`${path}${tag}/claim`)
    for (const tag of tags) await asEmil.patch(`${path}${tag}`, { base: 2 })
    await view('given')
    box.pass(days(89))
    await viewsOf('looked')
    const fred = await box.createPerson('fred')
    await box.db.q.updateTable('badge').set({ owner_id: fred.id }).where('tag', '=', 'given').execute()
    await box.as(fred).delete(`${path}given/claim`)
    box.pass(days(2))
    await box.db.q.deleteFrom('users').where('id', '=', emil.id).execute()
    await server.cleanUp(box)
    const remaining = box.db.q.selectFrom('badge').select('tag').where('tag', 'in', tags).orderBy('tag')
    expect(await remaining.execute()).toEqual([{ tag: 'given' }, { tag: 'looked' }])
    box.pass(days(91))
    await server.cleanUp(box)
    expect(await remaining.execute()).toEqual([])
  })

  test('is listed in queries of at most 300 rows when its owner has many', async () => {
    const gina = await box.createPerson('gina')
    const tags = Array.from({ length: 250 }, (_, n) => `many_${1_000 + n}`)
    const row = { other: 3, last_view: 5, created_at: 5, owner_id: gina.id, claimed_at: 5 }
    const { q } = box.db
    await q
      .insertInto('badge')
      .values(tags.map((tag) => ({ tag, ...row })))
      .execute()
    const day = (tag: string, ago: number) => ({ tag, day: dayOf(box.now() - days(ago)), camo: 0, other: 2 - ago })
    await q
      .insertInto('badge_day')
      .values(tags.flatMap((tag) => [day(tag, 0), day(tag, 1), day(tag, 2)]))
      .execute()
    let most = 0
    const counting = q.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        most = Math.max(most, result.rows.length)
        return result
      },
    })
    const badges = await badgesOf(counting, gina.id, box.now())
    expect(badges.map(({ tag, views, today, week }) => [tag, views, today, week])).toEqual(
      tags.map((tag) => [tag, 3, 1, 3]),
    )
    expect(most).toBe(300)
  })

  test('is kept while claimed; after its owner’s deletion, only if it shows more than three views', async () => {
    const carl = await box.createPerson('carl')
    const asCarl = box.as(carl)
    for (const tag of ['kept', 'based', 'small']) await asCarl.post(`${path}${tag}/claim`)
    await asCarl.patch(`${path}based`, { base: 20 })
    await view('kept')
    const remainingTags = async () =>
      (
        await box.db.q
          .selectFrom('badge')
          .select('tag')
          .where('tag', 'in', ['kept', 'based', 'small', 'bare'])
          .execute()
      ).map(({ tag }) => tag)
    await view('bare')
    await viewsOf('any')
    box.pass(days(91))
    await server.cleanUp(box)
    expect((await remainingTags()).sort()).toEqual(['based', 'kept', 'small'])
    await box.db.q.deleteFrom('users').where('id', '=', carl.id).execute()
    await server.cleanUp(box)
    expect(await remainingTags()).toEqual(['based'])
    expect((await view('based')).headers['x-views']).toBe('21')
  })
})

describe.each(racingDialects)('concurrent edits of a claimed badge on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  test('never lower its number', async () => {
    const ada = box.as(await box.createPerson('ada'))
    await ada.post(`${path}mine/claim`)
    let edit: ReturnType<typeof ada.patch> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await tx.updateTable('badge').set({ base: 1_000 }).where('tag', '=', 'mine').execute()
      edit = ada.patch(`${path}mine`, { base: 500 })
      if (dialect === 'postgres') await waitForLock(box.db.q, edit)
    })
    expect(await edit).toMatchObject({ status: 400, body: { fields: { base: expect.any(String) } } })
  })
})
