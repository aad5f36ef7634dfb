import { sql } from 'kysely'
import { channelTypeOf } from '../notices/channels/types/index.ts'
import type { Queries } from '../platform/db/open.ts'
import { instantOf } from '../platform/db/timestamp.ts'
import { Active } from '../shared/user.ts'
import { hasApp, hasPasskey, hasPassword } from '../sign-in/second-factor/rule.ts'
import type { Admin } from './checks/admins.ts'
import type { FailingChannel } from './checks/channels.ts'

/** More are trouble of another kind. */
const most = 1_000

/** The active admins of every level. */
export async function readAdmins(q: Queries, config: { baseUrl: string }): Promise<Admin[]> {
  const isWeak = sql<number>`(case when ${hasPassword} and not ${hasApp} and not ${hasPasskey(config)} then 1 else 0 end)`
  const rows = await q
    .selectFrom('users')
    .select(['name', 'admin_level', 'last_usage_timestamp', isWeak.as('is_weak')])
    .where('admin_level', '>=', 1)
    .where('status', '=', Active)
    .orderBy('name')
    .limit(most)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    isFull: row.admin_level === 2,
    lastUsedAt: row.last_usage_timestamp === null ? null : instantOf(row.last_usage_timestamp),
    hasOnlyPassword: row.is_weak === 1,
  }))
}

/** The channels that fail, longest first. */
export async function readFailingChannels(q: Queries): Promise<FailingChannel[]> {
  const rows = await q
    .selectFrom('channel')
    .innerJoin('users', 'users.id', 'channel.user_id')
    .select(['users.name as owner', 'channel.type'])
    .where('channel.failing_since', 'is not', null)
    .orderBy('channel.failing_since')
    .limit(most)
    .execute()
  return rows.map(({ owner, type }) => ({ owner, type: channelTypeOf(type)?.label ?? type }))
}

export const hasEntries = async (q: Queries): Promise<boolean> =>
  (await q.selectFrom('entry').select('id').limit(1).executeTakeFirst()) !== undefined
