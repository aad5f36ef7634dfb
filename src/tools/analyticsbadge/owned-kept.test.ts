import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { dayOf, days } from '../../shared/time.ts'
import { badgesOf } from './owned-list.ts'
import { server } from './server.ts'

const path = '/api/v1/analyticsbadge/'

describe.each(dialects)('a claimed badge on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  const view = (part: string) => box.app.inject(path + part)
  const viewsOf = async (tag: string) =>
    Number((await box.app.inject({ method: 'HEAD', url: path + tag })).headers['x-views'])

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
