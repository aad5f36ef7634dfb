import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { signInChanged } from '../notices/account-changes.ts'
import { commandLine, configuration, creation, writeAudit } from '../people/audit/log.ts'
import { isPlaceholderEmail, NewEmail, reservedEmail, Username } from '../people/contract.ts'
import { userByUsername } from '../people/sign-in-methods.ts'
import { createUser, hasAdmin, lockUser, requireNotTaken, userById } from '../people/store.ts'
import { ConfigError } from '../platform/config/env.ts'
import type { Context } from '../platform/context.ts'
import { hashOf } from '../platform/crypto/secrets.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import type { Origin } from '../platform/http/access/actor.ts'
import { HttpError, invalid, notFound } from '../shared/http-error.ts'
import { hours, type Instant, type Milliseconds } from '../shared/time.ts'
import type { SignInConfig } from './config.ts'
import type { SetupBody } from './contract.ts'
import { changePassword } from './passwords/change-password.ts'
import { hashNewPassword } from './passwords/password-rules.ts'
import { resetSecondFactor } from './second-factor/passkeys.ts'

type BootstrapContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'notify'>
type NewAdmin = { email: string; username: string; name?: string | undefined; password: string }

/** The rights of every admin created by set-up, configuration or command line. */
const adminRights = { roles: { Admin: 2, Tools: 2 }, emailVerified: true } as const

/** The link to create the first admin; undefined if there is one now. Throws a `ConfigError` if ADMIN_* is invalid. */
export async function setupLink(context: BootstrapContext): Promise<string | undefined> {
  const { config, db, now } = context
  await dropOldTokens(db, now())
  if (await hasAdmin(db.q)) return undefined
  if (config.admin) {
    await createConfiguredAdmin(context, config.admin)
    return undefined
  }
  return createLink(context, { for: 'first', at: now() })
}

async function createConfiguredAdmin(context: BootstrapContext, admin: NewAdmin): Promise<void> {
  try {
    await createAdmin(context, admin, configuration)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // Another instance that started at the same time may have created the admin first.
    if (error.status === 409 && (await hasAdmin(context.db.q))) return
    const [field] = Object.keys(error.fields ?? {})
    throw new ConfigError([`ADMIN_${(field ?? 'EMAIL').toUpperCase()}: ${error.message}`])
  }
}

/** Returns the new admin's id. Throws a 400 that names an invalid field, a 409 if the email or username is taken. */
export async function createAdmin(
  context: BootstrapContext,
  admin: NewAdmin,
  actor = commandLine,
): Promise<{ id: string }> {
  const { db, now } = context
  const person = parsePerson(admin)
  const credentials = {
    username: person.username,
    hash: await hashNewPassword(admin.password, { ...person, name: admin.name }),
  }
  const user = { ...adminRights, name: admin.name ?? person.username, email: person.email, credentials }
  return transact(db, async (tx) => {
    const id = await createUser(db, tx, user, now())
    await writeAudit(tx, now(), creation(actor, id, user))
    return { id }
  })
}

/** Returns a one-time link, valid for a day, to create an admin with this email and username and a chosen password. */
export async function inviteAdmin(
  context: BootstrapContext,
  person: { email: string; username: string },
): Promise<string> {
  const { email, username } = parsePerson(person)
  await requireNotTaken(context.db.q, { email, username })
  return createLink(context, { for: 'admin', at: context.now(), email, username })
}

/** Sets a user's password and ends all sessions. Throws a 404 for an unknown username, a 400 for a weak password. */
export async function resetPassword(
  { db, now, notify }: BootstrapContext,
  username: string,
  password: string,
): Promise<void> {
  const user = await requireUserByUsername(db.q, username)
  const hash = await hashNewPassword(password, { ...user, username })
  await transact(db, async (tx) => {
    const target = { id: user.id, name: user.email }
    await changePassword({ db, notify }, tx, { actor: commandLine, target, hash, keep: undefined }, now())
  })
}

/** Ends all sessions too, and keeps passkeys if there is no password. Throws a 404 for an unknown username. */
export async function resetFactor(context: BootstrapContext, username: string): Promise<void> {
  const { id } = await requireUserByUsername(context.db.q, username)
  await resetSecondFactor(context, [], commandLine, id)
}

/** Returns a one-time link, valid for a day, for this user to choose a new password. */
export async function passwordLink(context: BootstrapContext, username: string): Promise<string> {
  const { id } = await requireUserByUsername(context.db.q, username)
  return createLink(context, { for: 'password', at: context.now(), userId: id })
}

async function requireUserByUsername(q: Queries, username: string) {
  const user = await userByUsername(q, username.trim().toLowerCase())
  if (!user) throw notFound('User')
  return user
}

function parsePerson(input: { email: string; username: string }): { email: string; username: string } {
  const email = NewEmail.safeParse(input.email)
  if (!email.success) throw invalid('email', email.error.issues[0]!.message)
  const username = Username.safeParse(input.username)
  if (!username.success) throw invalid('username', username.error.issues[0]!.message)
  return { email: email.data, username: username.data }
}

/** The purpose of a link: the first admin, another admin with this email and username, or a user's new password. */
const Purpose = z.discriminatedUnion('for', [
  z.object({ for: z.literal('first'), at: z.int() }),
  z.object({ for: z.literal('admin'), at: z.int(), email: z.string(), username: z.string() }),
  z.object({ for: z.literal('password'), at: z.int(), userId: z.string() }),
])
type Purpose = z.infer<typeof Purpose>
/** A link by the hash of its token. */
type Found = { hash: string; purpose: Purpose }

const life: Milliseconds = hours(24)

/** Returns a new link, of whose token only the hash is stored. `for` only selects the texts of the page. */
async function createLink({ config, db }: BootstrapContext, purpose: Purpose): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const row = { hash: hashOf(token), purpose: purpose.for, details: JSON.stringify(purpose) }
  await db.q.insertInto('setup_link').values(row).execute()
  // The token is in the fragment, which no server or log on the way receives.
  return `${config.baseUrl}/auth/setup#token=${token}${purpose.for === 'first' ? '' : `&for=${purpose.for}`}`
}

/** The hash and purpose of a token; undefined if it is unknown or has expired. */
export async function findToken(q: Queries, token: string, now: Instant): Promise<Found | undefined> {
  const hash = hashOf(token)
  const row = await q.selectFrom('setup_link').select('details').where('hash', '=', hash).executeTakeFirst()
  if (!row) return undefined
  const purpose = Purpose.parse(JSON.parse(row.details))
  return now - purpose.at < life ? { hash, purpose } : undefined
}

/** Deletes a used token, and all others for the first admin if it was one; returns false if it was used already. */
async function consumeToken(tx: Queries, { hash, purpose }: Found): Promise<boolean> {
  const links = tx.deleteFrom('setup_link').returning('hash')
  const own = purpose.for === 'first' ? links.where('purpose', '=', 'first') : links.where('hash', '=', hash)
  return (await own.execute()).some((row) => row.hash === hash)
}

/** Deletes expired links, and all for the first admin: where instances share a database, all that are an hour old. */
async function dropOldTokens({ isShared, q }: Db, now: Instant): Promise<void> {
  const rows = await q.selectFrom('setup_link').select(['hash', 'details']).execute()
  for (const { hash, details } of rows) {
    const purpose = Purpose.parse(JSON.parse(details))
    const age = now - purpose.at
    const isOld = purpose.for === 'first' ? !isShared || age >= hours(1) : age >= life
    if (isOld) await q.deleteFrom('setup_link').where('hash', '=', hash).execute()
  }
}

type SetUpContext = BootstrapContext & Pick<Context, 'events'>
type SetUp = { id: string; email: string; username: string }

const linkExpired = () =>
  new HttpError(403, 'This link has expired or was already used. Restart the server, or ask for a new link.')
const alreadySetUp = () =>
  new HttpError(403, 'This link has expired or was already used. Sign in, or ask an admin for a new one.')

/** Does what a set-up link is for. Only success uses it up. Throws a 403 if the link no longer works. */
export async function setUp(context: SetUpContext, body: SetupBody, origin: Origin): Promise<SetUp> {
  const { db, now } = context
  const found = await findToken(db.q, body.token, now())
  if (!found) throw (await hasAdmin(db.q)) ? alreadySetUp() : linkExpired()
  if (found.purpose.for === 'password') return choosePassword(context, body, found, found.purpose.userId, origin)
  const { email, username } = body
  if (isPlaceholderEmail(email)) throw invalid('email', reservedEmail)
  if (found.purpose.for === 'first' && (await hasAdmin(db.q))) throw alreadySetUp()
  if (found.purpose.for === 'admin') requireSamePerson(found.purpose, body)
  const name = body.name ?? username
  const hash = await hashNewPassword(body.password, { name, email, username })
  const id = await transact(db, async (tx) => {
    if (!(await consumeToken(tx, found))) throw linkExpired()
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
  // A user whose email was lost can't know the placeholder.
  requireSamePerson({ email: isPlaceholderEmail(email) ? body.email : email, username: username ?? '' }, body)
  const hash = await hashNewPassword(body.password, { name, email, username })
  await transact(db, async (tx) => {
    await lockUser(db, tx, { id })
    if (!(await consumeToken(tx, found))) throw linkExpired()
    const target = { id, name: email }
    await changePassword({ db, notify }, tx, { actor: { ...target, ...origin }, target, hash, keep: undefined }, now())
  })
  events.publish(signInChanged(id))
  return { id, email, username: body.username }
}

/** Rejects anyone other than the person a link is for, in case another person finds it. */
function requireSamePerson(owner: { email: string; username: string }, body: SetupBody): void {
  if (body.email !== owner.email) throw invalid('email', 'This link was created for a different email.')
  if (body.username !== owner.username) throw invalid('username', 'This link was created for a different username.')
}
