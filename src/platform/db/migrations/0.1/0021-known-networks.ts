import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** The networks from which each user has signed in, so that strangers who guess passwords never keep them out. */
export const knownNetworks = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table known_network (
      user_id text not null references users (id) on delete cascade, network text not null,
      last_at ${int} not null, primary key (user_id, network)) ${byKey}`,
    'create index known_network_last on known_network (last_at)',
  ])
