import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { type Toolbox, toolbox } from '../../../../test/support/toolbox.ts'
import { days } from '../../../shared/time.ts'

describe.each(bothDialects)('when the badge database fails on %s', (dialect) => {
  let box: Toolbox
  beforeEach(async () => {
    box = await toolbox(dialect)
  })
  afterEach(() => box.close())

  const get = (tag: string) => box.app.inject(`/api/v1/analyticsbadge/${tag}`)
  const rename = (from: string, to: string) => box.db.q.schema.alterTable(from).renameTo(to).execute()

  test('badges show ? with status 503, the failure is logged, and no view is counted in part', async () => {
    const errors = vi.spyOn(box.context.log, 'error')
    await get('demo')
    await rename('badge', 'away')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => get(`tag_${n % 3}`)))
    for (const { statusCode, headers, body } of [...answers, await get('demo')]) {
      expect([statusCode, headers['content-type'], headers['x-views']]).toEqual([
        503,
        expect.stringMatching(/^image\/svg/),
        undefined,
      ])
      expect(headers['cache-control']).toContain('no-store')
      expect(body).toContain('aria-label="views: ?"')
    }
    const head = await box.app.inject({ method: 'HEAD', url: '/api/v1/analyticsbadge/demo' })
    expect([head.statusCode, head.body]).toEqual([503, ''])
    expect(errors).toHaveBeenCalledWith(expect.anything(), 'Badge views are not being counted')

    await rename('away', 'badge')
    expect((await get('demo')).headers['x-views']).toBe('2')
    expect((await get('tag_1')).headers['x-views']).toBe('1')
  })

  test('a view is not counted if the start of its day cannot be stored', async () => {
    await get('demo')
    box.pass(days(1))
    await rename('badge_day', 'away')
    expect([(await get('demo')).statusCode, (await get('fresh')).statusCode]).toEqual([503, 503])
    await rename('away', 'badge_day')
    expect((await get('demo')).headers['x-views']).toBe('2')
    expect((await get('fresh')).headers['x-views']).toBe('1')
  })

  test('unreadable statistics are answered with a 503 message, and the failure is logged', async () => {
    const errors = vi.spyOn(box.context.log, 'error')
    await rename('badge', 'away')
    for (const answer of await Promise.all([get('demo/stats'), get('demo/stats'), get('other/stats')]))
      expect([answer.statusCode, answer.json().error]).toEqual([503, expect.stringContaining('Try again later')])
    expect(errors).toHaveBeenCalledWith(expect.anything(), 'Badge views are not being counted')
    await rename('away', 'badge')
    expect((await get('demo/stats')).json().views).toBe(0)
  })
})

test('badges keep counting after PostgreSQL has closed every connection', async () => {
  const box = await toolbox('postgres')
  const views = async () => Number((await box.app.inject('/api/v1/analyticsbadge/demo')).headers['x-views'])
  expect(await views()).toBe(1)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(box.db.q)
  await expect.poll(views).toBe(2)
  expect(await views()).toBe(3)
  await box.close()
})
