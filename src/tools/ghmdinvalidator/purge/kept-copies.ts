import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { notFound } from '../../../shared/http-error.ts'
import { mostKept, shownAs } from '../compare/picture.ts'
import type { Purged } from './purge.ts'

const columns = { hash: 'text', type: 'text', bytes: 'text' } as const

/** The copies of these images that are kept to be shown, by their hash: the first on the page, as far as there is room. */
export function copiesOf(images: readonly Purged[]): Map<string, { type: string; bytes: string }> {
  const kept = new Map<string, { type: string; bytes: string }>()
  let room = mostKept
  for (const { seen } of images)
    for (const copy of [seen?.github, seen?.origin]) {
      if (!copy?.shown || kept.has(copy.hash) || copy.shown.bytes.length > room) continue
      room -= copy.shown.bytes.length
      kept.set(copy.hash, copy.shown)
    }
  return kept
}

/** Replaces the copies that an entry keeps. */
export async function keepCopies(
  db: Pick<Db, 'rows'>,
  tx: Queries,
  entryId: string,
  copies: ReturnType<typeof copiesOf>,
): Promise<void> {
  await tx.deleteFrom('image_copy').where('entry_id', '=', entryId).execute()
  const records = [...copies].map(([hash, copy]) => ({ hash, ...copy }))
  if (records.length === 0) return
  await sql`insert into image_copy (entry_id, hash, type, bytes)
    select ${entryId}, hash, type, bytes from ${db.rows('copy', columns, records)} where true`.execute(tx)
}

/** A copy that an entry keeps. Throws a 404, also if it isn't what it was stored as. */
export async function shownCopy({ q }: Pick<Db, 'q'>, entryId: string, hash: string) {
  const copies = q.selectFrom('image_copy').select(['type', 'bytes'])
  const kept = await copies.where('entry_id', '=', entryId).where('hash', '=', hash).executeTakeFirst()
  const bytes = Buffer.from(kept?.bytes ?? '', 'base64')
  if (!kept || shownAs(bytes) !== kept.type) throw notFound('Picture')
  return { type: kept.type, bytes }
}
