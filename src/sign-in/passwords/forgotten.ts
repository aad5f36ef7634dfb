import { signInChanged } from '../../notices/account-changes.ts'
import { forgottenJob } from '../../notices/jobs.ts'
import { validLink } from '../../notices/mail.ts'
import { storedPasswordOf } from '../../people/sign-in-methods.ts'
import { lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { exists } from '../../platform/db/rows/read.ts'
import { transact } from '../../platform/db/transact.ts'
import { type Origin, originOf } from '../../platform/http/access/actor.ts'
import { open } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { HttpError } from '../../shared/http-error.ts'
import { Active } from '../../shared/user.ts'
import type { Auth, AuthContext } from '../auth.ts'
import { signInCalls } from '../contract.ts'
import type { GuessLimit } from '../limits/guess-limit.ts'
import { acquireAll, hashedKey, networkCounts, storedRateLimiter } from '../limits/stored-rate-limit.ts'
import { changePassword } from './change-password.ts'
import { hashNewPassword } from './password-rules.ts'

const noMailMessage = "This server doesn't send email. Ask an admin to set a new password for you."

export function forgottenRoutes(app: App, context: AuthContext & Pick<Context, 'jobs'>, { guesses }: Auth): void {
  const { config, jobs, now } = context
  const takeRequest = forgottenLimit(context)

  const route = routesOf(app, signInCalls, 'Sign-in')
  route(
    'POST /api/v1/auth/forgotten',
    {
      ...open('never'),
      summary: 'Mail a link to reset a forgotten password',
      description: [
        'The response, and the time it takes, are the same for every email. A link is mailed if the email is the',
        'confirmed email of an active user with a password: at most one per hour. It works once, for 30 minutes.',
      ].join(' '),
      failures: [409, 429],
    },
    async (request) => {
      if (config.smtpUrl === undefined) throw new HttpError(409, noMailMessage)
      await takeRequest(request.ip)
      // A job looks the user up, so that response times don't reveal whether there is one.
      const { email } = request.body
      await jobs.add(forgottenJob(email, now()))
      jobs.wake()
      return { email }
    },
  )

  route(
    'POST /api/v1/auth/reset',
    {
      ...open('never'),
      summary: 'Choose a new password with a mailed link',
      description: 'Ends all sessions of the user. A second factor stays unchanged.',
      failures: [403],
    },
    async (request) => ({ username: await resetByLink(context, guesses.signIn, request.body, originOf(request)) }),
  )
}

/** Maximum requests in 15 minutes from an address, and from each of the wider networks around it. */
const mostOfNetworks = [5, 15, 30]
/** Maximum requests in 15 minutes from all networks combined that have no earlier sign-in. */
const mostOfStrangers = 100

/** Limits requests for reset links. No limit depends on the email, which would reveal whether it has an account. */
function forgottenLimit(context: Pick<Context, 'db' | 'now'>) {
  const ofNetworks = networkCounts(context, {
    most: mostOfNetworks,
    refusal: 'Too many password resets from your network.',
    keyOf: (network) => hashedKey('forgotten', 'network', network),
  })
  const limiter = storedRateLimiter(context, { most: mostOfStrangers, refusal: 'Too many password resets.' })
  const strangers = { limiter, key: hashedKey('forgotten', 'strangers') }
  /** Counts a request from this address. Throws a 429 if a limit is reached. */
  return async (address: string): Promise<void> => {
    const isKnown = await hasSignedIn(context.db.q, networksOf(address)[0])
    await acquireAll([...(isKnown ? [] : [strangers]), ...ofNetworks(address)])
  }
}

const hasSignedIn = (q: Queries, network: string): Promise<boolean> =>
  exists(q.selectFrom('known_network').where('network', '=', network))

type ResetContext = Pick<Context, 'db' | 'now' | 'events' | 'notify'>

/** Ends all sessions; keeps a second factor. Throws a 403 if the link no longer works; only success uses it up. */
async function resetByLink(
  { db, now, events, notify }: ResetContext,
  guesses: GuessLimit,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<string> {
  const find = async (q: Context['db']['q']) => {
    const found = await validLink(q, { kind: 'password', token }, now())
    if (found?.status !== Active || found.username === null || !(await storedPasswordOf(q, found.id)))
      throw linkExpired()
    return { ...found, username: found.username }
  }
  const { id, ...person } = await find(db.q)
  const hash = await hashNewPassword(password, person)
  await transact(db, async (tx) => {
    await lockUser(db, tx, { id }, linkExpired)
    // Check again: during hashing, the link may have been used or another password set.
    const { email } = await find(tx)
    const target = { id, name: email }
    await changePassword({ db, notify }, tx, { actor: { ...target, ...origin }, target, hash, keep: undefined }, now())
  })
  events.publish(signInChanged(id))
  if (origin.address !== null) await guesses.forget({ userId: id, address: origin.address })
  return person.username
}

const linkExpired = () => new HttpError(403, 'This link has expired or was already used. Request a new one.')
