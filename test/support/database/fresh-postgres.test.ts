import pg from 'pg'
import { expect, test } from 'vitest'
import { freshPostgres } from './fresh-postgres.ts'

test('each call creates a separate, empty database', async () => {
  const [one, two] = await Promise.all([freshPostgres(), freshPostgres()])
  const client = new pg.Client({ connectionString: one.url })
  await client.connect()
  await client.query('create table here (a text)')
  await client.end()
  const other = new pg.Client({ connectionString: two.url })
  await other.connect()
  const found = await other.query("select 1 from information_schema.tables where table_name = 'here'")
  await other.end()
  expect(one.url).not.toBe(two.url)
  expect(found.rowCount).toBe(0)
  await Promise.all([one.drop(), two.drop()])
})
