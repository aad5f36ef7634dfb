import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { FailureReason } from './contract.ts'
import { failureLog } from './failures.ts'
import { writeAudit } from './log.ts'

/** Who tries to sign in; undefined for a username that nobody has. */
type Who = { id: string } | undefined

export type SignInTrail = ReturnType<typeof signInTrail>

/** Writes every sign-in, right or wrong, into the audit log. */
export function signInTrail(context: Pick<Context, 'db' | 'now'>) {
  const { db, now } = context
  const failures = failureLog(context)
  const failed = async (user: Who, origin: Origin, why: FailureReason): Promise<void> =>
    failures.add({ user: user && { id: user.id, name: await emailOf(db.q, user.id) }, origin, why })
  return {
    /** `code` is a wrong second factor, `refused` an account that may not sign in. */
    failed,
    /** A session has begun: with a password, a passkey or a provider, or, if there were two steps, the second one, in words. */
    async succeeded(
      { id }: { id: string },
      origin: Origin,
      how: { method: string } | { factor: string },
    ): Promise<void> {
      const changes = Object.entries(how).map(([field, to]) => ({ field, from: null, to }))
      const actor = { id, name: await emailOf(db.q, id), ...origin }
      await writeAudit(db.q, now(), { actor, action: 'session.start', changes })
    },
    /** Does this check of a password or code, and counts it as `why` if it returns false, or as limited if it throws a 429. */
    async checking(user: Who, origin: Origin, why: 'wrong' | 'code', check: () => Promise<boolean>): Promise<boolean> {
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

/** The email of a user, or the id of one who is gone. */
export async function emailOf(q: Queries, id: string): Promise<string> {
  return (await q.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email ?? id
}
