import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { schemaOf } from './schema.ts'

test.each(bothDialects)('the second and third part of a text are the same on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  const parts = async (text: string) => {
    const from = sql`(select cast(${text} as text) as about) as entry`
    const { rows } = await sql<{
      parts: string
    }>`select ${sql.raw(schemaOf(dialect).secondAndThird('about'))} as parts from ${from}`.execute(db.q)
    return rows[0]?.parts
  }
  expect(await parts('github.com/octocat/hello/blob/main/README.md')).toBe('octocat/hello')
  expect(await parts('github.com/octocat/hello')).toBe('octocat/hello')
  expect(await parts('github.com/octocat')).toBe('octocat')
  await drop()
})
