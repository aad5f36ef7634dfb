import { signInChanged } from '../../../notices/account-changes.ts'
import { workingLink } from '../../../notices/mail/store.ts'
import { keptPassword } from '../../../people/sign-in-methods.ts'
import type { Context } from '../../../platform/context.ts'
import { lockRows } from '../../../platform/db/locks.ts'
import type { Origin } from '../../../platform/http/access/actor.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { Active } from '../../../shared/user.ts'
import type { GuessLimit } from '../../limits/guess-limit.ts'
import { changePassword } from '../change-password.ts'
import { newHash } from '../password-rules.ts'

/** What somebody hears whose link no longer works. */
export const linkIsOver = 'This link has expired or was already used. Request a new one.'

type ResetContext = Pick<Context, 'db' | 'now' | 'events' | 'notify'>

/**
 * Sets the password of the user whom a link was mailed to, ends all of their sessions, and answers the username. A second
 * factor stays. Throws a 403 if the link no longer works; only success uses it up.
 */
export async function resetByLink(
  { db, now, events, notify }: ResetContext,
  guesses: GuessLimit,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<string> {
  const find = async (q: Context['db']['q']) => {
    const found = await workingLink(q, { kind: 'password', token }, now())
    if (found?.status !== Active || found.username === null || !(await keptPassword(q, found.id))) throw spent()
    return { ...found, username: found.username }
  }
  const { id, ...person } = await find(db.q)
  const hash = await newHash(password, person)
  await db.q.transaction().execute(async (tx) => {
    await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', id)).execute()
    // Hashing takes time, in which the link may have been used, or another password set.
    const { email } = await find(tx)
    const target = { id, name: email }
    await changePassword({ db, notify }, tx, { actor: { ...target, ...origin }, target, hash, keep: undefined }, now())
  })
  events.publish(signInChanged(id))
  if (origin.address !== null) await guesses.forget({ userId: id, address: origin.address })
  return person.username
}

const spent = () => new HttpError(403, linkIsOver)
