import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Finds the few channels that fail among all. */
export const failingChannels = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`create index channel_failing on channel (failing_since) where failing_since is not null`.execute(db)
  },
})
