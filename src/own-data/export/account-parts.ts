import * as z from 'zod/mini'
import { User } from '../../admin/contract.ts'
import { userInFull } from '../../admin/store.ts'
import { decisions } from '../../admission/access/contract.ts'
import { requestOf } from '../../admission/access/store.ts'
import { Channel } from '../../notices/channels/contract.ts'
import { channelRowsOf, readChannel, shown } from '../../notices/channels/store.ts'
import { InboxItem, inboxPage } from '../../notices/contract.ts'
import { readInbox } from '../../notices/inbox.ts'
import { Activity, activityPage } from '../../people/audit/contract.ts'
import { readActivity } from '../../people/audit/store.ts'
import { ApiKey } from '../../people/contract.ts'
import type { Context } from '../../platform/context.ts'
import type { Instant } from '../../shared/time.ts'
import { apiKeysOf } from '../../sign-in/api-keys/api-keys.ts'
import { OwnSession } from '../../sign-in/contract.ts'
import { OwnFactor } from '../../sign-in/second-factor/contract.ts'
import { factorOf } from '../../sign-in/second-factor/factor.ts'
import { passkeysOf } from '../../sign-in/second-factor/passkeys/store.ts'
import { sessionsOf } from '../../sign-in/sessions/store.ts'
import type { Part, Reader } from './file.ts'

const elsewhere = { apiKeys: true, entries: true, passkeys: true, sessions: true } as const
const Profile = z.omit(User, { ...elsewhere, changedBy: true, changedById: true })
const TwoStep = z.omit(OwnFactor, { required: true })
const Request = z.object({
  kind: z.enum(['request', 'sign-up']),
  message: z.nullable(z.string()),
  at: z.int(),
  decidedAt: z.nullable(z.int()),
  decision: z.nullable(z.enum(decisions)),
})
const KnownDevice = z.object({ device: z.string(), network: z.string(), lastAt: z.int() })

/** What is stored about somebody's account: never a password, the seed of a code, or a key. */
export function accountParts(context: Context): Part[] {
  const { db, now } = context
  return [
    {
      name: 'profile',
      Shape: Profile,
      value: async ({ caller }) => Profile.parse(await userInFull(db.q, { id: caller.user.id })),
    },
    {
      name: 'twoStep',
      Shape: TwoStep,
      forSessions: true,
      value: async ({ caller: { user } }) => ({
        app: (await factorOf(context, user.id)) ?? null,
        passkeys: await passkeysOf(context, user.id),
      }),
    },
    {
      name: 'sessions',
      Shape: z.array(OwnSession),
      forSessions: true,
      value: ({ caller: { user, via } }) =>
        sessionsOf(db, user.id, via.kind === 'session' ? via.sessionId : undefined, now()),
    },
    {
      name: 'knownDevices',
      Shape: z.array(KnownDevice),
      forSessions: true,
      value: ({ caller }) =>
        db.q
          .selectFrom('known_device')
          .select(['device', 'network', 'last_at as lastAt'])
          .where('user_id', '=', caller.user.id)
          .orderBy('last_at', 'desc')
          .execute(),
    },
    {
      name: 'accessRequest',
      Shape: z.nullable(Request),
      value: async ({ caller }) => {
        const row = await requestOf(db.q, caller.user.id)
        return row ? Request.parse({ ...row, decidedAt: row.decided_at }) : null
      },
    },
    {
      name: 'apiKeys',
      Shape: z.array(ApiKey),
      forSessions: true,
      value: ({ caller }) => apiKeysOf(db.q, caller.user.id),
    },
    { name: 'channels', Shape: z.array(Channel), forSessions: true, value: (reader) => channelsOf(context, reader) },
    {
      name: 'inbox',
      Shape: z.array(InboxItem),
      pages: ({ caller }) =>
        olderAndOlder(inboxPage, async (before) => (await readInbox(db.q, caller.user, now(), before)).items),
    },
    {
      name: 'activity',
      Shape: z.array(Activity),
      forSessions: true,
      pages: ({ caller }) => olderAndOlder(activityPage, (before) => readActivity(db.q, caller.user.id, before)),
    },
  ]
}

/** Page after page of a list that is read from its newest item on; a page that isn't full is the last one. */
async function* olderAndOlder<Item extends { at: Instant }>(
  size: number,
  read: (before: Instant | undefined) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> {
  let before: Instant | undefined
  for (;;) {
    const page = await read(before)
    yield page
    before = page.at(-1)?.at
    if (before === undefined || page.length < size) return
  }
}

async function channelsOf(context: Context, { caller, withSecrets }: Reader): Promise<Channel[]> {
  const rows = await channelRowsOf(context.db.q, caller.user.id)
  return rows.flatMap((row) => {
    try {
      const channel = readChannel(row, context)
      return [withSecrets ? { ...shown(channel), settings: channel.settings } : shown(channel)]
    } catch (error) {
      context.log.error({ err: error, channel: row.id }, 'A channel cannot be read and is left out of an export.')
      return []
    }
  })
}
