import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { FailureReason } from './contract.ts'
import { failureLog } from './failures.ts'
import { writeAudit } from './log.ts'

/** Who tries to sign in; undefined for a username that nobody has. */
type Who = { id: string } | undefined

/** Writes every sign-in, right or wrong, into the audit log. */
export type SignInTrail = {
  /** A session has begun: with a password, a passkey or a provider, or, if there were two steps, the second one, in words. */
  succeeded(user: { id: string }, origin: Origin, how: { method: string } | { factor: string }): Promise<void>
  /** `code` is a wrong second factor, `refused` an account that may not sign in. */
  failed(user: Who, origin: Origin, why: FailureReason): Promise<void>
  /** Does this check of a password or code, and counts it as `why` if it returns false, or as limited if it throws a 429. */
  checking(user: Who, origin: Origin, why: 'wrong' | 'code', check: () => Promise<boolean>): Promise<boolean>
  drained(): Promise<void>
}

export function signInTrail(context: Pick<Context, 'db' | 'now'>): SignInTrail {
  const { db, now } = context
  const failures = failureLog(context)
  const failed: SignInTrail['failed'] = async (user, origin, why) =>
    failures.add({ user: user && { id: user.id, name: await emailOf(db.q, user.id) }, origin, why })
  return {
    failed,
    async succeeded({ id }, origin, how) {
      const changes = Object.entries(how).map(([field, to]) => ({ field, from: null, to }))
      const actor = { id, name: await emailOf(db.q, id), ...origin }
      await writeAudit(db.q, now(), { actor, action: 'session.start', changes })
    },
    async checking(user, origin, why, check) {
      const right = await check().catch(async (error: unknown) => {
        if (error instanceof HttpError && error.status === 429) await failed(user, origin, 'limited')
        throw error
      })
      if (!right) await failed(user, origin, why)
      return right
    },
    drained: async () => void (await failures.drained()),
  }
}

async function emailOf(q: Queries, id: string): Promise<string> {
  return (await q.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email ?? id
}
