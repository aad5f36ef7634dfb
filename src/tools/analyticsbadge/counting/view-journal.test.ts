import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase } from '../../../../test/support/database/databases.ts'
import type { Db } from '../../../platform/db/open.ts'
import { viewCounter } from './counter.ts'

describe('a row of the journal that cannot be read', () => {
  let db: Db
  let drop: () => Promise<void>
  beforeAll(async () => {
    ;({ db, drop } = await freshDatabase('sqlite'))
  })
  afterAll(() => drop())

  const at = Date.UTC(2026, 0, 5)
  const aside = () => db.q.selectFrom('badge_journal_unreadable').select(['at', 'source', 'tags']).execute()
  const started = () => {
    const reports: number[] = []
    const onUnreadable = (rows: number) => reports.push(rows)
    return { counter: viewCounter(db, { now: () => at, newTagsPerHour: 100, journal: { onUnreadable } }), reports }
  }

  test.each([
    ['tags that are no JSON', `${at}, 'other', '["a", "b'`, `'["a", "b'`],
    ['tags that are no list', `${at}, 'other', '{"a": 1}'`, `'{"a": 1}'`],
    ['tags that are numbers', `${at}, 'other', '["a", 5]'`, `'["a", 5]'`],
    ['tags that no badge has', `${at}, 'other', '["a", "b c"]'`, `'["a", "b c"]'`],
    ['a tag without a letter', `${at}, 'other', '[""]'`, `'[""]'`],
    ['a tag with a character that nobody sees', `${at}, 'other', '["a\\u0000b"]'`, `'["a\\u0000b"]'`],
    ['tags that are no text', `${at}, 'other', x'00ff'`, "X'00FF'"],
    ['an unknown source', `${at}, 'elsewhere', '["a"]'`, `'["a"]'`],
    ['a time that is a text', `'yesterday', 'other', '["a"]'`, `'["a"]'`],
    ['a time that is a fraction', `1.5, 'other', '["a"]'`, `'["a"]'`],
    ['a time before all', `-1, 'other', '["a"]'`, `'["a"]'`],
    ['a time that nobody lives to see', `8640000000000000, 'other', '["a"]'`, `'["a"]'`],
    ['a time that no clock has', `9223372036854775807, 'other', '["a"]'`, `'["a"]'`],
  ])('for %s is set aside as it is and told once, and counting goes on', async (_, values, tags) => {
    await db.q.deleteFrom('badge_journal_unreadable').execute()
    const { counter, reports } = started()
    const before = (await counter.look('a'))?.views ?? 0
    await counter.count('a', 'other')
    await sql`insert into badge_journal (at, source, tags) values (${sql.raw(values)})`.execute(db.q)
    expect(await counter.count('a', 'camo')).toMatchObject({ views: before + 2 })
    expect((await counter.stats('a')).views).toBe(before + 2)
    await counter.drained()
    expect([await aside(), reports]).toEqual([[expect.objectContaining({ tags })], [1]])
    expect((await db.q.selectFrom('badge').select('tag').execute()).map(({ tag }) => tag)).toEqual(['a'])
    expect(await started().counter.look('a')).toMatchObject({ views: before + 2, lastView: at })
  })

  test('does not keep a new tag from being counted', async () => {
    await sql`insert into badge_journal (at, source, tags) values (0, 'other', 'no JSON')`.execute(db.q)
    const { counter, reports } = started()
    expect(await counter.count('fresh', 'other')).toMatchObject({ views: 1 })
    await counter.drained()
    expect(reports).toEqual([1])
  })
})
