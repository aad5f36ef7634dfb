import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { days, hours, minutes } from '../../shared/time.ts'
import { viewCounter } from './counting/counter.ts'
import { server as analyticsbadgeServer } from './server.ts'

describe.each(dialects)('a badge on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, { BADGE_NEW_TAGS_PER_HOUR: '5' }))
  beforeEach(async () => {
    // Tags of earlier tests would count towards this test's limit of new tags.
    await stats('any')
    await box.db.q.deleteFrom('badge').execute()
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    box.app.inject({ url: `/api/v1/analyticsbadge/${path}`, headers })
  const head = (path: string) => box.app.inject({ method: 'HEAD', url: `/api/v1/analyticsbadge/${path}` })
  const stats = async (tag: string) => (await get(`${tag}/stats`)).json()

  test('counts a view and shows the new total', async () => {
    expect((await get('demo?text=Demo')).body).toContain('aria-label="Demo: 1"')
    expect((await get('demo')).body).toContain('aria-label="views: 2"')
  })

  test('counts the views of all tags since midnight UTC, for users with access to the tools', async () => {
    const ada = box.as(await box.createPerson('ada'))
    const viewsToday = async () => (await ada.get('/api/v1/badges/today')).body
    expect(await viewsToday()).toEqual({ views: 0 })
    for (const tag of ['one', 'two', 'one']) await get(tag)
    expect(await viewsToday()).toEqual({ views: 3 })
    box.pass(days(1))
    await get('two')
    expect(await viewsToday()).toEqual({ views: 1 })
    expect((await box.as(await box.createPerson('nobody', 0)).get('/api/v1/badges/today')).status).toBe(403)
  })

  test('gives concurrent viewers of a tag distinct, consecutive numbers', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => get(n % 4 === 0 ? 'rare' : 'often')))
    const numbers = (tag: (n: number) => boolean) =>
      answers.flatMap((answer, n) => (tag(n) ? [Number(answer.headers['x-views'])] : [])).sort((a, b) => a - b)
    expect(numbers((n) => n % 4 === 0)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1))
    expect(numbers((n) => n % 4 !== 0)).toEqual(Array.from({ length: 75 }, (_, n) => n + 1))
    expect((await stats('often')).views).toBe(75)
  })

  test('does not count HEAD requests, previews on our own pages or statistics requests', async () => {
    const never = await head('quiet')
    expect([never.statusCode, never.headers['x-views'], never.headers['x-lastview']]).toEqual([200, '0', undefined])
    await get('quiet')
    box.pass(minutes(5))
    const answer = await head('quiet')
    expect([answer.headers['x-views'], answer.headers['x-lastview']]).toEqual([
      '1',
      new Date(box.now() - minutes(5)).toISOString(),
    ])
    expect(answer.body).toBe('')
    const preview = await get('quiet', { 'sec-fetch-site': 'same-origin' })
    expect([preview.statusCode, preview.headers['x-views']]).toEqual([200, '1'])
    expect((await get('quiet', { 'sec-fetch-site': 'cross-site' })).headers['x-views']).toBe('2')
    expect((await get('quiet', { 'sec-fetch-site': 'same-site' })).headers['x-views']).toBe('3')
    const page = `${box.context.config.baseUrl}/tools/analyticsbadge`
    expect((await get('quiet', { referer: page })).headers['x-views']).toBe('3')
    expect((await get('quiet', { referer: page, 'sec-fetch-site': 'cross-site' })).headers['x-views']).toBe('4')
    expect((await get('quiet', { referer: 'https://example.com/' })).headers['x-views']).toBe('5')
    expect((await stats('quiet')).views).toBe(5)
  })

  test('reports daily views by source and nothing about the viewer', async () => {
    await get('page', { 'user-agent': 'github-camo (a1b2c3d4)' })
    // A counter that starts in the middle of the day.
    const other = viewCounter(box.db, { now: box.now, newTagsPerHour: 5 })
    await other.count('page', 'other')
    box.pass(days(1))
    await get('page')
    const { views, lastView, days: daily } = await stats('page')
    expect([views, lastView]).toEqual([3, box.now()])
    expect(daily.map(({ day: _, ...counts }: { day: string }) => counts)).toEqual([
      { views: 2, camo: 1, other: 1 },
      { views: 1, camo: 0, other: 1 },
    ])
    expect((await get('never/stats')).json()).toEqual({ tag: 'never', views: 0, lastView: null, days: [] })
    const wrong = await get('a-b/stats')
    expect([wrong.statusCode, Object.keys(wrong.json().fields)]).toEqual([400, ['tag']])
  })

  test('reports the last 90 days, deletes daily views after 400 days, and keeps the total', async () => {
    const keptDays = async () => (await box.db.q.selectFrom('badge_day').select('day').execute()).length
    for (let view = 0; view < 3; view++) await get('old')
    box.pass(days(90))
    await get('old')
    expect(await stats('old')).toMatchObject({ views: 4, days: [{ views: 1 }] })
    box.pass(days(310))
    await analyticsbadgeServer.cleanUp(box)
    expect(await keptDays()).toBe(2)
    box.pass(days(1))
    await analyticsbadgeServer.cleanUp(box)
    expect(await keptDays()).toBe(1)
    expect((await stats('old')).views).toBe(4)
  })

  test.each(['constructor', '__proto__', 'toString', 'stats', 'null', 'NULL', '01', '1e3'])(
    'treats %s as an ordinary tag',
    async (tag) => {
      expect((await get(tag)).headers['x-views']).toBe('1')
      expect((await get(tag)).headers['x-views']).toBe('2')
    },
  )

  test.each([
    ['a-b', 'letters, digits'],
    ['%C3%A9', 'letters, digits'],
    ['a'.repeat(65), '64'],
    ['a'.repeat(2_000), '64'],
    ['ok?text=%3Csvg%3E', 'text'],
    [`ok?text=${'a'.repeat(65)}`, '64'],
    ['ok?text=%C3%A9', 'text'],
    ['ok?text=%E0%A4%A', 'text'],
    ['%E0%A4%A', 'letters, digits'],
    ['%?text=Demo', 'letters, digits'],
    ['a%2Fb', 'letters, digits'],
    ['a/b', 'letters, digits'],
    ['', 'letters, digits'],
    ['ok?style=round', 'style'],
    ['ok?color=url(x)', 'color'],
    ['ok?labelColor=12345', 'labelColor'],
    ['ok?abbreviated=maybe', 'abbreviated'],
    ['ok?text=a&text=b', 'twice'],
  ])('answers %s with a badge that names the problem', async (path, words) => {
    const answer = await get(path)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([400, expect.stringMatching(/^image\/svg/)])
    expect(answer.body).toContain(words)
    expect(answer.headers['cache-control']).toContain('no-store')
    expect(await box.db.q.selectFrom('badge').selectAll().execute()).toEqual([])
  })

  test.each(['/%E0%A4%A', '/api/v1/%E0%A4%A/x'])(
    'leaves %s to the general error handler, which answers in JSON',
    async (url) => {
      const answer = await box.app.inject({ url })
      expect([answer.statusCode, answer.json()]).toEqual([400, { error: expect.any(String) }])
    },
  )

  test.each([
    ['', 'views: '],
    ['?text=', 'views: '],
    ['?text=+%20', 'views: '],
    ['?text=A_b-c%20d+e', 'A_b-c d e: '],
    ['?text=a%2Bb', undefined],
    ['?__proto__=1&constructor=2&text=Demo&unknown=x&unknown=y', 'Demo: '],
  ])('takes its label from the query "%s"', async (query, label) => {
    const answer = await get(`labelled${query}`)
    expect(answer.statusCode).toBe(label ? 200 : 400)
    if (label) expect(answer.body).toContain(`aria-label="${label}`)
  })

  test('ignores unknown parameters and applies known ones', async () => {
    const before = { tag: 'ok', camo: 0, other: 1_233, last_view: box.now(), created_at: box.now() }
    await box.db.q.insertInto('badge').values(before).execute()
    expect((await get('ok?utm_source=x&text=A_b-c%20d+e&style=social&color=ff0000')).statusCode).toBe(200)
    expect((await get('ok?abbreviated=true')).body).toContain('aria-label="views: 1.2k"')
    expect((await get('ok')).body).toContain('aria-label="views: 1236"')
  })

  test('rejects new tags over the hourly limit while existing ones keep counting', async () => {
    const first = await Promise.all(Array.from({ length: 8 }, (_, n) => get(`t${n}`)))
    expect(first.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    const refused = await get('another')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3600'])
    expect(refused.body).toContain('too many new tags')
    const old = first.findIndex(({ statusCode }) => statusCode === 200)
    expect((await get(`t${old}`)).headers['x-views']).toBe('2')
    box.pass(hours(1))
    expect((await get('another')).statusCode).toBe(200)
    box.stepClock(-days(1))
    expect((await get('after')).statusCode).toBe(200)
  })
})
