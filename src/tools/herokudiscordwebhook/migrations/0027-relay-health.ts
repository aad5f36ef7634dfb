import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Relays whose webhook is rejected are blocked, with an open incident. */
export const relayHealth = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`insert into incident (id, entry_id, since, opened_at, cause)
      select entry_id, entry_id, blocked_at, blocked_at, coalesce(blocked_why, 'rejected by Discord')
      from relay where blocked_at is not null`.execute(db)
    await sql`update entry set incident_id = id, blocked_at = (select relay.blocked_at from relay where relay.entry_id = entry.id)
      where id in (select entry_id from relay where blocked_at is not null)`.execute(db)
  },
})
