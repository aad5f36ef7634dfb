import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openSqlite } from './open.ts'

test('a full disk is named as the reason why a transaction failed, and the next one works', async () => {
  const { q, close } = openSqlite(':memory:')
  await sql`create table note (words text)`.execute(q)
  await sql`pragma max_page_count = 10`.execute(q)
  const write = (words: string) => q.transaction().execute((on) => sql`insert into note values (${words})`.execute(on))
  await expect(write('x'.repeat(100_000))).rejects.toThrow('database or disk is full')
  await expect(write('short')).resolves.toBeDefined()
  await close()
})
