import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { NamedEntry, Notice } from '../../../platform/notice.ts'
import type { Instant } from '../../../shared/time.ts'
import { withoutQuery } from '../../../shared/urls/web-url.ts'
import { beginningOf } from './last-images.ts'
import type { Purged } from './purge.ts'

/** An image that is dead for so many runs in a row is told, once. */
const runsUntilTold = 2
const longestNamed = 150

const hashOf = (origin: string) => createHash('sha256').update(origin).digest('hex')
const columns = { hash: 'text', runs: 'bigint', since: 'bigint' } as const

/** Counts the runs in which images were dead, and answers what to tell of that; the entry is locked. */
export async function countDead(
  db: Pick<Db, 'rows'>,
  tx: Queries,
  { entry, ownerId, images, at }: { entry: NamedEntry; ownerId: string; images: readonly Purged[]; at: Instant },
): Promise<Notice[]> {
  const rows = await tx.selectFrom('dead_image').selectAll().where('entry_id', '=', entry.id).execute()
  const known = new Map(rows.map((row) => [row.hash, row]))
  const byHash = new Map(images.map((image) => [hashOf(image.origin), image]))
  // Nothing was learned if its server was not heard, and that is not its fault.
  const isAsBefore = ({ seen }: Purged) => !seen || (seen.state === 'failed' && !seen.isDead && !seen.origin)
  const now = [...byHash].flatMap(([hash, image]) => {
    const { runs = 0, since = at } = known.get(hash) ?? {}
    if (isAsBefore(image)) return runs > 0 ? [{ hash, runs, since }] : []
    return image.seen?.isDead ? [{ hash, runs: Math.min(runs + 1, runsUntilTold), since }] : []
  })
  await tx.deleteFrom('dead_image').where('entry_id', '=', entry.id).execute()
  if (now.length > 0)
    await sql`insert into dead_image (entry_id, hash, runs, since)
      select ${entry.id}, hash, runs, since from ${db.rows('dead', columns, now)} where true`.execute(tx)

  const isTold = ({ runs }: { runs: number }) => runs >= runsUntilTold
  const news = now.filter((row) => isTold(row) && (known.get(row.hash)?.runs ?? 0) < runsUntilTold)
  const [first] = news
  const image = first && byHash.get(first.hash)
  if (first && image)
    return [{ type: 'failing', ownerId, entry, since: first.since, cause: causeOf(image, news.length) }]
  if (rows.some(isTold) && !now.some(isTold))
    return [{ type: 'recovered', ownerId, entry, since: Math.min(...rows.map((row) => row.since)), cause: '' }]
  return []
}

function causeOf({ origin, seen }: Purged, count: number): string {
  const what = count === 1 ? 'an image is dead:' : `${count} images are dead, such as`
  // That it is dead has been said.
  const why = seen?.cause?.replace(/^dead address: /, '')
  return `${what} ${beginningOf(withoutQuery(origin), longestNamed)}, ${why}`
}
