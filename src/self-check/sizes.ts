import * as z from 'zod/mini'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { days } from '../shared/time.ts'
import type { Sizes } from './checks/database.ts'

/** The setting that holds them. */
const key = 'database sizes'
const keptDays = 31

const Stored = z.array(z.object({ at: z.int(), bytes: z.int() }))

/** How large the database was on each of the last days, oldest first. */
export async function readSizes(q: Queries): Promise<Sizes> {
  const row = await q.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return row ? Stored.parse(JSON.parse(row.value)) : []
}

/** Writes down once a day how large the database is. To be called now and then; of several instances, the last one counts. */
export async function noteSize({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const at = Math.floor(now())
  const known = await readSizes(db.q)
  const last = known.at(-1)
  // A size of the future was before the clock was set back.
  if (last && at - last.at < days(1) && last.at <= at) return
  const sizes = [...known.filter((size) => size.at < at), { at, bytes: Math.round(Number((await db.room()).used)) }]
  const value = JSON.stringify(sizes.slice(-keptDays))
  await db.q
    .insertInto('setting')
    .values({ key, value })
    .onConflict((on) => on.column('key').doUpdateSet({ value }))
    .execute()
}
