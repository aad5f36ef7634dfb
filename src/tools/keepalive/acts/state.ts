import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Instant } from '../../../shared/time.ts'
import { withoutQuery } from '../../../shared/urls/web-url.ts'
import { Active } from '../../../shared/user.ts'
import { matchesDomains } from '../hosts/routes.ts'
import { hostOf, knownHosts } from '../hosts/terms.ts'
import { keepaliveNames } from '../terms.ts'
import { type ActState, Memory } from './act.ts'

type State = ActState & { foundAsleep: { count: number; lastAt: Instant | null } }

export const neverAsleep: State['foundAsleep'] = { count: 0, lastAt: null }

export const awakeStore = (db: Pick<Db, 'isOneOf'>, q: Queries) => ({
  async load(ids: readonly string[]): Promise<Map<string, State>> {
    const rows = await q
      .selectFrom('awake')
      .innerJoin('entry', 'entry.id', 'awake.entry_id')
      .select(['entry_id', 'memory', 'found_asleep', 'last_asleep_at', 'entry.awake'])
      .where(sql<boolean>`${db.isOneOf('entry_id', ids)}`)
      .execute()
    return new Map(
      rows.map(({ entry_id, awake, memory, found_asleep: count, last_asleep_at: lastAt }) => [
        entry_id,
        {
          awake,
          memory: Memory.parse(JSON.parse(memory)),
          foundAsleep: { count, lastAt },
        },
      ]),
    )
  },

  /** Stores the state after a turn. `foundAt`: when the turn found the app asleep. */
  async save(entryId: string, { awake, memory }: ActState, foundAt?: Instant) {
    const found = foundAt === undefined ? 0 : 1
    const columns = { memory: JSON.stringify(memory) }
    await q
      .insertInto('awake')
      .values({ entry_id: entryId, ...columns, found_asleep: found, last_asleep_at: foundAt ?? null })
      .onConflict((conflict) =>
        conflict.column('entry_id').doUpdateSet((eb) => ({
          ...columns,
          found_asleep: eb('awake.found_asleep', '+', found),
          ...(foundAt !== undefined && { last_asleep_at: foundAt }),
        })),
      )
      .execute()
    await q.updateTable('entry').set({ awake }).where('id', '=', entryId).execute()
  },

  async delete(entryId: string) {
    await q.deleteFrom('awake').where('entry_id', '=', entryId).execute()
    await q.updateTable('entry').set({ awake: null }).where('id', '=', entryId).execute()
  },
})

/** The domains of hosts whose apps requests don't keep awake. */
export const domainsNeedingActs = knownHosts.flatMap(({ keptBy, domains }) => (keptBy ? domains : []))
const batchSize = 500
/** Databases whose owners were all notified. Entries saved now have `keep`, so no new ones need a notice. */
const fullyNotified = new WeakSet<Db>()

const cause = 'ToolBox can keep it awake: press the button on its page'

/** Notifies owners once of entries that are older than acts and whose apps requests don't keep awake. */
export async function offerActs({ db, notify, events }: Pick<Context, 'db' | 'notify' | 'events'>): Promise<void> {
  if (fullyNotified.has(db)) return
  const rows = await db.q
    .selectFrom('entry')
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .leftJoin('awake', 'awake.entry_id', 'entry.id')
    .select(['entry.id', 'entry.name', 'entry.about', 'entry.owner_id as ownerId', 'entry.settings'])
    .where('entry.tool', '=', keepaliveNames.id)
    .where('entry.status', '=', 1)
    .where('users.status', '=', Active)
    .where('entry.settings', 'not like', '%"keep":%')
    .where('awake.entry_id', 'is', null)
    .where(matchesDomains(db, domainsNeedingActs))
    .limit(batchSize)
    .execute()
  if (rows.length < batchSize) fullyNotified.add(db)
  if (rows.length === 0) return
  const noticeEvents = await transact(db, async (tx) => {
    const seen = rows.map(({ id }) => ({ entry_id: id, found_asleep: 0, last_asleep_at: null, memory: '{}' }))
    const added = tx
      .insertInto('awake')
      .values(seen)
      .onConflict((conflict) => conflict.column('entry_id').doNothing())
    // Another instance may be notifying the owners of the other entries.
    const own = new Set((await added.returning('entry_id').execute()).map(({ entry_id: id }) => id))
    return notify(
      tx,
      rows.flatMap(({ id, name, about, ownerId, settings }) => {
        const { url } = JSON.parse(settings)
        const entry = { id, tool: keepaliveNames.id, name, about, url: withoutQuery(url) }
        return own.has(id) && hostOf(url)?.keptBy ? [{ type: 'offer', ownerId, entry, cause } as const] : []
      }),
    )
  })
  events.publish(noticeEvents)
}
