import { sql } from 'kysely'
import { entryPageUrl } from '../../../entries/runs/record.ts'
import type { Context } from '../../../platform/context.ts'
import { hashOf } from '../../../platform/crypto/secrets.ts'
import { lockRows } from '../../../platform/db/locks.ts'
import type { Column, Db, Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/write.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { LiveEvent } from '../../../platform/live/events.ts'
import type { NamedEntry, Notice } from '../../../platform/notice.ts'
import { notFound } from '../../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'
import { withoutQuery } from '../../../shared/urls/web-url.ts'
import { displayType, maxStored } from '../copy.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import { imageColumns, type RunFindings, recordOf, truncate } from './last-images.ts'
import type { PurgeResult } from './purge.ts'

/** An image purged more recently than this is not purged again by any entry. */
const freshFor: Milliseconds = minutes(10)

export function purgeStore({ db, notify, config }: Pick<Context, 'db' | 'notify' | 'config'>) {
  const { q } = db

  return {
    async isFresh(camo: string, now: Instant): Promise<boolean> {
      const lastPurge = await q.selectFrom('purge').select('at').where('hash', '=', hashOf(camo)).executeTakeFirst()
      // A purge with a future time was made before the clock was set back.
      return lastPurge !== undefined && lastPurge.at > now - freshFor && lastPurge.at < now + freshFor
    },

    async recordPurge(camo: string, now: Instant) {
      await q
        .insertInto('purge')
        .values({ hash: hashOf(camo), at: now })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ at: now }))
        .execute()
    },

    async cleanUp(now: Instant) {
      await deleteInBatches(q, 'purge', { key: ['hash'], where: sql`at <= ${now - freshFor}` })
    },

    /** Saves a run's findings and notifies of dead images, unless the entry was deleted or its page replaced. */
    async saveRun(
      entryId: string,
      { at, url, movedTo, images, isCompared }: RunFindings,
    ): Promise<readonly LiveEvent[]> {
      const copies = copiesOf(images)
      const records = images.map((image, position) => recordOf(image, position, { copies, config }))
      return transact(db, async (tx) => {
        const entry = tx
          .selectFrom('entry')
          .select(['id', 'name', 'about', 'owner_id', 'settings'])
          .where('id', '=', entryId)
        // Concurrent runs of one entry write one after the other.
        const [found] = await lockRows(db, entry, 'no key update').execute()
        if (!found || JSON.parse(found.settings).url !== url) return []
        const row = { at, moved_to: movedTo }
        await tx
          .insertInto('purge_page')
          .values({ entry_id: entryId, ...row })
          .onConflict((conflict) => conflict.column('entry_id').doUpdateSet(row))
          .execute()
        await replaceRows(db, tx, { table: 'purge_image', entryId, columns: imageColumns, records })
        const copyRecords = [...copies].map(([hash, copy]) => ({ hash, ...copy }))
        await replaceRows(db, tx, { table: 'image_copy', entryId, columns: copyColumns, records: copyRecords })
        if (!isCompared) return []
        const { owner_id: ownerId, settings: _, ...named } = found
        const { id: tool } = ghmdinvalidatorNames
        const notices = await countDead(db, tx, {
          entry: { ...named, tool, url: entryPageUrl(config, tool, entryId) },
          ownerId,
          images,
          at,
        })
        return notices.length > 0 ? notify(tx, notices) : []
      })
    },
  }
}

const copyColumns = { hash: 'text', type: 'text', bytes: 'text' } as const
const deadColumns = { hash: 'text', runs: 'bigint', since: 'bigint' } as const

type Rows = { table: string; entryId: string; columns: Record<string, Column>; records: readonly object[] }

async function replaceRows(
  db: Pick<Db, 'rows'>,
  tx: Queries,
  { table, entryId, columns, records }: Rows,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where entry_id = ${entryId}`.execute(tx)
  if (records.length === 0) return
  const names = sql.raw(Object.keys(columns).join(', '))
  await sql`insert into ${sql.table(table)} (entry_id, ${names})
    select ${entryId}, ${names} from ${db.rows('added', columns, records)} where true`.execute(tx)
}

export async function deleteFindings(tx: Queries, entryId: string): Promise<void> {
  for (const table of ['purge_page', 'purge_image', 'image_copy', 'dead_image'])
    await sql`delete from ${sql.table(table)} where entry_id = ${entryId}`.execute(tx)
}

/** Selects the copies to store for the entry's page, by hash: in page order, up to the size limit. */
function copiesOf(images: readonly PurgeResult[]): Map<string, { type: string; bytes: string }> {
  const copies = new Map<string, { type: string; bytes: string }>()
  let room = maxStored
  for (const { seen } of images)
    for (const copy of [seen?.github, seen?.origin]) {
      if (!copy?.display || copies.has(copy.hash) || copy.display.bytes.length > room) continue
      room -= copy.display.bytes.length
      copies.set(copy.hash, copy.display)
    }
  return copies
}

/** A copy that an entry stores. Throws a 404 if it is missing, or if its bytes don't match its stored type. */
export async function storedCopy({ q }: Pick<Db, 'q'>, entryId: string, hash: string) {
  const copies = q.selectFrom('image_copy').select(['type', 'bytes'])
  const copy = await copies.where('entry_id', '=', entryId).where('hash', '=', hash).executeTakeFirst()
  const bytes = Buffer.from(copy?.bytes ?? '', 'base64')
  if (!copy || displayType(bytes) !== copy.type) throw notFound('Picture')
  return { type: copy.type, bytes }
}

/** The number of consecutive runs with a dead image after which its owner is notified, once. */
const runsUntilNotice = 2
const longestNamed = 150

/** Counts consecutive runs with dead images and returns the notices to send. The entry must be locked. */
async function countDead(
  db: Pick<Db, 'rows'>,
  tx: Queries,
  { entry, ownerId, images, at }: { entry: NamedEntry; ownerId: string; images: readonly PurgeResult[]; at: Instant },
): Promise<Notice[]> {
  const rows = await tx.selectFrom('dead_image').selectAll().where('entry_id', '=', entry.id).execute()
  const rowsByHash = new Map(rows.map((row) => [row.hash, row]))
  const byHash = new Map(images.map((image) => [hashOf(image.origin), image]))
  // An image keeps its state if its server didn't answer for reasons that aren't its fault.
  const isAsBefore = ({ seen }: PurgeResult) => !seen || (seen.state === 'failed' && !seen.isDead && !seen.origin)
  const now = [...byHash].flatMap(([hash, image]) => {
    const { runs = 0, since = at } = rowsByHash.get(hash) ?? {}
    if (isAsBefore(image)) return runs > 0 ? [{ hash, runs, since }] : []
    return image.seen?.isDead ? [{ hash, runs: Math.min(runs + 1, runsUntilNotice), since }] : []
  })
  await replaceRows(db, tx, { table: 'dead_image', entryId: entry.id, columns: deadColumns, records: now })

  const isReported = ({ runs }: { runs: number }) => runs >= runsUntilNotice
  const reported = now.filter((row) => isReported(row) && (rowsByHash.get(row.hash)?.runs ?? 0) < runsUntilNotice)
  const [first] = reported
  const image = first && byHash.get(first.hash)
  if (first && image)
    return [{ type: 'failing', ownerId, entry, since: first.since, cause: causeOf(image, reported.length) }]
  if (rows.some(isReported) && !now.some(isReported))
    return [{ type: 'recovered', ownerId, entry, since: Math.min(...rows.map((row) => row.since)), cause: '' }]
  return []
}

function causeOf({ origin, seen }: PurgeResult, count: number): string {
  const what = count === 1 ? 'an image is dead:' : `${count} images are dead, such as`
  // The message already says that the image is dead.
  const why = seen?.cause?.replace(/^dead address: /, '')
  return `${what} ${truncate(withoutQuery(origin), longestNamed)}, ${why}`
}
