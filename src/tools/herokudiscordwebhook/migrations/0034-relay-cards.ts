import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Which message of Discord is the card of which deploy, and what is known of it. */
export const relayCards = ({ int }: Schema): Migration =>
  runAll([
    `create table relay_card (
      entry_id text not null references entry (id) on delete cascade, id text not null,
      webhook_id text not null, thread_id text, message_id text, told text not null, edited_for text,
      build_id text, release_id text, slug_id text, facts text not null, touched_at ${int} not null,
      primary key (entry_id, id))`,
  ])
