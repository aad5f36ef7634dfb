import { creation } from '../../people/audit/fields.ts'
import { commandLine, configuration, writeAudit } from '../../people/audit/log.ts'
import { NewEmail, Username } from '../../people/contract.ts'
import { userByUsername } from '../../people/sign-in-methods.ts'
import { createUser, hasAdmin, insistOnFree } from '../../people/store.ts'
import { ConfigError } from '../../platform/config/env.ts'
import type { Context } from '../../platform/context.ts'
import { HttpError, invalid, notFound } from '../../shared/http-error.ts'
import type { SignInConfig } from '../config.ts'
import { changePassword } from '../passwords/change-password.ts'
import { newHash } from '../passwords/password-rules.ts'
import { resetSecondFactor } from '../second-factor/reset.ts'
import { createSetupToken, dropFirstTokens } from './setup-link.ts'

export type BootstrapContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'notify'>
type NewAdmin = { email: string; username: string; name?: string | undefined; password: string }

/** The rights of every admin created by set-up, configuration or command line. */
export const adminRights = { roles: { Admin: 2, Tools: 2 }, emailVerified: true } as const

/** The token is in the fragment, which no server and no log along the way sees. `for` only selects the texts of the page: what a link may do is stored with its token. */
const linkOf = ({ config }: BootstrapContext, token: string, page?: 'admin' | 'password') =>
  `${config.baseUrl}/auth/setup#token=${token}${page ? `&for=${page}` : ''}`

/** Returns the link that creates the first admin; undefined if there is an admin, or if the configured one was just created. Throws what is wrong with ADMIN_*. */
export async function setupLink(context: BootstrapContext): Promise<string | undefined> {
  const { config, db, now } = context
  if (await hasAdmin(db.q)) return undefined
  if (config.admin) {
    await createConfiguredAdmin(context, config.admin)
    return undefined
  }
  await dropFirstTokens(db, now())
  return linkOf(context, await createSetupToken(db.q, { for: 'first', at: now() }))
}

async function createConfiguredAdmin(context: BootstrapContext, admin: NewAdmin): Promise<void> {
  try {
    await createAdmin(context, admin, configuration)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // Another instance that started at the same time may have been faster.
    if (error.status === 409 && (await hasAdmin(context.db.q))) return
    const [field] = Object.keys(error.fields ?? {})
    throw new ConfigError([`ADMIN_${(field ?? 'EMAIL').toUpperCase()}: ${error.message}`])
  }
}

/** Creates an admin with this password and returns the id. Throws an HttpError that names the wrong field, a 409 if the email or username is taken. */
export async function createAdmin(
  context: BootstrapContext,
  admin: NewAdmin,
  actor = commandLine,
): Promise<{ id: string }> {
  const { db, now } = context
  const person = parsePerson(admin)
  const credentials = {
    username: person.username,
    hash: await newHash(admin.password, { ...person, name: admin.name }),
  }
  const user = { ...adminRights, name: admin.name ?? person.username, email: person.email, credentials }
  return db.q.transaction().execute(async (tx) => {
    const id = await createUser(db, tx, user, now())
    await writeAudit(tx, now(), creation(actor, id, user))
    return { id }
  })
}

/** Returns a one-time link that makes the person with this email and username an admin with a password of their own; it works for a day. */
export async function inviteAdmin(
  context: BootstrapContext,
  person: { email: string; username: string },
): Promise<string> {
  const { email, username } = parsePerson(person)
  await insistOnFree(context.db.q, { email, username })
  const purpose = { for: 'admin', at: context.now(), email, username } as const
  return linkOf(context, await createSetupToken(context.db.q, purpose), purpose.for)
}

/** Sets a user's password and ends all their sessions. Throws a 404 for an unknown username, a 400 for a weak password. */
export async function resetPassword(
  { db, now, notify }: BootstrapContext,
  username: string,
  password: string,
): Promise<void> {
  const user = await namedUser(db.q, username)
  const hash = await newHash(password, { ...user, username })
  await db.q.transaction().execute(async (tx) => {
    const target = { id: user.id, name: user.email }
    await changePassword({ db, notify }, tx, { actor: commandLine, target, hash, keep: undefined }, now())
  })
}

/** Removes a user's second factor, and passkeys if they have a password, and ends their sessions. Throws a 404 for an unknown username. */
export async function resetFactor(context: BootstrapContext, username: string): Promise<void> {
  const { id } = await namedUser(context.db.q, username)
  await resetSecondFactor(context, [], commandLine, id)
}

/** Returns a one-time link by which this user chooses a new password; it works for a day. */
export async function passwordLink(context: BootstrapContext, username: string): Promise<string> {
  const { id } = await namedUser(context.db.q, username)
  return linkOf(
    context,
    await createSetupToken(context.db.q, { for: 'password', at: context.now(), userId: id }),
    'password',
  )
}

async function namedUser(q: BootstrapContext['db']['q'], username: string) {
  const user = await userByUsername(q, username.trim().toLowerCase())
  if (!user) throw notFound('User')
  return user
}

function parsePerson(given: { email: string; username: string }): { email: string; username: string } {
  const email = NewEmail.safeParse(given.email)
  if (!email.success) throw invalid('email', email.error.issues[0]!.message)
  const username = Username.safeParse(given.username)
  if (!username.success) throw invalid('username', username.error.issues[0]!.message)
  return { email: email.data, username: username.data }
}
