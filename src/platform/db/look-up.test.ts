import { afterAll, describe, expect, test, vi } from 'vitest'
import { bothDialects, freshDatabase, insertUser } from '../../../test/support/database/databases.ts'
import { lookUp } from './look-up.ts'

describe.each(bothDialects)('a look-up on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  await insertUser(db, 'ada')
  await insertUser(db, 'tim', 1)
  afterAll(() => drop())

  const userById = () =>
    lookUp(db, (isAsked) => db.q.selectFrom('users').select(['id as asked', 'status']).where(isAsked('id')))

  test('returns each caller its own row, or undefined', async () => {
    const find = userById()
    const ids = ['tim', 'nobody', 'ada', 'tim', '', '"', "o'neil", '{}']
    expect(await Promise.all(ids.map(find))).toEqual([
      { asked: 'tim', status: 1 },
      undefined,
      { asked: 'ada', status: 2 },
      { asked: 'tim', status: 1 },
      ...[undefined, undefined, undefined, undefined],
    ])
  })

  test('sends one query for all calls of one turn, and sees earlier changes', async () => {
    const find = userById()
    const queries = vi.spyOn(db.q, 'executeQuery')
    await Promise.all(Array.from({ length: 20 }, (_, n) => find(n % 2 === 0 ? 'ada' : 'tim')))
    expect(queries).toHaveBeenCalledTimes(1)
    queries.mockRestore()
    await db.q.updateTable('users').set({ status: 0 }).where('id', '=', 'ada').execute()
    expect((await find('ada'))?.status).toBe(0)
  })

  test('a failed query rejects all waiting calls but no later ones', async () => {
    const find = userById()
    const queries = vi.spyOn(db.q, 'executeQuery').mockRejectedValueOnce(new Error('the line is cut'))
    const outcomes = await Promise.allSettled([find('ada'), find('tim')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    queries.mockRestore()
    expect(await find('tim')).toEqual({ asked: 'tim', status: 1 })
  })

  test('rejects a query with another parameter than the text', () => {
    const build = () =>
      lookUp(db, (isAsked) =>
        db.q.selectFrom('users').select('id as asked').where(isAsked('id')).where('status', '=', 2),
      )
    expect(build).toThrow('Only the text that is looked up may change.')
  })
})
