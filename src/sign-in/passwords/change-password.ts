import type { FastifyRequest } from 'fastify'
import { auditAndNotify } from '../../notices/account-changes.ts'
import { endLinks } from '../../notices/mail.ts'
import { setPassword, storedPasswordOf } from '../../people/sign-in-methods.ts'
import { lockUser, saveUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { type Actor, originOf } from '../../platform/http/access/actor.ts'
import { callerOf } from '../../platform/http/access/guard.ts'
import type { Instant } from '../../shared/time.ts'
import type { Auth } from '../auth.ts'
import { endSessions } from '../sessions.ts'
import { verifyPassword } from './password.ts'

/** A new password for the user `target`; `keep` is the id of the session to keep. */
type PasswordChange = {
  actor: Actor
  target: { id: string; name: string }
  hash: string
  keep: string | undefined
}

/** Also ends links to set a password and other sessions; returns how many sessions. Throws a 404 if the user was deleted. */
export async function changePassword(
  { db, notify }: Pick<Context, 'db' | 'notify'>,
  tx: Queries,
  { actor, target, hash, keep }: PasswordChange,
  at: Instant,
): Promise<number> {
  // A concurrent sign-in with the old password waits for this lock, and is then refused.
  await lockUser(db, tx, { id: target.id })
  // A first password adds a provider, which counts as an edit of the user.
  if (!(await storedPasswordOf(tx, target.id))) await saveUser(db, tx, target.id, {}, { by: actor.id, at })
  const givenAt = actor.id === target.id ? null : at
  await setPassword(db, tx, target.id, { hash, givenAt }, at)
  await endLinks(tx, { kind: 'password', userId: target.id }, at)
  const operatorLinks = tx.deleteFrom('setup_link').where('purpose', '=', 'password')
  await operatorLinks.where('details', 'like', `%"userId":"${target.id}"%`).execute()
  await auditAndNotify({ notify }, tx, at, target.id, { actor, action: 'user.password', target })
  return endSessions(tx, target.id, { keep })
}

/** Whether this is the caller's password. Throws a 429 after too many wrong ones, counted separately from sign-ins. */
export function isOwnPassword(
  { guesses, trail }: Pick<Auth, 'guesses' | 'trail'>,
  request: FastifyRequest,
  { hash }: { hash: string },
  password: string,
): Promise<boolean> {
  const { user } = callerOf(request)
  const guess = { name: user.email, userId: user.id, address: request.ip }
  const check = () => guesses.proof.guess(guess, () => verifyPassword({ hash, password }))
  return trail.checkAndRecord(user, originOf(request), 'wrong', check)
}
