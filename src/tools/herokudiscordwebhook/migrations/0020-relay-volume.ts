import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Sums, sumAnew, sumTriggers } from '../../../platform/db/migrations/kept-sums.ts'
import type { Schema } from '../../../platform/db/migrations/schema.ts'

const ifOpen = (row: string, value: string) => `case when ${row}state in ('accepted', 'held') then ${value} else 0 end`
const size = (row: string) => `octet_length(${row}payload)`

/** How many events a relay keeps, how large they are, and how much of that waits for Discord. */
export const relayVolumes: Sums = {
  name: 'relay_volume',
  of: 'relay_event',
  into: 'relay',
  key: 'entry_id',
  adds: {
    events: () => '1',
    bytes: size,
    open_events: (row) => ifOpen(row, '1'),
    open_bytes: (row) => ifOpen(row, size(row)),
  },
  by: ['state', 'payload'],
}

/** The database itself counts. */
export const relayVolume = (schema: Schema): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of Object.keys(relayVolumes.adds))
      await sql.raw(`alter table relay add column ${column} ${schema.int} not null default 0`).execute(db)
    await sql.raw(sumAnew(relayVolumes)).execute(db)
    for (const trigger of sumTriggers(schema, relayVolumes)) await trigger.execute(db)
  },
})
