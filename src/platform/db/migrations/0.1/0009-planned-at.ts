import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When jobs were planned, so that a clock that is set does not strand them; and since when turns wait for a place on their host. */
export const plannedAt = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`alter table job add column planned_at bigint not null default 0`.execute(db)
    // What an earlier version has planned, it has planned before now.
    const now =
      kind === 'postgres'
        ? sql`floor(extract(epoch from clock_timestamp()) * 1000)`
        : sql`cast(unixepoch('subsec') * 1000 as integer)`
    await sql`update job set planned_at = ${now}`.execute(db)
    await sql`alter table job add column waiting_since bigint`.execute(db)
  },
})
