import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../server/db/open.ts'
import { dayOf, hours, type Instant } from '../../shared/time.ts'
import { byTag, type Seen, seenIn, type Total, type View } from './seen.ts'
import { sources } from './terms.ts'
import { viewJournal } from './view-journal.ts'

const keptTags = 100_000
/** Which view of its tag each is; undefined for one of a new tag too many. */
type Numbers = (number | undefined)[]

/**
 * Adds views, group after group, each durable when it is answered. Of new tags an hour takes no more than
 * `newTagsPerHour`, on all instances together.
 */
export function viewWriter(db: Db, newTagsPerHour: number) {
  // Of PostgreSQL's instances none knows what the others count: there every group asks for the totals.
  const journal = db.kind === 'sqlite' ? viewJournal(db) : undefined
  /** Tags that are not new, and whose day has begun, with their views as far as this instance knows. */
  let begun = { day: '', tags: new Map<string, number>() }

  async function write(views: readonly View[], at: Instant): Promise<Numbers> {
    const day = dayOf(at)
    if (begun.day !== day || begun.tags.size >= keptTags) begun = { day, tags: new Map() }
    const { tags: known } = begun
    if (views.some(({ tag }) => !known.has(tag))) return writeFirst(views, day, at)
    if (!journal) {
      const seen = seenIn(views)
      return numbersOf(views, seen, byTag(await db.run<Total>(add, valuesOf(seen, at))))
    }
    await journal.append(views, at)
    return views.map(({ tag }) => {
      const number = known.get(tag)! + 1
      known.set(tag, number)
      return number
    })
  }

  /** Adds a group in which there are tags that may be new, or whose day may begin. */
  async function writeFirst(views: readonly View[], day: string, at: Instant): Promise<Numbers> {
    const seen = seenIn(views)
    const first = [...seen.keys()].filter((tag) => !begun.tags.has(tag))
    const totals = await db.q.transaction().execute(async (on) => {
      const refused = new Set(await tooMany(db, on, { asked: first, at, newTagsPerHour }))
      const taken = views.filter(({ tag }) => !refused.has(tag))
      const totals = byTag(await (journal ? journal.addOn(on, taken, at) : addOn(on, seenIn(taken), at)))
      await beginDay(db, on, { day, first, seen, totals })
      return totals
    })
    for (const [tag, { camo, other }] of totals) if (seen.has(tag)) begun.tags.set(tag, camo + other)
    return numbersOf(views, seen, totals)
  }

  return {
    write,
    /** Resolves when every view that was answered before is added to its tag. Rejects when the database failed. */
    checkpoint: async (): Promise<void> => journal?.checkpoint(),
  }
}

/** Everybody in a group has their own number, up to the tag's total with the group in it. */
function numbersOf(views: readonly View[], seen: Seen, totals: Seen): Numbers {
  const shown = new Map<string, number>()
  return views.map(({ tag }) => {
    const [total, now] = [totals.get(tag), seen.get(tag)]
    if (!total || !now) return undefined
    const number = (shown.get(tag) ?? total.camo + total.other - now.camo - now.other) + 1
    shown.set(tag, number)
    return number
  })
}

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
  { day, first, seen, totals }: { day: string; first: readonly string[]; seen: Seen; totals: Seen },
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

/** PostgreSQL's one statement for all, its text never put together anew. */
const add = {
  name: 'add views',
  text: `
    insert into badge (tag, camo, other, last_view, created_at)
    select tag, camo, other, $1::bigint, $1::bigint
    from unnest($2::text[], $3::bigint[], $4::bigint[]) as seen (tag, camo, other)
    on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
      last_view = greatest(badge.last_view, excluded.last_view)
    returning tag, camo, other`,
}

async function addOn(on: Queries, seen: Seen, at: Instant): Promise<Total[]> {
  const statement = CompiledQuery.raw(add.text, valuesOf(seen, at)) as CompiledQuery<Total>
  return (await on.executeQuery(statement)).rows
}

/** In one order everywhere, so that two instances never wait for each other. Quoted, a tag has no letter that an array would write otherwise; bare, `null` is no text to it. */
function valuesOf(seen: Seen, at: Instant): unknown[] {
  const tags = [...seen.keys()].sort()
  const counts = sources.map((source) => `{${tags.map((tag) => seen.get(tag)?.[source])}}`)
  return [at, tags.length === 0 ? '{}' : `{"${tags.join('","')}"}`, ...counts]
}
