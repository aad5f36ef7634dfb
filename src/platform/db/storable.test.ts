import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../test/support/database/databases.ts'

describe.each(bothDialects)('a batch of rows on %s', (dialect) => {
  test('takes any text from outside, with a mark for what no database stores', async () => {
    const { db, drop } = await freshDatabase(dialect)
    const texts = ['half \ud83d', '\ude00 half', 'no\0thing', '\\u0000 as typed', 'whole 😀']
    const batch = db.rows(
      'said',
      { text: 'text' },
      texts.map((text) => ({ text })),
    )
    const { rows } = await sql<{ text: string }>`select text from ${batch}`.execute(db.q)
    expect(rows.map(({ text }) => text)).toEqual(['half �', '� half', 'no�thing', '\\u0000 as typed', 'whole 😀'])
    await drop()
  })
})
