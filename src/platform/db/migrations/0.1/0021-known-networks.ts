import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The networks from which each user has signed in, so that strangers who guess passwords never keep them out. */
export const knownNetworks = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const [int, byKey] = kind === 'sqlite' ? ['integer', 'without rowid'] : ['bigint', '']
    await sql
      .raw(`create table known_network (
        user_id text not null references users (id) on delete cascade, network text not null,
        last_at ${int} not null, primary key (user_id, network)) ${byKey}`)
      .execute(db)
    await sql`create index known_network_last on known_network (last_at)`.execute(db)
  },
})
