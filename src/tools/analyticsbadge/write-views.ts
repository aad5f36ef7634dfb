import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import { dayOf, hours, type Instant } from '../../shared/time.ts'
import { type Source, sources } from './contract.ts'

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
  const add = db.kind === 'sqlite' ? addOnSqlite : addOnPostgres
  /** Tags that are not new, and whose day has begun. */
  let begun = { day: '', tags: new Set<string>() }

  return async (seen: Seen, at: Instant): Promise<Totals> => {
    const day = dayOf(at)
    if (begun.day !== day || begun.tags.size >= keptTags) begun = { day, tags: new Set() }
    const { tags: known } = begun
    // In one order everywhere, so that two instances never wait for each other.
    const tags = [...seen.keys()].sort()
    const first = tags.filter((tag) => !known.has(tag))
    if (first.length === 0 && db.kind === 'postgres')
      return byTag(await db.run<Total>({ name: 'add views', text: addAll }, valuesOf(tags, seen, at)))
    const totals = await db.q.transaction().execute(async (on) => {
      if (first.length === 0) return byTag(await add(on, tags, seen, at))
      const refused = new Set(await tooMany(db, on, { asked: first, at, newTagsPerHour }))
      const taken = tags.filter((tag) => !refused.has(tag))
      const totals = byTag(taken.length === 0 ? [] : await add(on, taken, seen, at))
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

// What follows is every view's cost: texts that are never put together anew, and one list a column.

const run = async (on: Queries, text: string, values: unknown[]): Promise<Total[]> =>
  (await on.executeQuery<Total>(CompiledQuery.raw(text, values) as CompiledQuery<Total>)).rows

const addOfSource = (source: Source) => `
  insert into badge (tag, ${source}, last_view, created_at) select key, value, ?1, ?1 from json_each(?2) where true
  on conflict (tag) do update set ${source} = ${source} + excluded.${source}, last_view = max(last_view, excluded.last_view)
  returning tag, camo, other`
const addCamo = addOfSource('camo')
const addOther = addOfSource('other')

async function addOnSqlite(on: Queries, tags: readonly string[], seen: Seen, at: Instant): Promise<Total[]> {
  const rows: Total[] = []
  for (const [source, text] of [
    ['camo', addCamo],
    ['other', addOther],
  ] as const) {
    const list = listOf(tags, seen, source)
    if (list !== '{}') rows.push(...(await run(on, text, [at, list])))
  }
  return rows
}

/** The tags that this source saw with how often, as JSON; a tag has no letter that JSON would write otherwise. */
function listOf(tags: readonly string[], seen: Seen, source: Source): string {
  let list = ''
  for (const tag of tags) {
    const views = seen.get(tag)?.[source] ?? 0
    if (views > 0) list += `${list && ','}"${tag}":${views}`
  }
  return `{${list}}`
}

const addAll = `
  insert into badge (tag, camo, other, last_view, created_at)
  select tag, camo, other, $1, $1 from unnest($2::text[], $3::bigint[], $4::bigint[]) as seen (tag, camo, other)
  on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
    last_view = greatest(badge.last_view, excluded.last_view)
  returning tag, camo, other`

const addOnPostgres = (on: Queries, tags: readonly string[], seen: Seen, at: Instant): Promise<Total[]> =>
  run(on, addAll, valuesOf(tags, seen, at))

/** Arrays as PostgreSQL writes them. */
const valuesOf = (tags: readonly string[], seen: Seen, at: Instant) => [
  at,
  `{"${tags.join('","')}"}`,
  ...sources.map((source) => `{${tags.map((tag) => seen.get(tag)?.[source] ?? 0)}}`),
]
