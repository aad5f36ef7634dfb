import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth'
import { username } from 'better-auth/plugins/username'
import type { Kit } from '../server/kit.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import { Active, Inactive } from '../shared/user.ts'
import { hashPassword, verifyPassword } from '../users/password.ts'
import { type Background, createBackground } from './background.ts'
import { type SessionCookie, sessionCookie } from './cookie.ts'
import { columns, tables } from './schema.ts'

/** An external provider people may sign in with: its id in the links of users, its label, and where it lives. */
export type Provider = { id: string; name: string; oauth: Omit<GenericOAuthConfig, 'providerId' | 'name'> }

export type AuthKit = Pick<Kit, 'config' | 'db' | 'now' | 'log'>
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
const refusal = {
  inactive: 'This account is not active yet. Ask an administrator to activate it.',
  blocked: 'This account is blocked. Ask an administrator why.',
}

/** Better Auth on our tables: passwords by user name, and the given external providers. */
export async function createAuth(kit: AuthKit, providers: readonly Provider[] = []): Promise<Auth> {
  const { config, db, log } = kit
  const secret = createHmac('sha256', config.appSecret).update('session cookies').digest('hex')
  const auth = betterAuth({
    appName: 'ToolBox',
    baseURL: config.baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...config.origins],
    database: { db: db.q, type: db.kind, transaction: true },
    telemetry: { enabled: false },
    // What it warns of are mostly wrong passwords; those are answered, not logged.
    logger: { level: 'warn', log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({ level }, message) },
    // Failures that are not its own refusals come out as they were thrown.
    onAPIError: { errorURL: '/auth/error', throw: true },
    ...tables,
    session: { ...tables.session, expiresIn: inSeconds(sessionLife), updateAge: inSeconds(renewSessionAfter) },
    rateLimit: {
      ...tables.rateLimit,
      enabled: true,
      storage: 'database',
      customRules: { '/sign-in/username': false, '/sign-in/social': { window: 10, max: 40 } },
    },
    advanced: {
      cookiePrefix: 'toolbox',
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
      genericOAuth({ config: providers.map(({ id, name, oauth }) => ({ ...oauth, providerId: id, name })) }),
    ],
    databaseHooks: { session: { create: sessionHooks(kit) } },
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
function sessionHooks({ db, now }: AuthKit) {
  return {
    before: async (session: { userId: string }) => {
      const user = await db.q.selectFrom('users').select('status').where('id', '=', session.userId).executeTakeFirst()
      if (user?.status !== Active) {
        const message = user?.status === Inactive ? refusal.inactive : refusal.blocked
        throw new APIError('FORBIDDEN', { code: 'AccessDenied', message })
      }
      const at = new Date(now())
      const token = randomBytes(32).toString('base64url')
      return { data: { token, createdAt: at, updatedAt: at, expiresAt: new Date(at.getTime() + sessionLife) } }
    },
    after: async (session: { userId: string }) => {
      await db.q
        .updateTable('users')
        .set((eb) => ({ log_in_count: eb('log_in_count', '+', 1) }))
        .where('id', '=', session.userId)
        .execute()
    },
  }
}
