import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (kind: 'sqlite' | 'postgres') => {
  const int = kind === 'sqlite' ? 'integer' : 'bigint'
  const byKey = kind === 'sqlite' ? 'without rowid' : ''
  const ofEntry = 'entry_id text not null references entry (id) on delete cascade'
  return [
    ...['digest', 'state', 'cause', 'github', 'source'].map(
      (name) => `alter table purge_image add column ${name} text`,
    ),
    `create table image_copy (
      ${ofEntry}, hash text not null, type text not null, bytes text not null, primary key (entry_id, hash)) ${byKey}`,
    `create table dead_image (
      ${ofEntry}, hash text not null, runs integer not null, since ${int} not null, primary key (entry_id, hash)) ${byKey}`,
  ]
}

/** How GitHub's copies compared with their images, the copies themselves, and which images have been dead for how long. */
export const imagesTables = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind)) await sql.raw(statement).execute(db)
  },
})
