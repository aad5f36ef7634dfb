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
import { rememberNetwork } from './credentials/known-networks.ts'
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
  /** Passes a web request to Better Auth; only our own routes call it. */
  handle: (request: Request) => Promise<Response>
  options: BetterAuthOptions
  baseUrl: string
  providers: readonly Provider[]
  cookie: SessionCookie
  /** The attributes of the Set-Cookie header. */
  cookieAttributes: { secure: boolean; httpOnly: boolean; sameSite: 'lax'; path: string; maxAge: number }
  background: Background
}

export const sessionLife: Milliseconds = days(7)
export const renewSessionAfter: Milliseconds = days(1)
/** The header that tells Better Auth the client's address; one that a client sends is dropped. */
export const addressHeader = 'x-toolbox-ip'

const inSeconds = (span: Milliseconds) => span / 1_000

/** The external providers that the configuration enables, in the order of their ids. */
const configuredProviders = (config: AuthContext['config']): readonly Provider[] => [
  ...(config.discord ? [discord(config.discord, config)] : []),
  ...(config.github ? [github(config.github, config)] : []),
]

/** Sets up Better Auth on our tables, with passwords and the configured providers; `timing` limits how long each of their answers may take. */
export async function createAuth(
  context: AuthContext & ProviderContext,
  timing: { patience: Milliseconds } = { patience },
): Promise<Auth> {
  const { config, db, log } = context
  const providers = configuredProviders(config)
  for (const name of config.halfProviders)
    log.warn(`Sign-in with ${name} is not offered: set both ${name}_CLIENT_ID and ${name}_CLIENT_SECRET, or neither.`)
  const secret = createHmac('sha256', config.appSecret).update('session cookies').digest('hex')
  const auth = betterAuth({
    appName: 'ToolBox',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...config.origins],
    database: { ...db.forBetterAuth, transaction: true },
    telemetry: { enabled: false },
    // It mostly warns of wrong passwords, which are answered and not logged.
    logger: { level: 'warn', log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({ level }, message) },
    // Errors that are not its own refusals are thrown unchanged.
    onAPIError: { throw: true },
    ...tables,
    account: {
      ...tables.account,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: false },
    },
    // We renew sessions ourselves by the clock that all instances share; the library uses the machine's clock.
    session: { ...tables.session, expiresIn: inSeconds(sessionLife), disableSessionRefresh: true },
    rateLimit: {
      ...tables.rateLimit,
      enabled: true,
      storage: 'database',
      customRules: { '/sign-in/username': false, '/sign-in/social': { window: 10, max: 40 } },
    },
    advanced: {
      cookiePrefix: 'toolbox',
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
      // Even a name that can't exist is looked up: its refusal must look the same and take as long as any other.
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
      // Our own transactions create users and links; created here, they would lack their audit entry.
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

/** Only active users get a session; it expires by our clock, has a 256-bit random token, and is counted. Both hooks run outside Better Auth's own transaction. */
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
    after: async (session: { id: string; userId: string; ipAddress?: string | null | undefined }) => {
      const counted = await db.q
        .updateTable('users')
        .set((eb) => ({ log_in_count: eb('log_in_count', '+', 1) }))
        .where('id', '=', session.userId)
        .where('status', '=', Active)
        .returning('id')
        .executeTakeFirst()
      // The user was blocked just before the session existed; it must not become valid once they are active again.
      if (!counted) await endSessions(db.q, session.userId, { id: session.id })
      else if (session.ipAddress) await rememberNetwork(db.q, session.userId, session.ipAddress, now())
    },
  }
}
