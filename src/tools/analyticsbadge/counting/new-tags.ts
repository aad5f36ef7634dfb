import { isIP } from 'node:net'
import { sql } from 'kysely'
import { lockName } from '../../../platform/db/locks.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { countRows } from '../../../platform/db/rows/read.ts'
import { isThisMachine, networksOf } from '../../../platform/net/networks.ts'
import { hours, type Instant, minutes } from '../../../shared/time.ts'
import type { View } from './ledger.ts'

/** New tags that all instances together accept per hour; `keyOf` makes a network unidentifiable before it is stored. */
export type NewTagLimits = { newTagsPerHour: number; keyOf?: (network: string) => string }

/** A source of new tags, and its limit per hour. */
type Share = { source: string; most: number }

/** Returns the new tags that exceed the hourly limits, and records the others as added. */
export async function limitNewTags(
  db: Db,
  tx: Queries,
  { firstViews, at, limits }: { firstViews: ReadonlyMap<string, View>; at: Instant; limits: NewTagLimits },
): Promise<string[]> {
  // Without the lock, instances that add new tags concurrently would not count each other's.
  await lockName(db, tx, 'badge new tags')
  const records = Array.from(firstViews.keys(), (tag) => ({ tag }))
  const { rows } = await sql<{ tag: string }>`select tag from ${db.rows('asked', { tag: 'text' }, records)}
    where not exists (select 1 from badge where badge.tag = asked.tag)`.execute(tx)
  if (rows.length === 0) return []
  let remaining = limits.newTagsPerHour - (await countNew(tx, at))
  const shares = new Map(rows.map(({ tag }) => [tag, shareOf(firstViews.get(tag)!, limits)]))
  const added = await countBySource(db, tx, [...shares.values()], at)
  const now = new Map<string, number>()
  const refused = rows.filter(({ tag }) => {
    const share = shares.get(tag)
    if (remaining <= 0) return true
    if (share) {
      const { source, most } = share
      const acceptedCount = now.get(source) ?? 0
      if ((added.get(source) ?? 0) + acceptedCount >= most) return true
      now.set(source, acceptedCount + 1)
    }
    remaining -= 1
    return false
  })
  await addToSources(db, tx, now, at)
  return refused.map(({ tag }) => tag)
}

// Ignores tags created before the clock was set back; allows for another group's slightly later time.
const countNew = (tx: Queries, at: Instant): Promise<number> =>
  countRows(
    tx
      .selectFrom('badge')
      .where('created_at', '>', at - hours(1))
      .where('created_at', '<', at + minutes(1)),
  )

/** Clients that identify as GitHub's proxy share half of the limit; every other network gets a tenth. */
function shareOf({ source, address }: View, { newTagsPerHour, keyOf = String }: NewTagLimits): Share | undefined {
  if (source === 'camo') return { source, most: Math.max(1, Math.floor(newTagsPerHour / 2)) }
  const from = address?.()
  if (from === undefined || isThisMachine(from)) return undefined
  // A disconnected client no longer has an address, so all such clients share one limit.
  const network = isIP(from) === 0 ? '' : networksOf(from).at(-1)!
  return { source: keyOf(network), most: Math.max(1, Math.floor(newTagsPerHour / 10)) }
}

const minuteOf = (at: Instant) => Math.floor(at / minutes(1))

async function countBySource(db: Db, tx: Queries, shares: readonly (Share | undefined)[], at: Instant) {
  const sources = [...new Set(shares.flatMap((share) => share?.source ?? []))]
  if (sources.length === 0) return new Map<string, number>()
  const minute = minuteOf(at)
  const { rows } = await sql<{ source: string; tags: number | string }>`
    select source, sum(tags) as tags from badge_new where ${db.isOneOf('source', sources)}
      and minute > ${minute - 60} and minute <= ${minute + 1} group by source`.execute(tx)
  return new Map(rows.map(({ source, tags }) => [source, Number(tags)]))
}

async function addToSources(db: Db, tx: Queries, added: ReadonlyMap<string, number>, at: Instant) {
  if (added.size === 0) return
  const records = Array.from(added, ([source, tags]) => ({ source, minute: minuteOf(at), tags }))
  await sql`insert into badge_new (source, minute, tags)
    select source, minute, tags from ${db.rows('added', { source: 'text', minute: 'bigint', tags: 'bigint' }, records)}
    where true on conflict (source, minute) do update set tags = badge_new.tags + excluded.tags`.execute(tx)
}

/** Deletes counts that are older than an hour, or from before the clock was set back. */
export async function dropOldSources({ q }: Db, at: Instant): Promise<void> {
  const minute = minuteOf(at)
  await q
    .deleteFrom('badge_new')
    .where((eb) => eb.or([eb('minute', '<=', minute - 60), eb('minute', '>', minute + 1)]))
    .execute()
}
