import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which message of Discord is the card of which deploy, and what is known of it. */
export const relayCards = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const int = kind === 'sqlite' ? 'integer' : 'bigint'
    await sql
      .raw(`create table relay_card (
        entry_id text not null references entry (id) on delete cascade, id text not null,
        webhook_id text not null, thread_id text, message_id text, told text not null, edited_for text,
        build_id text, release_id text, slug_id text, facts text not null, touched_at ${int} not null,
        primary key (entry_id, id))`)
      .execute(db)
  },
})
