import { signInChanged } from '../../notices/account-changes.ts'
import { creation } from '../../people/audit/fields.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { createUser, hasAdmin, userById } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { HttpError, invalid, notFound } from '../../shared/http-error.ts'
import type { SetupBody } from '../contract.ts'
import { changePassword } from '../passwords/change-password.ts'
import { newHash } from '../passwords/password-rules.ts'
import { adminRights, type BootstrapContext } from './bootstrap.ts'
import { findToken, useToken } from './setup-link.ts'

type Found = NonNullable<Awaited<ReturnType<typeof findToken>>>
type SetUpContext = BootstrapContext & Pick<Context, 'events'>
type SetUp = { id: string; email: string; username: string }

const spent = () =>
  new HttpError(403, 'This link has expired or was already used. Restart the server, or ask for a new link.')
const alreadySetUp = () =>
  new HttpError(403, 'This link has expired or was already used. Sign in, or ask an admin for a new one.')

/** Creates the admin or sets the password that a set-up link is for; `origin` is where it was opened. Throws a 403 if the link no longer works; only success uses it up. */
export async function setUp(context: SetUpContext, body: SetupBody, origin: Origin): Promise<SetUp> {
  const { db, now } = context
  const found = await findToken(db.q, body.token, now())
  if (!found) throw (await hasAdmin(db.q)) ? alreadySetUp() : spent()
  if (found.purpose.for === 'password') return choosePassword(context, body, found, found.purpose.userId, origin)
  if (found.purpose.for === 'first' && (await hasAdmin(db.q))) throw alreadySetUp()
  if (found.purpose.for === 'admin') insistOnSame(found.purpose, body)
  const { email, username } = body
  const name = body.name ?? username
  const hash = await newHash(body.password, { name, email, username })
  const id = await db.q.transaction().execute(async (tx) => {
    if (!(await useToken(tx, found))) throw spent()
    if (found.purpose.for === 'first' && (await hasAdmin(tx))) throw alreadySetUp()
    const user = { ...adminRights, name, email, credentials: { username, hash } }
    const id = await createUser(db, tx, user, now())
    await writeAudit(tx, now(), creation({ id, name: email, ...origin }, id, user))
    return id
  })
  return { id, email, username }
}

async function choosePassword(
  { db, now, events, notify }: SetUpContext,
  body: SetupBody,
  found: Found,
  id: string,
  origin: Origin,
): Promise<SetUp> {
  const user = await userById(db.q, id)
  if (!user) throw notFound('User')
  const { name, email, credUsername: username } = user
  insistOnSame({ email, username: username ?? '' }, body)
  const hash = await newHash(body.password, { name, email, username })
  await db.q.transaction().execute(async (tx) => {
    if (!(await useToken(tx, found))) throw spent()
    const target = { id, name: email }
    await changePassword({ db, notify }, tx, { actor: { ...target, ...origin }, target, hash, keep: undefined }, now())
  })
  events.publish(signInChanged(id))
  return { id, email: body.email, username: body.username }
}

/** The link is for one person; anybody else who finds it must not be able to use it. */
function insistOnSame(whose: { email: string; username: string }, body: SetupBody): void {
  if (body.email !== whose.email) throw invalid('email', 'This link was created for a different email.')
  if (body.username !== whose.username) throw invalid('username', 'This link was created for a different username.')
}
