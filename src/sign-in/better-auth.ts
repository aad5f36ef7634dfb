import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type BetterAuthOptions, betterAuth, type Session } from 'better-auth'
import { APIError } from 'better-auth/api'
import { username } from 'better-auth/plugins/username'
import { requireAuditRoom } from '../people/audit/log.ts'
import { signInTrail } from '../people/audit/trail.ts'
import { createBackground } from '../platform/background.ts'
import { signedCookie } from '../platform/crypto/signed-cookie.ts'
import { cookiePrefix } from '../platform/http/access/origin.ts'
import { accessChanged } from '../platform/live/events.ts'
import { HttpError } from '../shared/http-error.ts'
import { type Milliseconds, seconds } from '../shared/time.ts'
import { Active, Inactive } from '../shared/user.ts'
import { type Auth, type AuthContext, addressHeader, sessionLife } from './auth.ts'
import { guessLimit } from './limits/guess-limit.ts'
import { rememberDevice, rememberNetwork } from './limits/known-places.ts'
import { hashPassword, verifyPassword } from './passwords/password.ts'
import { providerTimeout } from './providers/ask.ts'
import { discord } from './providers/discord.ts'
import { externalProviders, type ProviderContext, secondStepNeeded, visits } from './providers/external.ts'
import { github } from './providers/github.ts'
import { openId } from './providers/openid.ts'
import type { Provider } from './providers/provider.ts'
import { isRefusal, refusalMessage } from './providers/refusal.ts'
import { secondStepsOf } from './second-factor/rule.ts'
import { endReplacedSessions, endSessions } from './sessions.ts'

/** Set while opening a session for a user who has passed every step. */
const everyStepPassed = new AsyncLocalStorage<true>()

const configuredProviders = ({ config, ...context }: AuthContext & ProviderContext): readonly Provider[] => [
  ...(config.discord ? [discord(config.discord, config)] : []),
  ...(config.github ? [github(config.github, config)] : []),
  ...(config.oidc ? [openId(config.oidc, context)] : []),
]

/** Sets up Better Auth on our tables, with passwords and providers; `timeout` limits each response of a provider. */
export async function createAuth(
  context: AuthContext & ProviderContext,
  timing: { timeout: Milliseconds } = { timeout: providerTimeout },
): Promise<Auth> {
  const { config, db, log } = context
  const providers = configuredProviders(context)
  for (const { name, unset } of config.halfProviders)
    log.warn(`Sign-in with ${name} is not offered: ${unset.join(' and ')} ${unset.length > 1 ? 'are' : 'is'} not set.`)
  const secretOf = (appSecret: string) => createHmac('sha256', appSecret).update('session cookies').digest('hex')
  const secret = secretOf(config.appSecret)
  const previousSecret = config.previousAppSecret && secretOf(config.previousAppSecret)
  const auth = betterAuth({
    appName: 'ToolBox',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...config.origins],
    database: { ...db.forBetterAuth, transaction: true },
    telemetry: { enabled: false },
    // Its warnings are mostly about wrong passwords, so log them as debug.
    logger: { level: 'warn', log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({ level }, message) },
    // Throw errors other than its own refusals unchanged.
    onAPIError: { throw: true },
    ...tables,
    account: {
      ...tables.account,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: false },
    },
    // We renew sessions ourselves by the clock that all instances share; the library uses the machine's clock.
    session: { ...tables.session, expiresIn: sessionLife / seconds(1), disableSessionRefresh: true },
    // Its limiter restarts the window on each request and also limits signing out, so our routes have their own limits.
    rateLimit: { enabled: false },
    advanced: {
      // `cookiePrefix` adds __Host-; Better Auth would add only __Secure-.
      useSecureCookies: false,
      cookiePrefix: cookiePrefix(config.baseUrl),
      defaultCookieAttributes: { secure: config.baseUrl.startsWith('https:') },
      // Set explicitly, because tests would otherwise skip these checks.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => randomUUID() },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      maxPasswordLength: 1_000,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    plugins: [
      // Look up even impossible usernames: their refusal must look the same and take as long as any other.
      username({
        minUsernameLength: 1,
        maxUsernameLength: 254,
        usernameValidator: () => true,
        displayUsername: false,
        schema: { user: { fields: { username: 'cred_username' } } },
      }),
      externalProviders(context, providers, timing.timeout),
    ],
    databaseHooks: {
      session: { create: sessionHooks(context) },
      // Our own transactions create users and links; Better Auth would omit the audit entry.
      user: { create: { before: async () => false } },
      account: { create: { before: async () => false } },
    },
  })
  const {
    authCookies: { sessionToken },
    internalAdapter,
  } = await auth.$context
  return {
    handle: auth.handler,
    options: auth.options,
    baseUrl: config.baseUrl,
    providers,
    cookie: signedCookie(sessionToken.name, secret, previousSecret),
    async sessionOpened(opened) {
      const userIds = await endReplacedSessions(context, opened)
      context.events.publish(userIds.map(accessChanged))
    },
    cookieAttributes: {
      secure: sessionToken.attributes.secure ?? false,
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge: sessionLife / seconds(1),
    },
    background: createBackground(log),
    openSession: (userId, from) =>
      everyStepPassed.run(true, async () => {
        try {
          return (await internalAdapter.createSession(userId, false, from)).token
        } catch (error) {
          const code = error instanceof APIError ? error.body?.code : undefined
          throw isRefusal(code) ? new HttpError(403, refusalMessage(code)) : error
        }
      }),
    trail: signInTrail(context),
    guesses: { signIn: guessLimit(context), proof: guessLimit(context, 'proof') },
  }
}

/** Lets only active users past every step have sessions. Both hooks run outside Better Auth's own transaction. */
function sessionHooks(context: AuthContext & ProviderContext) {
  const { config, db, now } = context
  return {
    before: async (session: { userId: string }) => {
      const user = await db.q.selectFrom('users').select('status').where('id', '=', session.userId).executeTakeFirst()
      if (user?.status !== Active) {
        const code = user?.status === Inactive ? 'inactive' : 'blocked'
        throw new APIError('FORBIDDEN', { code, message: refusalMessage(code) })
      }
      if (!everyStepPassed.getStore() && (await secondStepsOf(db.q, config, session.userId)).length > 0) {
        const visit = visits.getStore()
        if (visit) visit.secondStepUserId = session.userId
        throw secondStepNeeded()
      }
      const actor = { id: session.userId, name: session.userId, address: null, device: null }
      await requireAuditRoom(db.q, now(), { actor, action: 'session.start' })
      const at = new Date(now())
      const token = randomBytes(32).toString('base64url')
      return { data: { token, createdAt: at, updatedAt: at, expiresAt: new Date(at.getTime() + sessionLife) } }
    },
    after: async (session: Session) => {
      const counted = await db.q
        .updateTable('users')
        .set((eb) => ({ log_in_count: eb('log_in_count', '+', 1), last_sign_in_at: now() }))
        .where('id', '=', session.userId)
        .where('status', '=', Active)
        .returning('id')
        .executeTakeFirst()
      // The user was blocked while the session was created; it must not become valid once they are active again.
      if (!counted) await endSessions(db.q, session.userId, { id: session.id })
      else if (session.ipAddress) {
        const { userId, ipAddress: address, userAgent = null } = session
        await rememberNetwork(db.q, userId, address, now())
        await rememberDevice(context, { userId, address, userAgent })
      }
    },
  }
}

const toSnakeCase = <K extends string>(...names: K[]) =>
  Object.fromEntries(
    names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
  ) as Record<K, string>

/** Maps Better Auth's models to our tables. It doesn't know our other columns, so it can't change them. */
const tables = {
  user: { modelName: 'users', fields: toSnakeCase('emailVerified', 'createdAt', 'updatedAt') },
  session: {
    modelName: 'sessions',
    fields: toSnakeCase('userId', 'expiresAt', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt'),
  },
  account: {
    modelName: 'provider_links',
    fields: toSnakeCase(
      'providerId',
      'accountId',
      'userId',
      'accessToken',
      'refreshToken',
      'idToken',
      'accessTokenExpiresAt',
      'refreshTokenExpiresAt',
      'createdAt',
      'updatedAt',
    ),
    encryptOAuthTokens: true,
  },
  verification: { modelName: 'verifications', fields: toSnakeCase('expiresAt', 'createdAt', 'updatedAt') },
} satisfies BetterAuthOptions
