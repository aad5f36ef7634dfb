import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The level of Admin, to be searched by. The database works it out of `roles`, so it also holds for what another version writes. */
export const adminLevel = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const level =
      kind === 'sqlite' ? "(json_extract(roles, '$.Admin')) virtual" : "((roles::jsonb ->> 'Admin')::integer) stored"
    await sql.raw(`alter table users add column admin_level integer generated always as ${level}`).execute(db)
    await sql`create index users_admin on users (admin_level, status)`.execute(db)
  },
})
