import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../test/support/database/databases.ts'

describe.each(bothDialects)('a batch of rows on %s', (dialect) => {
  test('accepts any text and replaces characters that cannot be stored', async () => {
    const { db, drop } = await freshDatabase(dialect)
    const stored = { 'half \ud83d': 'half �', '\ude00 half': '� half', 'no\0thing': 'no�thing' }
    const asTyped = { '\\u0000 as typed': '\\u0000 as typed', 'whole 😀': 'whole 😀' }
    for (const [text, expected] of Object.entries({ ...stored, ...asTyped })) {
      const { rows } = await sql<{
        text: string
      }>`select text from ${db.rows('said', { text: 'text' }, [{ text }])}`.execute(db.q)
      expect(rows).toEqual([{ text: expected }])
    }
    await drop()
  })
})
