import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects, waitForLock } from '../../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../../test/support/toolbox.ts'
import { days, hours, minutes } from '../../../shared/time.ts'
import { server } from '../server.ts'
import { dropUnusedTags } from './stats.ts'

describe.each(bothDialects)('new tags on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, { BADGE_NEW_TAGS_PER_HOUR: '40', TRUST_PROXY: '1' }))
  beforeEach(async () => {
    box.pass(days(1))
    for (const table of ['badge', 'badge_new'] as const) await box.db.q.deleteFrom(table).execute()
  })

  let serial = 0
  const view = (tag: string, headers: Record<string, string>) =>
    box.app.inject({ url: `/api/v1/analyticsbadge/${tag}`, headers })
  /** Requests `count` new tags from this address, and returns how many are accepted. */
  const add = async (count: number, address: string, agent = 'a browser') => {
    let accepted = 0
    for (let n = 0; n < count; n++) {
      const headers = { 'x-forwarded-for': address, 'user-agent': agent }
      const { statusCode } = await view(`tag${serial++}`, headers)
      expect([200, 429]).toContain(statusCode)
      if (statusCode === 200) accepted += 1
    }
    return accepted
  }
  const rows = (table: 'badge' | 'badge_new') => box.db.q.selectFrom(table).selectAll().execute()

  test('are limited to a tenth per network and half for GitHub’s proxy, and other networks get the rest', async () => {
    expect(await add(3, '203.0.113.7')).toBe(3)
    expect(await add(3, '203.0.113.99')).toBe(1)
    expect(await add(5, '2001:db8:1:2::3')).toBe(4)
    expect(await add(1, '2001:db8:1:ff00::3')).toBe(0)
    expect(await add(3, '2001:db8:2::1')).toBe(3)
    expect(await add(25, '203.0.113.7', 'github-camo (a1b2c3d4)')).toBe(20)
    expect(await add(9, '198.51.100.1')).toBe(4)
    // The rest of the overall limit.
    expect(await add(9, '198.51.101.1')).toBe(4)
    expect(await add(2, '198.51.102.1')).toBe(1)
    expect(await add(1, '198.51.103.1')).toBe(0)
    box.pass(hours(1) + minutes(1))
    expect(await add(5, '203.0.113.7')).toBe(4)
  })

  test('are refused from a network at its limit, while its views of existing tags count', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    await view('known', { 'x-forwarded-for': '198.51.100.1' })
    await add(5, '203.0.113.7')
    expect((await view('known', headers)).headers['x-views']).toBe('2')
    expect((await view('unknown', headers)).headers).toMatchObject({ 'retry-after': '3600' })
  })

  test('store no address but a key for the network, which is deleted after an hour', async () => {
    await add(2, '203.0.113.7')
    expect(await rows('badge_new')).toEqual([
      { source: expect.stringMatching(/^[\w-]{22}$/), minute: expect.any(Number), tags: 2 },
    ])
    box.pass(hours(1))
    await server.cleanUp(box)
    expect(await rows('badge_new')).toEqual([])
  })

  test('with up to three views are deleted after 90 days without a request', async () => {
    const readStats = (tag: string) => box.app.inject({ url: `/api/v1/analyticsbadge/${tag}/stats` })
    for (const [tag, views] of [
      ['few', 3],
      ['many', 4],
      ['asked', 1],
      ['viewed', 1],
    ] as const)
      for (let n = 0; n < views; n++) await view(tag, {})
    box.pass(days(89))
    await readStats('asked')
    await readStats('many')
    await view('viewed', {})
    box.pass(days(2))
    await server.cleanUp(box)
    expect((await rows('badge')).map(({ tag }) => tag).sort()).toEqual(['asked', 'many', 'viewed'])
    expect((await view('few', {})).headers['x-views']).toBe('1')
    expect((await view('asked', {})).headers['x-views']).toBe('2')
  })

  test('are deleted in batches, except for a tag that is viewed meanwhile', async () => {
    const { q } = box.db
    const names = Array.from({ length: 7 }, (_, n) => `old${n}`)
    const old = { camo: 0, other: 3, last_view: box.now(), created_at: box.now() }
    await q
      .insertInto('badge')
      .values(names.map((tag) => ({ tag, ...old })))
      .execute()
    box.pass(days(91))
    let dropping: Promise<void> | undefined
    await q.transaction().execute(async (tx) => {
      await tx.updateTable('badge').set({ other: 4, last_view: box.now() }).where('tag', '=', 'old3').execute()
      dropping = dropUnusedTags(box.db, box.now(), 2)
      // SQLite allows no other writer during the transaction; on PostgreSQL, wait until the deletion is blocked.
      if (dialect === 'postgres') await waitForLock(box.db.q)
    })
    await dropping
    expect((await rows('badge')).map(({ tag }) => tag)).toEqual(['old3'])
  })
})
