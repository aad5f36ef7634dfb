import { sql } from 'kysely'
import type { Queries } from '../../platform/db/open.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'

/** How long a network stays known without another sign-in from it. */
export const knownNetworkLife: Milliseconds = days(180)
/** How many networks of a user are remembered. */
const mostNetworks = 20

/** Whether the user has signed in from the network of this address. */
export async function isKnownAt(q: Queries, userId: string, address: string): Promise<boolean> {
  const row = await q
    .selectFrom('known_network')
    .select('last_at')
    .where('user_id', '=', userId)
    .where('network', '=', networksOf(address)[0])
    .executeTakeFirst()
  return row !== undefined
}

/** Remembers that the user has signed in from this address, and forgets the networks used longest ago. */
export async function rememberNetwork(q: Queries, userId: string, address: string, at: Instant): Promise<void> {
  await q
    .insertInto('known_network')
    .values({ user_id: userId, network: networksOf(address)[0], last_at: at })
    .onConflict((on) => on.columns(['user_id', 'network']).doUpdateSet({ last_at: at }))
    .execute()
  const newest = sql`select network from known_network where user_id = ${userId}
    order by last_at desc, network limit ${sql.lit(mostNetworks)}`
  await sql`delete from known_network where user_id = ${userId} and network not in (${newest})`.execute(q)
}
