import { type NotNull, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { addressOf } from '../../../entries/address.ts'
import type { Context } from '../../../platform/context.ts'
import { lookUp } from '../../../platform/db/look-up.ts'
import { notFound } from '../../../shared/http-error.ts'
import { Active } from '../../../shared/user.ts'
import { herokudiscordwebhook } from '../contract.ts'
import { type Opened, openForArrivals } from '../secrets.ts'

/**
 * What a delivery needs to know of its entry. `pausedBecause` says why the entry forwards nothing; it is `isConnected` once a
 * delivery was accepted and none was rejected since, and `isNamed` once its app is known.
 */
export type Endpoint = Opened & {
  id: string
  ownerId: string
  pausedBecause: string | null
  isConnected: boolean
  isNamed: boolean
}

const manyEntries = 1_000

/** Finds entries by the tokens of their endpoints. Throws a 404 for an unknown token. */
export function endpoints(context: Pick<Context, 'db' | 'secrets'>): (token: string) => Promise<Endpoint> {
  const ask = lookUp(context.db, (isAsked) =>
    context.db.q
      .selectFrom('entry')
      .innerJoin('users', 'users.id', 'entry.owner_id')
      .innerJoin('relay', 'relay.entry_id', 'entry.id')
      .select([
        'entry.id',
        'entry.owner_id',
        'entry.settings',
        'entry.status',
        'entry.about',
        'relay.connected_at',
        'relay.refused',
      ])
      .select(['users.status as owner_status', 'entry.address as asked'])
      .where(isAsked('entry.address'))
      .where('entry.tool', '=', sql.lit(herokudiscordwebhook.id))
      .$narrowType<{ asked: NotNull }>(),
  )
  const open = cachedOpen(context)
  return async (token) => {
    const row = await ask(addressOf(token))
    if (!row) throw notFound('Hook')
    return {
      ...open(row.id, row.settings),
      id: row.id,
      ownerId: row.owner_id,
      pausedBecause: pauseReason(row.status === 1, row.owner_status === Active),
      isNamed: row.about !== '',
      isConnected: row.connected_at !== null && row.refused === 0,
    }
  }
}

function pauseReason(active: boolean, ownerActive: boolean): string | null {
  if (!active) return 'the entry is inactive'
  return ownerActive ? null : "the owner's account is not active"
}

/** Opening sealed settings takes longer than the rest of a look-up, so they stay open until they change. */
function cachedOpen(context: Pick<Context, 'secrets'>): (id: string, settings: string) => Opened {
  const known = new LRUCache<string, { settings: string; opened: Opened }>({ max: manyEntries })
  return (id, settings) => {
    const before = known.get(id)
    if (before?.settings === settings) return before.opened
    const opened = openForArrivals(JSON.parse(settings), context)
    known.set(id, { settings, opened })
    return opened
  }
}
