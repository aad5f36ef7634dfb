import * as z from 'zod/mini'
import { type CheckResult, ok, problem, warning } from '../../platform/check-result.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { sharedState } from '../../platform/db/shared-state.ts'
import type { Unavailability } from '../../platform/db/unavailable.ts'
import { formatBytes } from '../../shared/count.ts'
import { days, type Instant } from '../../shared/time.ts'

/** Past sizes of the database, oldest first. */
type Sizes = readonly { at: Instant; bytes: number }[]

type DatabaseState = {
  isShared: boolean
  used: number
  /** Free bytes on its disk, if that is on this machine. */
  free: number | undefined
  sizes: Sizes
  failing: Unavailability | undefined
  now: Instant
}

const leastFree = 1_000_000_000
const tooLittleFree = 100_000_000
const freeSpaceAdvice = 'Free some space, or move DATA_DIR to a larger disk.'

export function checkDatabase({ isShared, used, free, sizes, failing, now }: DatabaseState): CheckResult[] {
  const kind = isShared ? 'PostgreSQL' : 'SQLite'
  const perDay = growthOf(sizes, { at: now, bytes: used })
  return [
    failing === undefined
      ? ok(`The database is ${kind} and uses ${formatBytes(used)}${describeGrowth(perDay)}.`)
      : problem(`The database (${kind}) fails: ${failureLabels[failing]}.`, 'See the log for details.'),
    ...(free === undefined ? [] : [checkFreeSpace(free, perDay)]),
  ]
}

const failureLabels: Record<Unavailability, string> = {
  unreachable: "it can't be reached",
  refused: "it refuses ToolBox's role",
  readOnly: 'it is read-only',
  locked: 'another program keeps it locked',
  full: 'its disk is full',
  disk: "its disk can't be written to",
  damaged: 'it is damaged',
}

/** Growth in bytes a day; undefined without a size from at least a day ago. */
function growthOf(sizes: Sizes, latest: Sizes[number]): number | undefined {
  const first = sizes.find(({ at }) => latest.at - at >= days(1))
  return first && ((latest.bytes - first.bytes) / (latest.at - first.at)) * days(1)
}

function describeGrowth(perDay: number | undefined): string {
  if (perDay === undefined) return ''
  return perDay < 1_000 ? ', and is not growing' : `, and grows by ${formatBytes(Math.round(perDay))} a day`
}

function checkFreeSpace(free: number, perDay = 0): CheckResult {
  const freeSize = formatBytes(free)
  if (free < tooLittleFree) return problem(`Only ${freeSize} are free on its disk.`, freeSpaceAdvice)
  const daysLeft = perDay > 0 ? Math.floor(free / perDay) : Number.POSITIVE_INFINITY
  if (daysLeft < 30)
    return warning(`${freeSize} are free on its disk, which will be full in about ${daysLeft} days.`, freeSpaceAdvice)
  return free < leastFree
    ? warning(`Only ${freeSize} are free on its disk.`, freeSpaceAdvice)
    : ok(`${freeSize} are free on its disk.`)
}

const keptDays = 31
const shared = sharedState('database sizes', z.array(z.object({ at: z.int(), bytes: z.int() })))

/** The daily sizes of the database during the last month, oldest first. */
export const readSizes = async (q: Queries): Promise<Sizes> => (await shared.read(q)) ?? []

/** Records the size of the database once a day. Call it regularly; among several instances, the last write wins. */
export async function recordSize({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const at = Math.floor(now())
  const storedSizes = await readSizes(db.q)
  const last = storedSizes.at(-1)
  // A size dated in the future is from before the clock was set back.
  if (last && at - last.at < days(1) && last.at <= at) return
  const sizes = [
    ...storedSizes.filter((size) => size.at < at),
    { at, bytes: Math.round(Number((await db.diskUsage()).used)) },
  ]
  await shared.write(db.q, sizes.slice(-keptDays))
}
