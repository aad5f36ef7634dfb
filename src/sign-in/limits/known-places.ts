import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { exists } from '../../platform/db/rows/read.ts'
import { transact } from '../../platform/db/transact.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { quote } from '../../platform/notice.ts'
import { deviceOf } from '../../shared/device.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'

/** How long a network stays known without another sign-in from it. */
export const knownNetworkLife: Milliseconds = days(180)
const mostNetworks = 20

export const isKnownNetwork = (q: Queries, userId: string, address: string): Promise<boolean> =>
  exists(q.selectFrom('known_network').where('user_id', '=', userId).where('network', '=', networksOf(address)[0]))

/** Remembers the network of a sign-in, and forgets the user's least recently used networks beyond the limit. */
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

/** How long a device stays known without another sign-in from it. */
export const knownDeviceLife: Milliseconds = days(180)
const mostDevices = 50

type SignIn = { userId: string; address: string; userAgent: string | null }

/** Remembers the device and network of a sign-in; notifies the user if they are new, except on the first sign-in. */
export async function rememberDevice(
  { db, now, notify, events }: Pick<Context, 'db' | 'now' | 'notify' | 'events'>,
  { userId, address, userAgent }: SignIn,
): Promise<void> {
  const [narrow, wide = narrow] = networksOf(address)
  const device = deviceOf(userAgent).name
  const at = now()
  const row = { user_id: userId, device, network: wide, last_at: at }
  const liveEvents = await transact(db, async (tx) => {
    const devices = await tx
      .selectFrom('known_device')
      .select(['device', 'network'])
      .where('user_id', '=', userId)
      .execute()
    await tx
      .insertInto('known_device')
      .values(row)
      .onConflict((on) => on.columns(['user_id', 'device', 'network']).doUpdateSet({ last_at: at }))
      .execute()
    if (devices.length >= mostDevices)
      await sql`delete from known_device where user_id = ${userId} and last_at < (
        select last_at from known_device where user_id = ${userId} order by last_at desc limit 1 offset ${sql.lit(mostDevices - 1)})`.execute(
        tx,
      )
    const isNew = devices.length > 0 && !devices.some((one) => one.device === device && one.network === wide)
    return isNew ? notify(tx, [{ type: 'account', userId, message: `New sign-in: ${quote(device)}, ${wide}.` }]) : []
  })
  events.publish(liveEvents)
}
