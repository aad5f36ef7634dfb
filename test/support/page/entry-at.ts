import { sql } from 'kysely'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import type { House } from './house.ts'

/** The id of a new entry that looks as if it were at this host, which nothing of ours may ask for. */
export async function entryAt(house: House, host: string): Promise<string> {
  const id = await house.entry('/host', { status: false })
  const db = openSqlite(house.folder)
  const settings = sql`json_set(settings, '$.url', ${`https://${host}/`})`
  await sql`update entry set settings = ${settings}, status = 1, created_at = 0 where id = ${id}`.execute(db.q)
  await db.close()
  return id
}
