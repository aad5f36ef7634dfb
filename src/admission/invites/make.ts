import { queueInviteMail } from '../../notices/mail.ts'
import { changesFromNull, writeAudit } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { invalid } from '../../shared/http-error.ts'
import { days, type Milliseconds } from '../../shared/time.ts'
import type { SignInConfig } from '../../sign-in/config.ts'
import type { MadeInvite, NewInviteBody } from './contract.ts'
import { insertInvite, requireRoom, revokeInvite } from './store.ts'

export type MakingContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'jobs' | 'now'>

const defaultLife: Milliseconds = days(7)
const longestLife: Milliseconds = days(366)

/** The token is in the fragment, which browsers don't send, so no server or proxy logs it. */
const linkOf = ({ config }: MakingContext, token: string) => `${config.baseUrl}/auth/invite#${token}`

/** Also queues a mail if it is for one email. Throws a 400 for an invalid expiry, a 409 if there are too many. */
export async function makeInvite(context: MakingContext, actor: Actor, body: NewInviteBody): Promise<MadeInvite> {
  const { config, db, jobs, now } = context
  const roles = { Admin: body.roles.Admin ?? 0, Tools: body.roles.Tools ?? 0 }
  const { tags = [], email = null, uses = 1, expiresAt = now() + defaultLife } = body
  if (expiresAt <= now()) throw invalid('expiresAt', 'Choose a time in the future.')
  if (expiresAt > now() + longestLife) throw invalid('expiresAt', 'Choose a time within a year.')
  const mailedTo = config.smtpUrl === undefined ? null : email
  const { id, token } = await transact(db, async (tx) => {
    await requireRoom(tx, now())
    const token = mailedTo === null ? undefined : await queueInviteMail(context, tx, { email: mailedTo, expiresAt })
    const invite = { roles, tags, email, mailed: false, uses, expiresAt, createdBy: actor.id, token }
    const newInvite = await insertInvite(tx, invite, now())
    await writeAudit(tx, now(), {
      actor,
      action: 'invite.create',
      target: { id: newInvite.id, name: email ?? 'Anyone with the link' },
      changes: changesFromNull({
        'roles.Admin': roles.Admin,
        'roles.Tools': roles.Tools,
        ...(tags.length > 0 && { tags: [...tags] }),
        uses,
        expiresAt,
      }),
    })
    return newInvite
  })
  jobs.wake()
  return { id, url: linkOf(context, token), mailed: mailedTo !== null }
}

/** Revokes an invitation and logs it. Throws a 404 if there is none. */
export async function endInvite({ db, now }: Pick<Context, 'db' | 'now'>, actor: Actor, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const { email, used, uses } = await revokeInvite(tx, id, now())
    await writeAudit(tx, now(), {
      actor,
      action: 'invite.revoke',
      target: { id, name: email ?? 'Anyone with the link' },
      changes: [{ field: 'used', from: null, to: `${used} of ${uses}` }],
    })
  })
}
