import * as z from 'zod/mini'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { sharedState } from '../platform/db/shared-state.ts'
import { days } from '../shared/time.ts'
import type { Sizes } from './checks/database.ts'

const keptDays = 31
const shared = sharedState('database sizes', z.array(z.object({ at: z.int(), bytes: z.int() })))

/** How large the database was on each of the last days, oldest first. */
export const readSizes = async (q: Queries): Promise<Sizes> => (await shared.read(q)) ?? []

/** Writes down once a day how large the database is. To be called now and then; of several instances, the last one counts. */
export async function noteSize({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const at = Math.floor(now())
  const known = await readSizes(db.q)
  const last = known.at(-1)
  // A size of the future was before the clock was set back.
  if (last && at - last.at < days(1) && last.at <= at) return
  const sizes = [...known.filter((size) => size.at < at), { at, bytes: Math.round(Number((await db.room()).used)) }]
  await shared.write(db.q, sizes.slice(-keptDays))
}
