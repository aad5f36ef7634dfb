import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import { dayOf, hours, type Instant } from '../../shared/time.ts'
import { type Source, sources } from './contract.ts'

type BySource = Readonly<Record<Source, number>>
/** How often each tag was seen, by source. */
export type Seen = ReadonlyMap<string, BySource>
/** A tag's new total, by tag; a new tag that was one too many has none. */
export type Totals = ReadonlyMap<string, number>
type Total = { tag: string; views: number }

/**
 * Adds what was seen, durable when it answers. `known` tags are taken as they come; of others that are new, an hour
 * takes no more than `newTagsPerHour`, on all instances together.
 */
export function viewWriter(db: Db, newTagsPerHour: number) {
  const write = db.kind === 'sqlite' ? writeSqlite : writePostgres
  return async (seen: Seen, at: Instant, known: (tag: string) => boolean): Promise<Totals> => {
    // In one order everywhere, so that two instances never wait for each other.
    const tags = [...seen.keys()].sort()
    const unknown = tags.filter((tag) => !known(tag))
    if (unknown.length === 0 && db.kind === 'postgres') return totalsOf(await write(db.q, tags, seen, at))
    return db.q.transaction().execute(async (on) => {
      if (unknown.length === 0) return totalsOf(await write(on, tags, seen, at))
      const refused = new Set(await tooMany(db, on, { unknown, at, newTagsPerHour }))
      const taken = tags.filter((tag) => !refused.has(tag))
      return totalsOf(taken.length === 0 ? [] : await write(on, taken, seen, at))
    })
  }
}

const totalsOf = (rows: readonly Total[]): Totals => new Map(rows.map(({ tag, views }) => [tag, views]))

/** The new tags that are over the ceiling of an hour. */
async function tooMany(
  db: Db,
  on: Queries,
  { unknown, at, newTagsPerHour }: { unknown: readonly string[]; at: Instant; newTagsPerHour: number },
): Promise<string[]> {
  // Instances that make new tags at once would each count without the other's.
  if (db.kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtext('badge new tags'))`.execute(on)
  const asked = db.rows(
    'asked',
    { tag: 'text' },
    unknown.map((tag) => ({ tag })),
  )
  const { rows } = await sql<{ tag: string }>`
    select tag from ${asked} where not exists (select 1 from badge where badge.tag = asked.tag)`.execute(on)
  if (rows.length === 0) return []
  const { count } = await on
    .selectFrom('badge')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_at', '>', at - hours(1))
    .executeTakeFirstOrThrow()
  return rows.slice(Math.max(0, newTagsPerHour - count)).map(({ tag }) => tag)
}

// What follows is every view's cost: texts that are never put together anew, and one list a column.

const run = async <Row>(on: Queries, text: string, values: unknown[]): Promise<Row[]> =>
  (await on.executeQuery<Row>(CompiledQuery.raw(text, values) as CompiledQuery<Row>)).rows

const addTotals = `
  insert into badge (tag, views, last_view, created_at) select key, value, ?1, ?1 from json_each(?2) where true
  on conflict (tag) do update set views = views + excluded.views, last_view = max(last_view, excluded.last_view)
  returning tag, views`
const addDay = `
  insert into badge_day (tag, day, source, views) select key, ?1, ?2, value from json_each(?3) where true
  on conflict (tag, day, source) do update set views = views + excluded.views`

async function writeSqlite(on: Queries, tags: readonly string[], seen: Seen, at: Instant): Promise<Total[]> {
  const rows = await run<Total>(on, addTotals, [at, listOf(tags, seen, sum)])
  const day = dayOf(at)
  for (const source of sources) {
    const list = listOf(tags, seen, (views) => views[source])
    if (list !== '{}') await run(on, addDay, [day, source, list])
  }
  return rows
}

/** The tags that were seen with how often, as JSON; a tag has no letter that JSON would write otherwise. */
function listOf(tags: readonly string[], seen: Seen, count: (views: BySource) => number): string {
  let list = ''
  for (const tag of tags) {
    const views = count(seen.get(tag) ?? none)
    if (views > 0) list += `${list && ','}"${tag}":${views}`
  }
  return `{${list}}`
}

const addAll = `
  with total as (
    insert into badge (tag, views, last_view, created_at)
    select tag, views, $1, $1 from unnest($2::text[], $3::bigint[]) as seen (tag, views)
    on conflict (tag) do update set views = badge.views + excluded.views,
      last_view = greatest(badge.last_view, excluded.last_view)
    returning tag, views),
  day as (
    insert into badge_day (tag, day, source, views)
    select tag, $4, source, views from unnest($5::text[], $6::text[], $7::bigint[]) as seen (tag, source, views)
    on conflict (tag, day, source) do update set views = badge_day.views + excluded.views)
  select tag, views from total`

function writePostgres(on: Queries, tags: readonly string[], seen: Seen, at: Instant): Promise<Total[]> {
  const days = tags.flatMap((tag) =>
    sources.map((source) => ({ tag, source, views: seen.get(tag)?.[source] ?? 0 })).filter(({ views }) => views > 0),
  )
  return run<Total>(on, addAll, [
    at,
    tags,
    tags.map((tag) => sum(seen.get(tag) ?? none)),
    dayOf(at),
    days.map(({ tag }) => tag),
    days.map(({ source }) => source),
    days.map(({ views }) => views),
  ])
}

const none: BySource = { camo: 0, other: 0 }
const sum = ({ camo, other }: BySource): number => camo + other
