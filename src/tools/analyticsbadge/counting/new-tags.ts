import { isIP } from 'node:net'
import { sql } from 'kysely'
import { lockName } from '../../../platform/db/locks.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { countRows } from '../../../platform/db/rows/read.ts'
import { isThisMachine, networksOf } from '../../../platform/net/networks.ts'
import { hours, type Instant, minutes } from '../../../shared/time.ts'
import type { View } from './ledger.ts'

/** How many new tags an hour all instances together accept; `keyOf` makes a network unreadable before it is stored. */
export type NewTagLimits = { newTagsPerHour: number; keyOf?: (network: string) => string }

/** Who adds a tag, and how many of them they may add within an hour. */
type Share = { source: string; most: number }

/** The new tags among these that exceed the limits of an hour; the others count from now on. */
export async function tooMany(
  db: Db,
  tx: Queries,
  { asked, at, limits }: { asked: ReadonlyMap<string, View>; at: Instant; limits: NewTagLimits },
): Promise<string[]> {
  // Without the lock, instances that add new tags at once would not count each other's.
  await lockName(db, tx, 'badge new tags')
  const records = Array.from(asked.keys(), (tag) => ({ tag }))
  const { rows } = await sql<{ tag: string }>`select tag from ${db.rows('asked', { tag: 'text' }, records)}
    where not exists (select 1 from badge where badge.tag = asked.tag)`.execute(tx)
  if (rows.length === 0) return []
  let left = limits.newTagsPerHour - (await countNew(tx, at))
  const shares = new Map(rows.map(({ tag }) => [tag, shareOf(asked.get(tag)!, limits)]))
  const added = await countBySource(db, tx, [...shares.values()], at)
  const now = new Map<string, number>()
  const refused = rows.filter(({ tag }) => {
    const share = shares.get(tag)
    if (left <= 0) return true
    if (share) {
      const { source, most } = share
      const taken = now.get(source) ?? 0
      if ((added.get(source) ?? 0) + taken >= most) return true
      now.set(source, taken + 1)
    }
    left -= 1
    return false
  })
  await addToSources(db, tx, now, at)
  return refused.map(({ tag }) => tag)
}

// Leaves out tags from before the clock was set back; another group's instant may be a little later.
const countNew = (tx: Queries, at: Instant): Promise<number> =>
  countRows(
    tx
      .selectFrom('badge')
      .where('created_at', '>', at - hours(1))
      .where('created_at', '<', at + minutes(1)),
  )

/** What calls itself GitHub's proxy has half of the tags, each other network a tenth. */
function shareOf({ source, address }: View, { newTagsPerHour, keyOf = String }: NewTagLimits): Share | undefined {
  if (source === 'camo') return { source, most: Math.max(1, Math.floor(newTagsPerHour / 2)) }
  const from = address?.()
  if (from === undefined || isThisMachine(from)) return undefined
  // A client that has hung up has no address any more, so all such clients share one limit.
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

/** Deletes what is older than an hour, or from before the clock was set back. */
export async function dropOldSources({ q }: Db, at: Instant): Promise<void> {
  const minute = minuteOf(at)
  await q
    .deleteFrom('badge_new')
    .where((eb) => eb.or([eb('minute', '<=', minute - 60), eb('minute', '>', minute + 1)]))
    .execute()
}
