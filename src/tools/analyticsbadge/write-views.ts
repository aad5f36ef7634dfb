import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import { dayOf, hours, type Instant } from '../../shared/time.ts'
import { type Source, sources } from './terms.ts'

export type BySource = Readonly<Record<Source, number>>
/** How often each tag was seen. */
export type Seen = ReadonlyMap<string, BySource>
/** How often each tag has been seen since its first view; a new tag that was one too many has none. */
export type Totals = ReadonlyMap<string, BySource>
type Total = BySource & { tag: string }

const keptTags = 100_000

/**
 * Adds what was seen, durable when it answers. Of new tags an hour takes no more than `newTagsPerHour`, on all
 * instances together.
 */
export function viewWriter(db: Db, newTagsPerHour: number) {
  const statement = statementOf(db)
  /** Tags that are not new, and whose day has begun. */
  let begun = { day: '', tags: new Set<string>() }

  return async (seen: Seen, at: Instant): Promise<Totals> => {
    const day = dayOf(at)
    if (begun.day !== day || begun.tags.size >= keptTags) begun = { day, tags: new Set() }
    const { tags: known } = begun
    // In one order everywhere, so that two instances never wait for each other.
    const tags = [...seen.keys()].sort()
    const first = tags.filter((tag) => !known.has(tag))
    if (first.length === 0) return byTag(await db.run<Total>(statement, valuesOf(db, tags, seen, at)))
    const totals = await db.q.transaction().execute(async (on) => {
      const refused = new Set(await tooMany(db, on, { asked: first, at, newTagsPerHour }))
      const taken = tags.filter((tag) => !refused.has(tag))
      const add = CompiledQuery.raw(statement.text, valuesOf(db, taken, seen, at)) as CompiledQuery<Total>
      const totals = byTag(taken.length === 0 ? [] : (await on.executeQuery(add)).rows)
      await beginDay(db, on, { day, first, seen, totals })
      return totals
    })
    for (const tag of first) if (totals.has(tag)) known.add(tag)
    return totals
  }
}

const byTag = (rows: readonly Total[]): Totals => new Map(rows.map((row) => [row.tag, row]))

/** The new tags that are over the ceiling of an hour. */
async function tooMany(
  db: Db,
  on: Queries,
  the: { asked: readonly string[]; at: Instant; newTagsPerHour: number },
): Promise<string[]> {
  // Instances that make new tags at once would each count without the other's.
  if (db.kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtext('badge new tags'))`.execute(on)
  const asked = db.rows(
    'asked',
    { tag: 'text' },
    the.asked.map((tag) => ({ tag })),
  )
  const { rows } = await sql<{ tag: string }>`
    select tag from ${asked} where not exists (select 1 from badge where badge.tag = asked.tag)`.execute(on)
  if (rows.length === 0) return []
  const { count } = await on
    .selectFrom('badge')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_at', '>', the.at - hours(1))
    .executeTakeFirstOrThrow()
  return rows.slice(Math.max(0, the.newTagsPerHour - count)).map(({ tag }) => tag)
}

/**
 * Keeps how far the tags had come before the day's first view, which is among these; a day that has begun stays as it
 * is, and so does one that is over by the clock of another instance, or by this one before it was set back.
 */
async function beginDay(
  db: Db,
  on: Queries,
  { day, first, seen, totals }: { day: string; first: readonly string[]; seen: Seen; totals: Totals },
) {
  const before = first.flatMap((tag) => {
    const [total, now] = [totals.get(tag), seen.get(tag)]
    return total && now ? [{ tag, camo: total.camo - now.camo, other: total.other - now.other }] : []
  })
  const rows = db.rows('before', { tag: 'text', camo: 'bigint', other: 'bigint' }, before)
  await sql`
    insert into badge_day (tag, day, camo, other) select tag, ${day}, camo, other from ${rows}
    where not exists (select 1 from badge_day as later where later.tag = before.tag and later.day > ${day})
    on conflict do nothing`.execute(on)
}

// What follows is every view's cost: one statement for all, its text never put together anew.

const listed = {
  sqlite:
    '(select key as tag, value ->> 0 as camo, value ->> 1 as other, ?1 as at from json_each(?2)) as seen where true',
  postgres:
    '(select *, $1::bigint as at from unnest($2::text[], $3::bigint[], $4::bigint[]) as list (tag, camo, other)) as seen',
}
const later = { sqlite: 'max', postgres: 'greatest' }
const statementOf = ({ kind }: Db) => ({
  name: 'add views',
  text: `
    insert into badge (tag, camo, other, last_view, created_at) select tag, camo, other, at, at from ${listed[kind]}
    on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
      last_view = ${later[kind]}(badge.last_view, excluded.last_view)
    returning tag, camo, other`,
})

/** The statement's values. Quoted, a tag has no letter that JSON or an array would write otherwise; bare, `null` is no text to an array. */
function valuesOf({ kind }: Db, tags: readonly string[], seen: Seen, at: Instant): unknown[] {
  const count = (tag: string, source: Source) => seen.get(tag)?.[source] ?? 0
  if (kind === 'sqlite')
    return [at, `{${tags.map((tag) => `"${tag}":[${count(tag, 'camo')},${count(tag, 'other')}]`)}}`]
  const counts = sources.map((source) => `{${tags.map((tag) => count(tag, source))}}`)
  return [at, `{"${tags.join('","')}"}`, ...counts]
}
