import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { PersonalData } from '../entries/tool-server.ts'
import type { AuditEntryChange, Context } from '../platform/context.ts'
import { lockRows } from '../platform/db/locks.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { transact } from '../platform/db/transact.ts'
import type { ActingUser } from '../platform/http/access/actor.ts'
import { callerDeleted, fieldConflict, invalid, notFound } from '../shared/http-error.ts'
import { days, type Instant, laterThan } from '../shared/time.ts'
import { isReserved, PageEntry, type StatusPageBody } from './contract.ts'
import '../platform/db/tables.ts'

const StoredPage = z.object({
  slug: z.string(),
  title: z.string(),
  text: z.string(),
  entries: z.array(PageEntry),
  updatedAt: z.int(),
})
type StoredPage = z.infer<typeof StoredPage>

const insertedAtOnce = 200
/** How long a former address is kept from other users: at least 30 days, because `used_at` is updated once a day. */
const slugKept = days(31)
const takenSlug = () => fieldConflict('slug', 'This address is taken. Choose another one.')

type AuditChange = Parameters<AuditEntryChange>[1]

export async function statusPageOf(q: Queries, userId: string): Promise<StoredPage | undefined> {
  const page = await q.selectFrom('status_page').selectAll().where('user_id', '=', userId).executeTakeFirst()
  if (!page) return undefined
  const rows = await pageEntries(q, page.id)
    .select(['entry.tool', 'entry.id', 'status_page_entry.name', 'entry.name as entryName', 'entry.about'])
    .select('status_page_entry.show_url')
    .execute()
  const entries = rows.map(({ show_url, ...entry }) => ({ ...entry, showUrl: show_url === 1 }))
  return { slug: page.slug, title: page.title, text: page.text, entries, updatedAt: page.updated_at }
}

/** The entries of a page in order, without entries that aren't its owner's. */
export const pageEntries = (q: Queries, pageId: string) =>
  q
    .selectFrom('status_page_entry')
    .innerJoin('status_page', 'status_page.id', 'status_page_entry.page_id')
    .innerJoin('entry', (join) =>
      join.onRef('entry.id', '=', 'status_page_entry.entry_id').onRef('entry.owner_id', '=', 'status_page.user_id'),
    )
    .where('status_page_entry.page_id', '=', pageId)
    .orderBy('status_page_entry.position')

/**
 * Throws a 400 for other users' entries, and a 409 for a slug that another page has or had within 30 days. `outdated`:
 * saved after `ifUpdatedAt`, so nothing was written.
 */
export async function saveStatusPage(
  context: Pick<Context, 'db' | 'now' | 'audit'>,
  by: ActingUser,
  body: StatusPageBody,
): Promise<'outdated' | undefined> {
  try {
    return await transact(context.db, (tx) => replacePage(context, tx, by, body))
  } catch (error) {
    // An instance of an older version may have taken the slug at the same time.
    if (context.db.uniqueViolation(error)?.includes('slug')) throw takenSlug()
    throw error
  }
}

async function replacePage(
  context: Pick<Context, 'db' | 'now' | 'audit'>,
  tx: Queries,
  by: ActingUser,
  { ifUpdatedAt, slug, title, text, entries }: StatusPageBody,
): Promise<'outdated' | undefined> {
  const { db, now } = context
  const userId = by.user.id
  const user = tx.selectFrom('users').select('id').where('id', '=', userId)
  // Makes concurrent saves of this user's page wait, but no rows that refer to the user, such as notices.
  await lockRows(db, user, 'no key update').executeTakeFirstOrThrow(callerDeleted)
  const current = await tx
    .selectFrom('status_page')
    .select(['id', 'slug', 'updated_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (ifUpdatedAt && !current) throw notFound('Status page')
  if (ifUpdatedAt !== undefined && current && current.updated_at > ifUpdatedAt) return 'outdated'
  await checkEntries(db, tx, userId, entries)
  const showingUrl = current
    ? await pageEntries(tx, current.id).select('entry.id').where('status_page_entry.show_url', '=', 1).execute()
    : []
  const withUrl = new Set(showingUrl.map(({ id }) => id))
  // A page may keep its address even if it is reserved by now.
  if (slug !== current?.slug && isReserved(slug)) throw invalid('slug', 'This address is reserved. Choose another one.')
  await takeSlug(tx, slug, userId, now())
  const id = current?.id ?? randomUUID()
  const at = laterThan(current?.updated_at ?? 0, now())
  const row = { slug, title, text, updated_at: at }
  if (current) await tx.updateTable('status_page').set(row).where('id', '=', id).execute()
  else
    await tx
      .insertInto('status_page')
      .values({ id, user_id: userId, created_at: at, ...row })
      .execute()
  const revealed = entries.filter((entry) => entry.showUrl && !withUrl.has(entry.id)).length
  const record = changeOf(by, { slug, before: current?.slug, revealed })
  if (record) await context.audit(tx, record)
  await tx.deleteFrom('status_page_entry').where('page_id', '=', id).execute()
  const rows = entries.map(({ id: entryId, showUrl, name }, position) => ({
    page_id: id,
    entry_id: entryId,
    position,
    show_url: showUrl ? (1 as const) : (0 as const),
    name,
  }))
  for (let from = 0; from < rows.length; from += insertedAtOnce)
    await tx
      .insertInto('status_page_entry')
      .values(rows.slice(from, from + insertedAtOnce))
      .execute()
  return undefined
}

/** Records that this user's page has the slug. Throws a 409 if another user's had it within 30 days. */
async function takeSlug(tx: Queries, slug: string, userId: string, at: Instant): Promise<void> {
  const own = tx
    .insertInto('status_slug')
    .values({ slug, user_id: userId, used_at: at })
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet({ used_at: at }).where('status_slug.user_id', '=', userId),
    )
  if (!(await own.returning('slug').executeTakeFirst())) throw takenSlug()
}

/** Records which slugs are in use, and deletes those that no page has had for 31 days. Must be called periodically. */
export async function cleanUpSlugs({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const at = now()
  await sql`
    insert into status_slug (slug, user_id, used_at) select slug, user_id, ${at} from status_page where true
    on conflict (slug) do update set user_id = excluded.user_id, used_at = excluded.used_at
    where status_slug.used_at <= ${at - days(1)}`.execute(db.q)
  await deleteInBatches(db.q, 'status_slug', { key: ['slug'], where: sql`used_at <= ${at - slugKept}` })
}

/** The audit record, sent to the owner too, for a new page, a new address or newly public URLs; otherwise undefined. */
function changeOf(
  { user, actor }: ActingUser,
  { slug, before, revealed }: { slug: string; before: string | undefined; revealed: number },
): AuditChange | undefined {
  const changes: AuditChange['changes'][number][] = []
  if (slug !== before) changes.push({ field: 'address', from: before ?? null, to: `/status/${slug}` })
  if (revealed > 0) changes.push({ field: 'urls', from: null, to: revealed })
  if (changes.length === 0) return undefined
  const action = before === undefined ? 'status.create' : 'status.edit'
  return { actor, action, target: { id: user.id, name: user.email }, changes }
}

async function checkEntries(db: Db, tx: Queries, userId: string, entries: StatusPageBody['entries']): Promise<void> {
  const ids = entries.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid('entries', `The entry with the ID ${twice} appears twice.`)
  const named = tx.selectFrom('entry').select(['id', 'tool']).where(db.isOneOf('id', ids))
  // None may be deleted or given away until the page is saved.
  const own = await lockRows(db, named.where('owner_id', '=', userId).orderBy('id'), 'no key update').execute()
  const toolOf = new Map(own.map(({ id, tool }) => [id, tool]))
  const foreign = entries.find(({ id, tool }) => toolOf.get(id) !== tool)
  if (foreign) throw invalid('entries', `You have no entry with the ID ${foreign.id}.`)
}

export async function removeStatusPage({ db }: Pick<Context, 'db'>, userId: string): Promise<void> {
  const deleted = await db.q.deleteFrom('status_page').where('user_id', '=', userId).returning('id').executeTakeFirst()
  if (!deleted) throw notFound('Status page')
}

export const ownStatusPage: PersonalData = {
  name: 'statusPage',
  Shape: z.nullable(StoredPage),
  read: async (userId, { db }) => (await statusPageOf(db.q, userId)) ?? null,
  whenDeleted: async (userId, { db }) =>
    (await statusPageOf(db.q, userId)) ? 'Your status page goes offline.' : undefined,
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** At most one per user. */
    status_page: {
      id: string
      user_id: string
      slug: string
      title: string
      text: string
      created_at: number
      updated_at: number
    }
    /** The last user of an address, and when; kept for 31 days after a page gives it up. */
    status_slug: { slug: string; user_id: string; used_at: number }
  }
}
