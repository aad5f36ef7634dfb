import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { username } from 'better-auth/plugins/username'
import { type Background, createBackground } from '../platform/background.ts'
import type { Context } from '../platform/context.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import { Active, Inactive } from '../shared/user.ts'
import type { AccountsConfig } from './config.ts'
import { hashPassword, verifyPassword } from './credentials/password.ts'
import { patience } from './providers/catalogue/ask.ts'
import { discord } from './providers/catalogue/discord.ts'
import { github } from './providers/catalogue/github.ts'
import type { Provider } from './providers/catalogue/provider.ts'
import { external, type ProviderContext } from './providers/external.ts'
import { sentenceOf } from './providers/refusal.ts'
import { columns, tables } from './schema.ts'
import { type SessionCookie, sessionCookie } from './sessions/cookie.ts'
import { endSessions } from './sessions/end.ts'

export type AuthContext = Pick<Context<AccountsConfig>, 'config' | 'db' | 'now' | 'log'>
export type Auth = {
  /** Better Auth behind a web request; only the routes that name a path reach it. */
  handle: (request: Request) => Promise<Response>
  options: BetterAuthOptions
  baseUrl: string
  providers: readonly Provider[]
  cookie: SessionCookie
  /** As the Set-Cookie header wants them. */
  cookieAttributes: { secure: boolean; httpOnly: boolean; sameSite: 'lax'; path: string; maxAge: number }
  background: Background
}

export const sessionLife: Milliseconds = days(7)
export const renewSessionAfter: Milliseconds = days(1)
/** The header that tells Better Auth the peer's address; a client's own never gets through. */
export const addressHeader = 'x-toolbox-ip'

const inSeconds = (span: Milliseconds) => span / 1_000

/** The external providers that the configuration enables, in the order of their ids. */
const configuredProviders = (config: AuthContext['config']): readonly Provider[] => [
  ...(config.discord ? [discord(config.discord, config)] : []),
  ...(config.github ? [github(config.github, config)] : []),
]

/** Better Auth on our tables: passwords by username, and the external providers of the configuration, which have so long for each answer. */
export async function createAuth(
  context: AuthContext & ProviderContext,
  timing: { patience: Milliseconds } = { patience },
): Promise<Auth> {
  const { config, db, log } = context
  const providers = configuredProviders(config)
  const secret = createHmac('sha256', config.appSecret).update('session cookies').digest('hex')
  const auth = betterAuth({
    appName: 'ToolBox',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...config.origins],
    database: { ...db.forBetterAuth, transaction: true },
    telemetry: { enabled: false },
    // What it warns of are mostly wrong passwords; those are answered, not logged.
    logger: { level: 'warn', log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({ level }, message) },
    // Failures that are not its own refusals come out as they were thrown.
    onAPIError: { throw: true },
    ...tables,
    account: {
      ...tables.account,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: false },
    },
    // Ours renew themselves, by the clock of all instances; the library's is the machine's.
    session: { ...tables.session, expiresIn: inSeconds(sessionLife), disableSessionRefresh: true },
    rateLimit: {
      ...tables.rateLimit,
      enabled: true,
      storage: 'database',
      customRules: { '/sign-in/username': false, '/sign-in/social': { window: 10, max: 40 } },
    },
    advanced: {
      cookiePrefix: 'toolbox',
      // Said, because in a test it would leave these checks out.
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
      // Every name is looked up, also one that cannot exist: its refusal must look and last like any other.
      username({
        minUsernameLength: 1,
        maxUsernameLength: 254,
        usernameValidator: () => true,
        displayUsername: false,
        schema: { user: { fields: columns.username } },
      }),
      genericOAuth({ config: providers.map((provider) => external(context, provider, timing.patience)) }),
    ],
    databaseHooks: {
      session: { create: sessionHooks(context) },
      // Users and links are made by our own transactions; here they would be without their audit entry.
      user: { create: { before: async () => false } },
      account: { create: { before: async () => false } },
    },
  })
  const { sessionToken } = (await auth.$context).authCookies
  return {
    handle: auth.handler,
    options: auth.options,
    baseUrl: config.baseUrl,
    providers,
    cookie: sessionCookie(sessionToken.name, secret),
    cookieAttributes: {
      secure: sessionToken.attributes.secure ?? false,
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge: inSeconds(sessionLife),
    },
    background: createBackground(log),
  }
}

/** Only active users get a session; it lives by our clock, has 256 random bits, and is counted. Both run outside Better Auth's own transaction. */
function sessionHooks({ db, now }: AuthContext) {
  return {
    before: async (session: { userId: string }) => {
      const user = await db.q.selectFrom('users').select('status').where('id', '=', session.userId).executeTakeFirst()
      if (user?.status !== Active) {
        const code = user?.status === Inactive ? 'inactive' : 'blocked'
        throw new APIError('FORBIDDEN', { code, message: sentenceOf(code) })
      }
      const at = new Date(now())
      const token = randomBytes(32).toString('base64url')
      return { data: { token, createdAt: at, updatedAt: at, expiresAt: new Date(at.getTime() + sessionLife) } }
    },
    after: async (session: { id: string; userId: string }) => {
      const counted = await db.q
        .updateTable('users')
        .set((eb) => ({ log_in_count: eb('log_in_count', '+', 1) }))
        .where('id', '=', session.userId)
        .where('status', '=', Active)
        .returning('id')
        .executeTakeFirst()
      // Blocked in this very moment, when the session was not there yet to be ended: it must not wake with the user.
      if (!counted) await endSessions(db.q, session.userId, { id: session.id })
    },
  }
}
