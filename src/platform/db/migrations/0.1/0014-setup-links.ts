import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Schema } from '../schema.ts'

type Setting = { key: string; value: string }

/** Set-up links by their hash, which were settings with what they are for in their names. */
export const setupLinks = ({ byKey }: Schema): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table setup_link (hash text primary key, purpose text not null, details text not null)
        ${byKey}`)
      .execute(db)
    await sql`create index setup_link_purpose on setup_link (purpose)`.execute(db)
    const { rows } = await sql<Setting>`select key, value from setting where key like 'setup-link/%'`.execute(db)
    for (const { key, value } of rows) {
      const [, purpose, hash] = key.split('/')
      await sql`insert into setup_link (hash, purpose, details) values (${hash}, ${purpose}, ${value})`.execute(db)
    }
    await sql`delete from setting where key like 'setup-link/%'`.execute(db)
  },
})
