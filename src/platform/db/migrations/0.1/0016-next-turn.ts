import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When the turn after the one that runs comes, where that was decided meanwhile. */
export const nextTurn = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table job add column next_turn_at ${kind === 'sqlite' ? 'integer' : 'bigint'}`).execute(db)
  },
})
