import { sql } from 'kysely'
import { canSeeAll } from '../../entries/store.ts'
import type { RunResult } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Caller } from '../../platform/http/app.ts'
import type { NamedEntry } from '../../platform/notice.ts'
import { dayOf, days, hours, type Instant } from '../../shared/time.ts'
import { withoutQuery } from '../../shared/urls/web-url.ts'
import { Active } from '../../shared/user.ts'
import { keepaliveNames, soonDays } from './terms.ts'

/** How many days before a certificate's expiry the entry's owner is notified. */
const noticeDays = [3, 14]
export const mostExpiring = 5
/** How long to trust that a certificate is stored. Then it is stored again, in case its transaction failed. */
const trustFor = hours(12)
const maxKnown = 100_000
/** What this instance has stored, by entry id. Avoids a write per run, because certificates rarely change. */
const stored = new WeakMap<Db, Map<string, string>>()

type SeenCertificate = { entryId: string; editedAt: Instant; url: string; validTo: Instant | undefined }

/** Returns a run's write for its certificate; nothing if the certificate is already stored. */
export function recordCertificate(context: Context, { validTo, ...run }: SeenCertificate): Pick<RunResult, 'also'> {
  if (validTo === undefined) return {}
  const fingerprints = stored.get(context.db) ?? new Map<string, string>()
  stored.set(context.db, fingerprints)
  const now = context.now()
  const { entryId, editedAt } = run
  // An edit on any instance may have deleted the certificate.
  const fingerprint = [editedAt, validTo, dueNotice(validTo, now), Math.floor(now / trustFor)].join(' ')
  if (fingerprints.get(entryId) === fingerprint) return {}
  return {
    async also(tx) {
      const events = await storeCertificate(context, tx, { ...run, validTo })
      if (fingerprints.size >= maxKnown) fingerprints.clear()
      fingerprints.set(entryId, fingerprint)
      return events
    },
  }
}

/** The latest notice (in days before expiry) that is due by now; undefined if none is due yet. */
const dueNotice = (validTo: Instant, now: Instant) => noticeDays.find((days) => daysUntil(validTo, now) <= days)

/** Stores a certificate's expiry, and notifies the owner once per certificate and notice day. */
async function storeCertificate(
  context: Context,
  tx: Queries,
  { entryId, url, validTo }: SeenCertificate & { validTo: Instant },
) {
  const store = certificateStore(context.db, tx)
  const { noticedTo, noticedDays } = await store.save(entryId, validTo)
  const now = context.now()
  const due = dueNotice(validTo, now)
  if (due === undefined) return []
  // A host may alternate between several certificates: only the last one to expire soon counts.
  if (noticedTo !== null && validTo < noticedTo) return []
  if (validTo === noticedTo && noticedDays !== null && noticedDays <= due) return []
  const named = await store.findForNotice(entryId)
  if (!named) return []
  await store.recordNotice(entryId, { validTo, days: due })
  const cause = `${formatDays(daysUntil(validTo, now))}, on ${formatDate(validTo)}`
  return context.notify(tx, [
    { type: 'certificate', ownerId: named.ownerId, entry: { ...named.entry, url: withoutQuery(url) }, cause },
  ])
}

/** Formats a UTC day: `21/11/2026`. */
export const formatDate = (at: Instant) => dayOf(at).split('-').reverse().join('/')

function formatDays(days: number): string {
  if (days < 1) return 'within a day'
  return days === 1 ? 'in 1 day' : `in ${days} days`
}

/** A certificate's expiry, epoch milliseconds, and the whole days until then; negative once it has expired. */
type Certificate = { validTo: Instant; days: number }

const daysUntil = (validTo: Instant, now: Instant): number => Math.floor((validTo - now) / days(1))

export function certificateStore(db: Pick<Db, 'isOneOf'>, q: Queries) {
  return {
    async load(ids: readonly string[], now: Instant): Promise<Map<string, Certificate>> {
      const rows = await q
        .selectFrom('certificate')
        .select(['entry_id', 'valid_to'])
        .where(sql<boolean>`${db.isOneOf('entry_id', ids)}`)
        .execute()
      return new Map(
        rows.map(({ entry_id, valid_to: validTo }) => [entry_id, { validTo, days: daysUntil(validTo, now) }]),
      )
    },

    /** Lists the certificates that expire soon, of active entries that the user may see. */
    async listExpiring(user: Caller['user'], now: Instant) {
      const rows = await q
        .selectFrom('certificate')
        .innerJoin('entry', 'entry.id', 'certificate.entry_id')
        .innerJoin('users', 'users.id', 'entry.owner_id')
        .select(['entry.id', 'entry.name', 'entry.about', 'certificate.valid_to as validTo'])
        .where('certificate.valid_to', '<', now + days(soonDays + 1))
        .where('entry.status', '=', 1)
        .where('users.status', '=', Active)
        .$if(!canSeeAll(user), (query) => query.where('entry.owner_id', '=', user.id))
        .orderBy('certificate.valid_to')
        .orderBy('entry.id')
        .limit(mostExpiring)
        .execute()
      return rows.map((row) => ({ ...row, days: daysUntil(row.validTo, now) }))
    },

    /** Stores a certificate and locks it until the transaction ends; returns the previous notice to its owner. */
    save: (entryId: string, validTo: Instant) =>
      q
        .insertInto('certificate')
        .values({ entry_id: entryId, valid_to: validTo, told_to: null, told_days: null })
        .onConflict((conflict) => conflict.column('entry_id').doUpdateSet({ valid_to: validTo }))
        .returning(['told_to as noticedTo', 'told_days as noticedDays'])
        .executeTakeFirstOrThrow(),

    async recordNotice(entryId: string, { validTo, days }: Certificate) {
      await q
        .updateTable('certificate')
        .set({ told_to: validTo, told_days: days })
        .where('entry_id', '=', entryId)
        .execute()
    },

    async delete(entryId: string) {
      await q.deleteFrom('certificate').where('entry_id', '=', entryId).execute()
    },

    /** An entry with the fields for notices, and its owner; undefined while either is inactive. */
    async findForNotice(id: string): Promise<{ ownerId: string; entry: Omit<NamedEntry, 'url'> } | undefined> {
      const row = await q
        .selectFrom('entry')
        .innerJoin('users', 'users.id', 'entry.owner_id')
        .select(['entry.name', 'entry.about', 'entry.owner_id'])
        .where('entry.id', '=', id)
        .where('entry.status', '=', 1)
        .where('users.status', '=', Active)
        .executeTakeFirst()
      if (!row) return undefined
      return { ownerId: row.owner_id, entry: { id, tool: keepaliveNames.id, name: row.name, about: row.about } }
    },
  }
}
