import { beforeEach, describe, expect, test } from 'vitest'
import { dialects, racingDialects, waitForLock } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { days, hours, minutes, seconds } from '../../shared/time.ts'
import { badgeAddresses } from './addresses.ts'

describe.each(dialects)('the badge of an entry on %s', async (dialect) => {
  const { box, ada, target, adaUser, create, read } = await keepaliveScene(dialect)

  beforeEach(() => {
    box.pass(seconds(11))
  })

  const get = (url: string) => box.app.inject({ url: url.replace('http://localhost:3000', '') })
  const contentOf = async (badge: string, query = '') => {
    const { label, message, color } = (await get(`${badge.replace(/svg$/, 'json')}${query}`)).json()
    return [label, message, color]
  }
  const run = async (ms = 0) => {
    box.pass(ms)
    await box.work.runDue()
  }

  test('shows an entry’s state, uptime and response time to any visitor with the address', async () => {
    target.on('/flaky', { status: 200 })
    const { id } = await create('/flaky', { name: 'Secret name', interval: 5, notifyAfter: 2 })
    const { badge } = await read(id)
    expect(badge).toMatch(/^http:\/\/localhost:3000\/api\/v1\/badges\/[\w-]{60,}\.svg$/)
    expect((await ada.get('/api/v1/keepalive/list')).body[0]).not.toHaveProperty('badge')
    expect(await contentOf(badge)).toEqual(['status', 'pending', 'lightgrey'])
    expect(await contentOf(badge, '?type=uptime')).toEqual(['uptime 24h', '–', 'lightgrey'])
    await run()
    box.pass(seconds(11))
    expect(await contentOf(badge)).toEqual(['status', 'up', 'brightgreen'])
    target.on('/flaky', { status: 500 })
    await run(minutes(5))
    expect(await contentOf(badge)).toEqual(['status', 'failing', 'orange'])
    await run(minutes(1))
    expect(await contentOf(badge)).toEqual(['status', 'down', 'red'])
    expect(await contentOf(badge, '?type=uptime&period=90d')).toEqual(['uptime 90d', '–', 'lightgrey'])
    expect(await contentOf(badge, '?type=latency&period=7d')).toEqual(['response time 7d', '–', 'lightgrey'])
    await ada.patch('/api/v1/keepalive', { id, status: false })
    expect(await contentOf(badge)).toEqual(['status', 'paused', 'lightgrey'])

    const { statusCode, headers, body } = await get(`${badge}?text=api&style=flat&color=blue`)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=30, s-maxage=30',
      'access-control-allow-origin': '*',
    })
    expect(headers['set-cookie']).toBeUndefined()
    expect(body).toContain('<title>api: paused</title>')
    expect(body).not.toContain('Secret')
    for (const [query, words] of [
      ['type=cpu', 'type: status, uptime, latency'],
      ['period=1y', 'period: 24h, 7d, 30d, 90d'],
      ['style=sparkles', 'unknown style'],
      ['logo=a&logo=b', 'logo appears twice'],
      ['type=status&type=uptime', 'type appears twice'],
    ])
      expect(await get(`${badge}?${query}`)).toMatchObject({
        statusCode: 400,
        body: expect.stringContaining(words ?? ''),
      })
  })

  test('uses daily totals for periods whose individual runs are no longer kept', async () => {
    const { id } = await create('/200', { status: false })
    const day = (ago: number) => new Date(box.now() - days(ago)).toISOString().slice(0, 10)
    const rows = [
      { day: day(20), ok: 90, fail: 10, ms_sum: 900_000 },
      { day: day(6), ok: 300, fail: 0, ms_sum: 30_000 },
      { day: day(3), ok: 100, fail: 0, ms_sum: 20_000 },
    ].map((row) => ({ ...row, entry_id: id, ms_max: 1 }))
    await box.db.q.insertInto('run_day').values(rows).execute()
    const { badge } = await read(id)
    expect((await contentOf(badge, '?type=uptime&period=7d'))[1]).toBe('100%')
    expect((await contentOf(badge, '?type=uptime&period=30d'))[1]).toBe('98%')
    expect((await contentOf(badge, '?type=uptime&period=90d'))[1]).toBe('–')
    // Days with failures are left out, because their time includes waiting for timeouts.
    expect((await contentOf(badge, '?type=latency&period=30d'))[1]).toBe('125 ms')

    const line = (await get(`${badge}?type=uptime&period=7d&style=sparkline&logo=github`)).body
    expect(line).toContain('<title>uptime 7d: 100%, by day over the last 30 days</title>')
    expect(line).toContain('href="data:image/svg+xml;base64,')
    // A day without neighbors is drawn as a dot, and days without data leave a gap.
    expect(/<path d="(M[^"]+)" fill="none"/.exec(line)?.[1]?.replaceAll(/[\d.]+ [\d.]+/g, '')).toBe('Mh0Mh0Mh0')
    const drawn = (await get(`${badge.replace(/svg$/, 'json')}?style=sparkline&logo=GitHub`)).json()
    expect([drawn.namedLogo, drawn.style]).toEqual(['github', undefined])
  })

  test('leaves out runs in the future, which date from before the clock was set back', async () => {
    const { id } = await create('/200', { status: false })
    const ranAt = (ago: number, duration: number) => ({
      entry_id: id,
      at: box.now() - ago,
      success: 1 as const,
      duration,
    })
    await box.db.q
      .insertInto('run')
      .values([ranAt(minutes(1), 100), ranAt(hours(13), 100), ranAt(-days(1), 900)])
      .execute()
    const { badge } = await read(id)
    expect((await contentOf(badge, '?type=uptime&period=24h'))[1]).toBe('100%')
    expect((await contentOf(badge, '?type=latency&period=24h'))[1]).toBe('100 ms')
  })

  test('every invalid address gets the same 404: altered, renewed, or of a deleted entry or blocked owner', async () => {
    const { id } = await create('/200')
    const { badge } = await read(id)
    const missing = async (url: string) => {
      const [svg, json] = [await get(url), await get(url.replace(/svg$/, 'json'))]
      expect([svg.statusCode, json.statusCode, json.json()]).toEqual([404, 404, { error: 'Badge not found.' }])
      return svg.body
    }
    const token = badge.split('/').at(-1)?.replace('.svg', '') ?? ''
    const altered = [...token].map(
      (letter, at) => token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1),
    )
    const bodies = new Set<string>()
    for (const one of [...altered, 'unknown', `${token}A`, token.slice(1), 'a'.repeat(64)])
      bodies.add(await missing(badge.replace(token, one)))
    const renewed = await ada.post(`/api/v1/keepalive/badge?id=${id}`)
    expect(renewed).toMatchObject({ status: 200, body: { badge: (await read(id)).badge } })
    bodies.add(await missing(badge))
    expect((await get(renewed.body.badge)).statusCode).toBe(200)
    await box.db.q.updateTable('users').set({ status: 0 }).where('id', '=', adaUser.id).execute()
    box.pass(seconds(11))
    bodies.add(await missing(renewed.body.badge))
    await box.db.q.updateTable('users').set({ status: 2 }).where('id', '=', adaUser.id).execute()
    await ada.delete(`/api/v1/keepalive?id=${id}`)
    bodies.add(await missing(renewed.body.badge))
    expect(bodies.size).toBe(1)
  })

  test('an entry gets a new badge address with a new owner, but not when an admin edits it', async () => {
    const boss = await box.createPerson('boss', 2)
    const { id } = await create('/200')
    const { badge } = await read(id)
    await box.as(boss).patch('/api/v1/keepalive', { id, name: 'Still hers' })
    expect([(await read(id)).badge, (await get(badge)).statusCode]).toEqual([badge, 200])
    expect((await box.as(boss).patch('/api/v1/keepalive', { id, owner: boss.email })).status).toBe(200)
    expect((await get(badge)).statusCode).toBe(404)
    const { badge: next } = (await box.as(boss).get(`/api/v1/keepalive?id=${id}`)).body
    expect([next === badge, (await get(next)).statusCode]).toEqual([false, 200])
  })

  test('an address is the same on every instance, hides the id, and supports ids of any form', async () => {
    const entry = { id: '0b54ea1c-7c5e-4fd7-9a53-3a6d8a3a9a10', version: 0 }
    const [one, other] = [badgeAddresses(box.context), badgeAddresses(box.context)]
    const address = await one.of(entry)
    expect(await other.of(entry)).toBe(address)
    const token = (url: string) => url.split('/').at(-1)?.replace('.svg', '') ?? ''
    expect(await other.read(token(address))).toEqual(entry)
    expect(Buffer.from(token(address), 'base64url').toString('hex')).not.toContain('7c5e4fd7')
    const odd = { id: 'an id of before', version: 70_000 }
    expect(await other.read(token(await one.of(odd)))).toEqual(odd)
  })

  test('serves an “unknown” badge while the database does not respond', async () => {
    const { id } = await create('/200')
    const { badge } = await read(id)
    const { q } = box.db
    box.db.q = new Proxy(q, {
      get: () => () => {
        throw new Error('gone')
      },
    })
    const answer = await get(badge)
    box.db.q = q
    expect(answer).toMatchObject({ statusCode: 200, body: expect.stringContaining('status: unknown') })
  })
})

describe.each(racingDialects)('the badge of an entry that is being deleted on %s', async (dialect) => {
  const { box, ada, create } = await keepaliveScene(dialect)

  test('cannot get a new address', async () => {
    const { id } = await create('/200')
    let renewing: ReturnType<typeof ada.post> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await tx.deleteFrom('entry').where('id', '=', id).execute()
      renewing = ada.post(`/api/v1/keepalive/badge?id=${id}`)
      if (dialect === 'postgres') await waitForLock(box.db.q, renewing)
    })
    expect(await renewing).toMatchObject({ status: 404, body: { error: 'Entry not found.' } })
  })
})
