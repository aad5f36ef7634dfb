import { CompiledQuery } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import { sources } from '../terms.ts'
import { hiddenTags, type Ledger, numbersOf, type Seen, type Shown, seenIn, type Total } from './ledger.ts'

const upsert = `
  insert into badge (tag, camo, other, last_view, created_at)
  select tag, camo, other, $1::bigint, $1::bigint
  from unnest($2::text[], $3::bigint[], $4::bigint[]) as seen (tag, camo, other)
  on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
    last_view = greatest(badge.last_view, excluded.last_view)
  returning tag, camo + other + base - reset_views as shown, hidden`
/** One statement for a whole group; its text never changes, so it stays prepared. */
const add = { name: 'add views', text: upsert }
const addFirst = `${upsert}, camo, other, last_view`

/** How PostgreSQL adds views: at once, a row for each tag. No instance knows what the others count, so totals are always read. */
export function viewRows(db: Db): Ledger {
  const hidden = hiddenTags()
  return {
    async add(views, at) {
      const seen = seenIn(views)
      const rows = await db.run<Shown>(add, valuesOf(seen, at))
      hidden.note(rows)
      return numbersOf(views, seen, rows)
    },
    async addOn(tx, views, at) {
      const statement = CompiledQuery.raw(addFirst, valuesOf(seenIn(views), at)) as CompiledQuery<Total>
      return (await tx.executeQuery(statement)).rows
    },
    learn: hidden.note,
    relearn: (total) => hidden.note([total]),
    forget: hidden.clear,
    known: () => undefined,
    isHidden: hidden.has,
    flush: async () => {},
    checkpoint: async () => {},
  }
}

/** In one order everywhere, so that two instances never wait for each other. Tags are quoted because a bare `null` is not text in an array. */
function valuesOf(seen: Seen, at: Instant): unknown[] {
  const tags = [...seen.keys()].sort()
  const counts = sources.map((source) => `{${tags.map((tag) => seen.get(tag)?.[source])}}`)
  return [at, `{"${tags.join('","')}"}`, ...counts]
}
