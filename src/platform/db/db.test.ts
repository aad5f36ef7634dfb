import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bothDialects, freshDatabase, insertUser } from '../../../test/support/database/databases.ts'
import { lookUp, pipeline, prepare } from './look-up.ts'
import { deleteInBatches } from './rows/write.ts'
import { transact } from './transact.ts'

/** A slow query that counts to this number. */
const counting = (to: number) =>
  sql<{ most: number }>`with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${to})
    select max(n) as most from counted`

describe.each(bothDialects)('on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  await insertUser(db, 'ada')
  await insertUser(db, 'tim', 1)
  afterAll(() => drop())
  beforeEach(() => db.q.deleteFrom('purge').execute())

  describe('a look-up', () => {
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

  describe('statements that run together', () => {
    const add = (hash: string | null) => sql`insert into purge (hash, at) select ${hash}, count(*) from purge`
    const all = sql<{ hash: string }>`select hash from purge order by at`
    const inTransaction = (...hashes: readonly (string | null)[]) =>
      db.q.transaction().execute(async (tx) => (await pipeline(tx, [...hashes.map(add), all])).at(-1))

    test('run in the given order', async () => {
      expect(await inTransaction('one', 'two')).toEqual([{ hash: 'one' }, { hash: 'two' }])
    })

    test('leave nothing behind if one of them fails', async () => {
      await expect(inTransaction('one', null, 'two')).rejects.toThrow(/null/i)
      expect(await inTransaction('three')).toEqual([{ hash: 'three' }])
    })

    test('can be prepared, and work again after one of them has failed', async () => {
      const seven = () => sql<{ n: number }>`select 1 * ${7} as n`
      const eight = () => sql<{ n: number }>`select 2 * ${4} as n`
      const run = (hash: string | null) =>
        db.q.transaction().execute((tx) => {
          const statements = [seven(), add(hash), eight()].map((one) => prepare(one.compile(tx)))
          return pipeline(tx, statements)
        })
      for (const hash of ['one', 'two', 'three']) {
        await expect(run(null)).rejects.toThrow(/null/i)
        expect(await run(hash)).toEqual([[{ n: 7 }], [], [{ n: 8 }]])
      }
      expect(await inTransaction()).toEqual([{ hash: 'one' }, { hash: 'two' }, { hash: 'three' }])
    })

    test('leave nothing behind if their transaction is rolled back, also after an empty transaction', async () => {
      await db.q.transaction().execute(async () => {})
      await expect(
        db.q.transaction().execute(async (tx) => {
          await sql`insert into purge (hash, at) values (${'gone'}, 1)`.execute(tx)
          throw new Error('not this one')
        }),
      ).rejects.toThrow('not this one')
      expect(await inTransaction()).toEqual([])
    })
  })

  test('a long read does not block writes, and sees what was committed before', async () => {
    const write = (key: string) => db.q.insertInto('setting').values({ key, value: 'b' }).execute()
    await write('a')
    let ended: string[] = []
    // On a busy machine, a write may take longer than a short count, so count further until it doesn't.
    for (let to = 500_000; ended[0] !== 'short' && to <= 32_000_000; to *= 4) {
      ended = []
      const long = db.longRead(counting(to)).finally(() => ended.push('long'))
      await write(`c${to}`)
      ended.push('short')
      expect(await long).toEqual([{ most: to }])
    }
    expect(ended).toEqual(['short', 'long'])
    expect(await db.longRead(sql`select key from setting where key in ('a', 'c500000') order by key`)).toEqual([
      { key: 'a' },
      { key: 'c500000' },
    ])
  })

  test('a long read throws the error of an invalid statement, and works again afterwards', async () => {
    await expect(db.longRead(sql`select 1 from nowhere`)).rejects.toThrow(/nowhere/)
    expect(await db.longRead(counting(3))).toEqual([{ most: 3 }])
    expect(db.failing()).toBeUndefined()
  })

  test('a batch of rows accepts any text and replaces characters that cannot be stored', async () => {
    const stored = { 'half \ud83d': 'half �', '\ude00 half': '� half', 'no\0thing': 'no�thing' }
    const asTyped = { '\\u0000 as typed': '\\u0000 as typed', 'whole 😀': 'whole 😀' }
    for (const [text, expected] of Object.entries({ ...stored, ...asTyped })) {
      const { rows } = await sql<{
        text: string
      }>`select text from ${db.rows('said', { text: 'text' }, [{ text }])}`.execute(db.q)
      expect(rows).toEqual([{ text: expected }])
    }
  })

  test('deleting uses batches up to the limit until no matching row is left', async () => {
    const at = (at: number) => ({ hash: `${at}`, at })
    for (let i = 0; i < 7; i++) await db.q.insertInto('purge').values(at(i)).execute()
    const deleted: (bigint | undefined)[] = []
    const q = db.q.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        deleted.push(result.numAffectedRows)
        return result
      },
    })
    await deleteInBatches(q, 'purge', { key: ['hash'], where: sql`at < 5`, most: 2 })
    expect(deleted).toEqual([2n, 2n, 1n])
    expect(await db.q.selectFrom('purge').select('at').orderBy('at').execute()).toEqual([{ at: 5 }, { at: 6 }])
  })
})

test('a write aborted by a deadlock lets the other transaction finish before each of at most two retries', async () => {
  const { db, drop } = await freshDatabase('postgres')
  onTestFinished(drop)
  const steps: string[] = []
  const durations = [40, 400]
  const write = transact(db, async (q) => {
    steps.push('try')
    const duration = durations.shift()
    if (duration) setTimeout(() => steps.push('other'), duration)
    await sql`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`.execute(q)
  })
  await expect(write).rejects.toMatchObject({ code: '40P01' })
  expect(steps).toEqual(['try', 'other', 'try', 'other', 'try'])
})
