import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { contains, containsInOrder, equals, lowerCase } from './match.ts'

const texts = ['Ada Lovelace', 'ÉMILE Borel', 'Жуковский', 'Straße 5', '100% [a-z]*? (x|y) ^$ {2} \\d+ a.b']

describe.each(bothDialects)('texts of a list on %s', async (dialect) => {
  const database = await freshDatabase(dialect)
  afterAll(() => database.drop())

  const found = async (matches: (lower: RawBuilder<unknown>) => RawBuilder<SqlBool>) => {
    const { db } = database
    const rows = db.rows(
      'texts',
      { text: 'text' },
      texts.map((text) => ({ text })),
    )
    const { rows: matching } = await sql<{ text: string }>`
      select text from ${rows} where ${matches(lowerCase(db, sql.ref('text')))}`.execute(db.q)
    return matching.map(({ text }) => texts.indexOf(text))
  }

  test.each([
    ['LOVE', [0]],
    ['émile', [1]],
    ['ÉmIlE', [1]],
    ['emile', []],
    ['жУК', [2]],
    ['aß', [3]],
    ['100%', [4]],
    ['[a-z]*?', [4]],
    ['(x|y) ^$ {2} \\d+', [4]],
    ['a.b', [4]],
    ['a.a', []],
    ['a*a', []],
  ])('contains searches for %j literally and ignores case', async (text, expected) => {
    expect(await found((lower) => contains(database.db, lower, text))).toEqual(expected)
  })

  test('contains is fast for a text that nearly matches at every position', async () => {
    const { db } = database
    const letters = db.rows('letters', { of: 'text' }, [{ of: 'a'.repeat(2_000) }])
    const numbers = db.rows(
      'numbers',
      { n: 'text' },
      Array.from({ length: 5_000 }, (_, n) => ({ n: String(n) })),
    )
    const lower = lowerCase(db, sql`(letters.of || numbers.n)`)
    const count = async (text: string) => {
      const search = sql<{ n: string }>`select n from ${numbers}, ${letters} where ${contains(db, lower, text)}`
      return (await search.execute(db.q)).rows.length
    }
    expect([await count(`${'a'.repeat(1_000)}b`), await count(`${'A'.repeat(1_000)}77`)]).toEqual([0, 11])
  }, 10_000)

  test.each([
    ['alve', [0]],
    ['ÉB', [1]],
    ['жй', [2]],
    ['%?^\\', [4]],
    ['ba', []],
  ])('containsInOrder searches for the letters %j with anything in between', async (letters, expected) => {
    expect(await found((lower) => containsInOrder(database.db, lower, letters))).toEqual(expected)
  })

  test.each([
    ['ADA lovelace', [0]],
    ['ada', []],
    ['émile borel', [1]],
    [texts[4]!, [4]],
  ])('equals compares the whole text with %j and ignores case', async (text, expected) => {
    expect(await found((lower) => equals(database.db, lower, text))).toEqual(expected)
  })
})
